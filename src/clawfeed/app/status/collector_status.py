"""The status, with the intervals and the day as this installation sees them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, tzinfo

from clawfeed.app.settings.config import Config
from clawfeed.app.settings.intervals import effective_intervals
from clawfeed.app.settings.timezone import timezone_of
from clawfeed.app.status.trouble_rules import trouble_rules
from clawfeed.domain.alarm import grouped
from clawfeed.storage.database import Database
from clawfeed.storage.operations.collector_status import CollectorStatus, Reads, collector_status
from clawfeed.storage.operations.troubles import find_troubles
from clawfeed.storage.spending.api_reads import X_API, ReadStore


async def current_status(config: Config, database: Database, *, now: datetime) -> CollectorStatus:
    """The same answer for the terminal, the API and the pages."""
    intervals = await effective_intervals(config, database)
    status = await collector_status(
        database,
        now=now,
        day_start=day_start(now, timezone_of(config)),
        minutes_of=lambda source: intervals.of(source).minutes,
    )
    troubles = grouped(await find_troubles(database, trouble_rules(config), now=now))
    return replace(status, x_reads=await _x_reads(config, database, now), troubles=troubles)


async def _x_reads(config: Config, database: Database, now: datetime) -> Reads | None:
    settings = config.sources
    if not (settings.x_bearer_token or settings.x_user_token):
        return None
    used = await ReadStore(database).used(X_API, at=now)
    return Reads(used=used, limit=settings.x_monthly_reads)


def day_start(now: datetime, zone: tzinfo) -> datetime:
    """The last midnight in *zone*."""
    return now.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0).astimezone(UTC)
