"""A worker of a backtest: holds the histories, and ends with the process that started it."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from multiprocessing import parent_process
from typing import TypeVar

from clawfeed.domain.backtest.backtest import Trace
from clawfeed.domain.forecast.forecast import Forecast

T = TypeVar("T")
_held: list[Trace] = []


def hold(traces: Sequence[Trace]) -> None:
    """Begin: keep *traces*, whose times are packed (a quarter of the memory) until used."""
    _held[:] = traces
    threading.Thread(target=_end_with_parent, daemon=True).start()


def do_with_held(
    work: Callable[[Trace, Forecast | None], T], place: int, known: Forecast | None
) -> T:
    """*work* on the source at *place*."""
    trace = _held[place]
    return work(replace(trace, times=list(trace.times)), known)


def is_ready() -> bool:
    """Nothing to do but to be there."""
    return True


def _end_with_parent() -> None:
    """A pool's workers wait for ever for a parent that was killed: they hold both ends."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
