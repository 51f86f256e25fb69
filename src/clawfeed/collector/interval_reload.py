"""Intervals that count at the next tick: what an admin sets needs no restart (S000-2, S000-20)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import TypeAlias

from clawfeed.domain.schedule.interval import HasInterval, Interval, Intervals
from clawfeed.domain.sources.type_facts import KnownTypes, TypeFacts
from clawfeed.storage.database import Database
from clawfeed.storage.polling.interval_changes import Plan, follow_intervals

log = logging.getLogger(__name__)

# What the rows of the `config` table come to, and a sentence for each that counts for nothing.
ReadRows: TypeAlias = Callable[[Mapping[str, str]], tuple[Intervals, tuple[str, ...]]]
# A poll that was decided on before a change may be stored after it: its date follows a tick later.
ROUNDS = 2


class LiveIntervals:
    """The intervals as they count now, for all who go by them. A bad row is told once."""

    def __init__(self, read: ReadRows, rows: Mapping[str, str]) -> None:
        self._read = read
        self._rows: dict[str, str] = {}
        self._now, self._told = read({})
        self.take(rows)

    @property
    def types(self) -> KnownTypes[TypeFacts]:
        return self._now.types

    def of(self, source: HasInterval) -> Interval:
        return self._now.of(source)

    def every(self, source: HasInterval) -> timedelta:
        return self._now.every(source)

    def by_type(self) -> dict[str, float]:
        return self._now.by_type()

    def take(self, rows: Mapping[str, str]) -> bool:
        """Go by these *rows* from now on; False if they are no others."""
        if rows == self._rows:
            return False
        self._rows = dict(rows)
        before = self._told
        self._now, self._told = self._read(rows)
        for warning in self._told:
            if warning not in before:
                log.warning("configuration", extra={"warning": warning})
        return True


class IntervalFollower:
    """Takes over what an admin set, and gives new dates to those it concerns."""

    def __init__(
        self, database: Database, live: LiveIntervals, plan: Plan, clock: Callable[[], datetime]
    ) -> None:
        self._db, self._live, self._plan, self._clock = database, live, plan, clock
        self._rounds = 0

    async def heed(self, rows: Mapping[str, str]) -> None:
        """Call it with the rows of each tick; nothing is read or written while they stay."""
        if self._live.take(rows):
            self._rounds = ROUNDS
        if self._rounds:
            await self.follow()
            self._rounds -= 1

    async def follow(self) -> None:
        """Date those anew whose date was made with another interval."""
        redated = await follow_intervals(
            self._db, self._live.of, now=self._clock(), plan=self._plan
        )
        if redated:
            log.info("intervals changed; sources dated anew", extra={"count": redated})
