"""Turns at a host that takes one request now and then, from all who share it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Protocol


class HostTurnTaker(Protocol):
    """Whose turn it is at a host, for all who share it."""

    async def take(self, host: str, gap: timedelta, *, at: datetime) -> timedelta | None:
        """None if it is our turn, and nobody else's for *gap*; else how long to wait."""
        ...
