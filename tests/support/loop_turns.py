"""How much is done between two turns of the event loop, in calls and not in seconds."""

from __future__ import annotations

import selectors
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

# What the loop calls once a turn, to wait or only to look. A callback that came back each turn
# would count as well, but the loop would never rest while a database works.
_LOOKS_ROUND = selectors.DefaultSelector.select.__code__


@dataclass(kw_only=True)
class LoopTurns:
    """*longest* is the most calls that were made while nobody else had a turn."""

    longest: int = 0
    _calls: int = 0

    def _count(self, frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and frame.f_code is _LOOKS_ROUND:
            self._turn()
        elif event in {"call", "c_call"}:
            self._calls += 1

    def _turn(self) -> None:
        self.longest = max(self.longest, self._calls)
        self._calls = 0


@contextmanager
def counted_turns() -> Iterator[LoopTurns]:
    """Count the calls of this thread, turn by turn; other threads may work as long as they like."""
    turns = LoopTurns()
    sys.setprofile(turns._count)
    try:
        yield turns
    finally:
        sys.setprofile(None)
        turns._turn()
