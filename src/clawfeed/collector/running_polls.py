"""The polls under way: who holds the slots, and the bell that rings when one ends."""

from __future__ import annotations

import asyncio
from collections import Counter
from datetime import datetime, timedelta
from math import inf

from clawfeed.domain.polling.slot_fairness import PollCost, SlotsHeld, full_kinds
from clawfeed.runtime.stop import Bell
from clawfeed.storage.polling.poll_queue import Claim


class RunningPolls:
    """The polls of one collector, each with its claim. A stop rings the bell, too."""

    def __init__(self, *, slots: int) -> None:
        self.bell = Bell()
        # The earliest date that a poll brought back since the database was asked for one.
        self.next_at: datetime | None = None
        # Whether somebody due may have been left, for want of room for its kind (`slot_fairness`).
        self.is_held_back = False
        self._slots = slots
        self._claims: dict[asyncio.Task[None], Claim] = {}

    def __len__(self) -> int:
        return len(self._claims)

    @property
    def held(self) -> SlotsHeld:
        claims = self._claims.values()
        return SlotsHeld(
            kinds=Counter(claim.kind for claim in claims),
            owners=Counter(claim.source.created_by for claim in claims),
        )

    @property
    def full_kinds(self) -> frozenset[PollCost]:
        return full_kinds(self.held.kinds, self._slots)

    def add(self, task: asyncio.Task[None], claim: Claim) -> None:
        self._claims[task] = claim
        task.add_done_callback(self._landed)

    def _landed(self, task: asyncio.Task[None]) -> None:
        # A cancelled poll keeps its claim here, so that it can be given back.
        if not task.cancelled():
            self._claims.pop(task, None)
        self.bell.ring()

    def note_date(self, at: datetime | None) -> None:
        """Whoever lands knows when it is due again: the database need not be asked for it."""
        if at is not None and (self.next_at is None or at < self.next_at):
            self.next_at = at

    async def landed_within(self, seconds: float) -> bool:
        """Wait for a landing, or for a stop; False if neither came in time."""
        longest = None if seconds == inf else timedelta(seconds=max(0.0, seconds))
        return await self.bell.listen(longest)

    def take_claims(self) -> list[Claim]:
        """The claims of polls that were cut off; they are the caller's from now on."""
        claims, self._claims = list(self._claims.values()), {}
        return claims
