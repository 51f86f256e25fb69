"""Time and dice for tests: they move only when told."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

NOON = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)


class FakeClock:
    """Calling it tells the time; `advance` makes it later (or, negative, earlier)."""

    def __init__(self, now: datetime = NOON) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now

    def advance(self, by: timedelta) -> None:
        self.now += by
