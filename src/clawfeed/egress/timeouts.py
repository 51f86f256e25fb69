"""Time limits of many tasks on one timer.

`asyncio.timeout` makes a timer of its own for each, 15 µs with all that follows in the event
loop. A poll has two of them, and hardly any ever rings.
"""

from __future__ import annotations

import asyncio
from types import TracebackType
from typing import Any

# How late a limit may ring. Limits are seconds; so much more or less is nothing to them.
TICK_SECONDS = 0.1


class Deadlines:
    """Use as `with deadlines.within(seconds)`, inside a task, around something that awaits."""

    def __init__(self) -> None:
        self._running: set[_Limit] = set()
        self._loop: asyncio.AbstractEventLoop | None = None  # where the timer ticks, if it does

    def within(self, seconds: float) -> _Limit:
        """Raises `TimeoutError` out of its block after *seconds*, as `asyncio.timeout` does."""
        return _Limit(self, seconds)

    def add(self, limit: _Limit, loop: asyncio.AbstractEventLoop) -> None:
        self._running.add(limit)
        if self._loop is not loop:
            self._loop = loop
            loop.call_later(TICK_SECONDS, self._tick, loop)

    def remove(self, limit: _Limit) -> None:
        self._running.discard(limit)

    def _tick(self, loop: asyncio.AbstractEventLoop) -> None:
        """Ring where time is up; the timer lives as long as there is something to time."""
        now = loop.time()
        for limit in [limit for limit in self._running if limit.ends_at <= now]:
            self._running.remove(limit)
            limit.ring()
        if self._running:
            loop.call_later(TICK_SECONDS, self._tick, loop)
        else:
            self._loop = None


class _Limit:
    __slots__ = ("_cancels", "_deadlines", "_has_rung", "_seconds", "_task", "ends_at")

    _task: asyncio.Task[Any]
    _cancels: int
    ends_at: float

    def __init__(self, deadlines: Deadlines, seconds: float) -> None:
        self._deadlines, self._seconds, self._has_rung = deadlines, seconds, False

    def __enter__(self) -> None:
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("a time limit is used outside a task")
        loop = task.get_loop()
        self._task, self._cancels = task, task.cancelling()
        self.ends_at = loop.time() + self._seconds
        self._deadlines.add(self, loop)

    def ring(self) -> None:
        self._has_rung = True
        self._task.cancel()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._deadlines.remove(self)
        if not self._has_rung:
            return
        # Ours to answer for only if nobody else asked the task to stop, too.
        is_ours = self._task.uncancel() <= self._cancels
        if is_ours and kind is asyncio.CancelledError:
            raise TimeoutError from error
