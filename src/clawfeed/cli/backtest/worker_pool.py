"""Who works on the sources of a backtest: this process, or workers side by side.

Workers are forked from a small server, never from this process, which may have threads. They hold
the histories from their start on; what is handed to them later is a source's place in the list.
"""

from __future__ import annotations

import os
import signal
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from multiprocessing import active_children, get_context, resource_tracker
from typing import Protocol, TypeAlias, TypeVar

from clawfeed.cli.backtest.worker import do_with_held, hold, is_ready
from clawfeed.domain.backtest.backtest import Trace
from clawfeed.domain.errors import ClawFeedError
from clawfeed.domain.forecast.forecast import Forecast

# With fewer, two workers saved no waiting on two busy cores (4, 8 and 12 public sources).
FEWEST_TRACES = 12
# Sources handed over at once: a fleet's last ones keep nobody waiting for long.
CHUNK = 4

T = TypeVar("T")
Work: TypeAlias = Callable[[Trace, Forecast | None], T]
_PROCESSES = get_context("forkserver")


class Workers(Protocol):
    """Does some work with sources, named by their places, and answers in the order of these."""

    def each(
        self, work: Work[T], places: Sequence[int], known: Iterable[Forecast | None]
    ) -> Iterator[T]: ...


class InProcess:
    """The process we are in: one source after the other."""

    def __init__(self, traces: Sequence[Trace]) -> None:
        self._traces = traces

    def each(
        self, work: Work[T], places: Sequence[int], known: Iterable[Forecast | None]
    ) -> Iterator[T]:
        return (work(self._traces[place], one) for place, one in zip(places, known, strict=False))


class ProcessPool:
    """Worker processes that hold the sources."""

    def __init__(self, pool: ProcessPoolExecutor) -> None:
        self._pool = pool

    def each(
        self, work: Work[T], places: Sequence[int], known: Iterable[Forecast | None]
    ) -> Iterator[T]:
        return self._pool.map(partial(do_with_held, work), places, known, chunksize=CHUNK)


def usable_cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0))


@contextmanager
def open_workers(traces: Sequence[Trace], workers: int) -> Iterator[Workers]:
    """*workers* processes, or this one where they would not pay; none outlives the block."""
    if workers < 2 or len(traces) < FEWEST_TRACES:
        yield InProcess(traces)
        return
    others = active_children()
    workers = min(workers, -(-len(traces) // CHUNK))
    pool = _pool(traces, workers)
    try:
        _start(pool, workers)  # a Ctrl-C that came meanwhile is heard here, and ends them, too
        yield ProcessPool(pool)
    except BrokenProcessPool as error:
        why = "a worker of the backtest was ended from outside, perhaps for its memory"
        raise ClawFeedError(f"{why}; --workers 1 needs the least") from error
    except BaseException:
        # Whoever pressed Ctrl-C does not wait for what the workers are at.
        for process in set(active_children()).difference(others):
            process.kill()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _pool(traces: Sequence[Trace], workers: int) -> ProcessPoolExecutor:
    packed = [replace(trace, times=array("d", trace.times)) for trace in traces]
    _PROCESSES.set_forkserver_preload([do_with_held.__module__])
    return ProcessPoolExecutor(workers, mp_context=_PROCESSES, initializer=hold, initargs=(packed,))


def _start(pool: ProcessPoolExecutor, workers: int) -> None:
    with _without_interrupts():
        for _ in range(workers):
            pool.submit(is_ready)


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Ctrl-C waits until the end of the block; processes started in it never hear of it.

    A terminal sends it to all of them, and each would print where it was.
    """
    resource_tracker.ensure_running()  # its own start would let interrupts in again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
