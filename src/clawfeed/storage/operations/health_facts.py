"""What tells whether the house is well and is shown besides: read once for both."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import datetime

from clawfeed.storage.database import Database
from clawfeed.storage.polling.collector_heartbeats import CollectorLiveness, collector_liveness
from clawfeed.storage.spending.api_reads import X_API, ReadStore
from clawfeed.storage.spending.model_spend import MonthSpend, spend_of_month


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthFacts:
    """Who collects, and what this month has cost so far. *x_reads* is 0 where nobody asked."""

    liveness: CollectorLiveness
    spend: MonthSpend
    x_reads: int = 0


async def health_facts(database: Database, *, now: datetime, reads_x: bool) -> HealthFacts:
    liveness, spend, x_reads = await asyncio.gather(
        collector_liveness(database, now),
        spend_of_month(database, at=now),
        _x_reads(database, now, is_asked=reads_x),
    )
    return HealthFacts(liveness=liveness, spend=spend, x_reads=x_reads)


async def _x_reads(database: Database, now: datetime, *, is_asked: bool) -> int:
    return await ReadStore(database).used(X_API, at=now) if is_asked else 0
