"""When an edition stops asking its model: sent away, nothing but failures, time is up."""

from __future__ import annotations

import asyncio
from datetime import timedelta

from clawfeed.domain.errors import ModelError, Reason

# These do not pass while an edition is made: the key, the address or the model's name is wrong.
HOPELESS_REASONS = frozenset(
    {
        Reason.AUTH_REQUIRED,
        Reason.REFUSED,
        Reason.GONE,
        Reason.BLOCKED,
        Reason.MISCONFIGURED,
        Reason.OFFLINE,
    }
)
# A model that hangs costs its whole time-out each time.
FAILURES_IN_A_ROW = 3
# Less than this is not enough for any answer.
SHORTEST_CALL = timedelta(milliseconds=50)


class Breaker:
    """One edition's patience with its model."""

    def __init__(self, time: timedelta) -> None:
        self._time = time
        self._ends_at = asyncio.get_running_loop().time() + time.total_seconds()
        self._in_a_row = 0
        self.is_open = False

    @property
    def left(self) -> timedelta:
        """Until this edition must be done with its model."""
        return timedelta(seconds=self._ends_at - asyncio.get_running_loop().time())

    @property
    def is_current(self) -> bool:
        """Whether it still speaks for its edition: a step much later begins anew."""
        return self.left > -self._time

    @property
    def may_ask(self) -> bool:
        return not self.is_open and self.left >= SHORTEST_CALL

    def note_answer(self) -> None:
        self._in_a_row = 0

    def note_failure(self, error: ModelError) -> bool:
        """Whether this failure ended the asking."""
        self._in_a_row += 1
        was_open = self.is_open
        if error.reason in HOPELESS_REASONS or self._in_a_row >= FAILURES_IN_A_ROW:
            self.is_open = True
        return self.is_open and not was_open
