"""When a first edition has enough to tell: the house's, or that of who just chose their sources."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

# Most sources answer within seconds; for those that do not, nobody waits who begins to read.
SLOW_ONES = timedelta(seconds=20)


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstItems:
    """What some sources brought so far.

    *unread* are active and were never polled; the newest of them is there since *unread_since*.
    """

    unread: int = 0
    unread_since: datetime | None = None
    first_item_at: datetime | None = None

    @property
    def enough_at(self) -> datetime | None:
        """From when on there is enough; None while nothing came at all."""
        if self.first_item_at is None or self.unread_since is None:
            return self.first_item_at
        return max(self.first_item_at, self.unread_since) + SLOW_ONES

    def is_enough(self, now: datetime) -> bool:
        """Also where the clock went back, and what was just now lies ahead (F15)."""
        at = self.enough_at
        return at is not None and not at - SLOW_ONES <= now < at
