"""How much is done between two turns of the event loop, in calls and not in seconds."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass(kw_only=True)
class LoopTurns:
    """*longest* is the most calls that were made while nobody else had a turn."""

    longest: int = 0
    _calls: int = 0
    _is_open: bool = field(default=True)

    def _count(self, _frame: object, event: str, _argument: object) -> None:
        if event in {"call", "c_call"}:
            self._calls += 1

    def _turn(self) -> None:
        self.longest = max(self.longest, self._calls)
        self._calls = 0
        if self._is_open:
            asyncio.get_running_loop().call_soon(self._turn)


@contextmanager
def counted_turns() -> Iterator[LoopTurns]:
    """Count the calls of this thread, turn by turn; other threads may work as long as they like."""
    turns = LoopTurns()
    asyncio.get_running_loop().call_soon(turns._turn)
    sys.setprofile(turns._count)
    try:
        yield turns
    finally:
        sys.setprofile(None)
        turns._is_open = False
