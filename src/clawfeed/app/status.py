"""The status, with the intervals and the day as this installation sees them."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo

from clawfeed.app.config import Config
from clawfeed.app.intervals import effective_intervals
from clawfeed.storage.database import Database
from clawfeed.storage.status import CollectorStatus, SourceStatus, collector_status


async def current_status(config: Config, database: Database, *, now: datetime) -> CollectorStatus:
    """The same answer for the terminal, the API and the pages."""
    intervals = await effective_intervals(config, database)
    return await collector_status(
        database,
        now=now,
        day_start=day_start(now, timezone_of(config)),
        minutes_of=lambda source: intervals.of(source).minutes,
    )


def timezone_of(config: Config) -> tzinfo:
    return UTC if config.timezone == "UTC" else ZoneInfo(config.timezone)


def day_start(now: datetime, zone: tzinfo) -> datetime:
    """The last midnight in *zone*."""
    return now.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0).astimezone(UTC)


def status_as_json(found: CollectorStatus) -> dict[str, object]:
    """The shape of `GET /api/collector/status` (S000-18, S000-19)."""
    return {
        "sources": [_source_as_json(line) for line in found.sources],
        "stats": asdict(found.stats),
    }


def _source_as_json(line: SourceStatus) -> dict[str, object]:
    standing, source = line.standing, line.standing.source
    error = standing.last_error
    return {
        "id": source.id,
        "name": source.name,
        "type": source.type,
        "interval_minutes": line.interval_minutes,
        "last_fetched_at": iso(source.last_fetched_at),
        "next_fetch_at": iso(line.next_fetch_at),
        "fetch_count": standing.fetch_count,
        "fetch_error_count": standing.errors,
        "last_error": {"message": error.message, "at": error.at} if error else None,
        "status": str(line.status),
        "schedule_mode": standing.schedule_mode,
        "cadence": standing.cadence,
        "because": standing.because,
    }


def iso(at: datetime | None) -> str | None:
    """ISO 8601 in UTC with `Z`."""
    return at.isoformat(timespec="seconds").replace("+00:00", "Z") if at else None
