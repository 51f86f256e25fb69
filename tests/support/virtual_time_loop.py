"""An event loop whose clock jumps: nobody waits for thirty seconds to see them pass."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Coroutine
from typing import TypeVar

T = TypeVar("T")
# What is on its way through the kernel arrives within this, so that no time passes meanwhile.
GRACE_SECONDS = 0.02


class _Impatient(selectors.DefaultSelector):
    """Waits for the world no longer than the grace; what was left of the wait has then passed."""

    jumped = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None or timeout <= GRACE_SECONDS:
            return super().select(timeout)
        ready = super().select(GRACE_SECONDS)
        if not ready:
            self.jumped += timeout - GRACE_SECONDS
        return ready


class _WarpedLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._impatient = _Impatient()
        super().__init__(self._impatient)

    def time(self) -> float:
        return super().time() + self._impatient.jumped


def run_warped(main: Coroutine[None, None, T]) -> T:
    """Run *main*: whenever nothing happens, the time to the next timer has passed already.

    Only for what waits on timers and sockets of this loop: work in threads and processes would
    seem to take for ever.
    """
    with asyncio.Runner(loop_factory=_WarpedLoop) as runner:
        return runner.run(main)
