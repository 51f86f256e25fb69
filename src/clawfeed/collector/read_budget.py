"""A paid API's monthly reads, spread over the rest of the month and over its sources."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from clawfeed.domain.schedule.interval import IntervalRules
from clawfeed.domain.schedule.read_budget import (
    ReadShare,
    affordable_a_day,
    demand_a_day,
    fair_share,
    month_end,
)
from clawfeed.domain.sources.source import Source
from clawfeed.storage.spending.api_reads import ReadStore

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadCounter:
    """An API that counts: how much a month, and what a poll costs at least.

    *least* is by type.
    """

    api: str
    limit: int
    least: Mapping[str, int]


class ReadBudgetPacer:
    """Knows what a source may cost now; `refresh` once in a while, `of` at every poll."""

    def __init__(
        self,
        store: ReadStore,
        clock: Callable[[], datetime],
        meter: ReadCounter,
        intervals: IntervalRules,
    ) -> None:
        self._store, self._clock, self._meter, self._intervals = store, clock, meter, intervals
        self._share: ReadShare | None = None

    def of(self, source: Source) -> ReadShare | None:
        """The share of *source*; None while the budget suffices, or is no matter of its type."""
        least, share = self._least(source), self._share
        if share is None or least is None or share.ends_at <= self._clock():
            return None
        return replace(share, least=least)

    async def refresh(self) -> None:
        """Compare what is left with what is posted, and share it out; known to all collectors."""
        now, meter = self._clock(), self._meter
        left = max(0, meter.limit - await self._store.used(meter.api, at=now))
        a_day = fair_share(await self._demands(now), affordable_a_day(left, now=now))
        await self._store.save_share(meter.api, a_day, now=now)
        if a_day is None:
            self._share = None
            return
        self._share = ReadShare(a_day=a_day, left=left, limit=meter.limit, ends_at=month_end(now))
        log.info("read budget is short", extra={"api": meter.api, "left": left, "share": a_day})

    async def _demands(self, now: datetime) -> list[float]:
        return [
            demand_a_day(
                posting.posts_a_day,
                least=self._least(posting.source) or 0,
                every=self._intervals.every(posting.source),
            )
            for posting in await self._store.postings(
                self._meter.least, self._intervals.types, now=now
            )
        ]

    def _least(self, source: Source) -> int | None:
        """What a poll of it costs at least, however its type is written; None if nothing does."""
        return self._meter.least.get(self._intervals.types.key(source.type))
