"""Reads of an API that are counted and paid for."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from clawfeed.domain.schedule.read_budget import ReadRation


class ReadBudget(Protocol):
    """How many posts may still be read this month, for all collectors together (S001-8)."""

    async def reserve(self, wanted: int, *, at: datetime) -> int:
        """Take up to *wanted* reads from the month of *at*, before asking; returns how many."""
        ...

    async def give_back(self, unused: int, *, at: datetime) -> None:
        """Return what was not read, with the *at* it was reserved with."""
        ...

    async def ration(self, *, at: datetime) -> ReadRation | None:
        """What a poll may read while the budget is short; None while it suffices."""
        ...
