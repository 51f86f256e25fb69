"""The status, with the intervals and the day as this installation sees them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, tzinfo

from clawfeed.app.settings.config import Config
from clawfeed.app.settings.intervals import effective_intervals
from clawfeed.app.settings.timezone import timezone_of
from clawfeed.app.settings.x_reads import x_reads_a_month
from clawfeed.app.status.trouble_thresholds import trouble_thresholds
from clawfeed.domain.alarm import grouped
from clawfeed.storage.database import Database
from clawfeed.storage.operations.collector_status import CollectorStatus, Reads, collector_status
from clawfeed.storage.operations.health_facts import health_facts
from clawfeed.storage.operations.troubles import find_troubles


async def current_status(config: Config, database: Database, *, now: datetime) -> CollectorStatus:
    """The same answer for the terminal, the API and the pages."""
    intervals = await effective_intervals(config, database)
    rules, limit = trouble_thresholds(config), x_reads_a_month(config)
    facts = await health_facts(database, now=now, reads_x=limit is not None)
    status = await collector_status(
        database,
        now=now,
        day_start=day_start(now, timezone_of(config)),
        minutes_of=lambda source: intervals.of(source).minutes,
        liveness=facts.liveness,
    )
    troubles = grouped(await find_troubles(database, rules, now=now, facts=facts))
    x_reads = None if limit is None else Reads(used=facts.x_reads, limit=limit)
    return replace(status, x_reads=x_reads, troubles=troubles)


def day_start(now: datetime, zone: tzinfo) -> datetime:
    """The last midnight in *zone*."""
    return now.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0).astimezone(UTC)
