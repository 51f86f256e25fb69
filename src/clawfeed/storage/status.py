"""The collector's status as programs and people read it (S000-18, S000-19)."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from clawfeed.domain.ids import JsonValue
from clawfeed.domain.source import Source
from clawfeed.storage.database import Database, Row
from clawfeed.storage.moments import moment_or_none, seconds
from clawfeed.storage.sources import COLUMNS, to_source

DAY = timedelta(hours=24)
# `paused_because` of sources that stopped by themselves.
FAILED = frozenset({"errors", "gone"})


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceStatus:
    """One source's line. *next_fetch_at* is None if never looked at, or paused (S000-20)."""

    source: Source
    interval_minutes: int
    next_fetch_at: datetime | None
    fetch_count: int
    fetch_error_count: int
    last_error: JsonValue
    status: str
    schedule_mode: str
    cadence: str | None
    because: str
    items: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """Figures over all sources; 24-hour ones come from `fetch_log` (settled question 3)."""

    total_sources: int
    active_sources: int
    paused_sources: int
    paused_by_error: int
    fetches_24h: int
    errors_24h: int
    raw_items_24h: int
    items_24h: int
    fetches_today: int
    success_rate: float | None  # of the last 24 hours, in percent; None without fetches


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectorStatus:
    sources: list[SourceStatus]
    stats: Stats


async def collector_status(
    database: Database,
    *,
    now: datetime,
    day_start: datetime,
    minutes_of: Callable[[Source], int],
) -> CollectorStatus:
    """Everything at once. *day_start* is midnight in the operator's time zone."""
    rows = await database.read(
        f"""
        SELECT {COLUMNS}, s.fetch_count, s.fetch_error_count, s.last_error, s.paused_because,
            t.next_due_at, t.backoff_until, t.schedule_mode, t.cadence, t.because,
            coalesce(i.items, 0) AS items
        FROM sources s
        LEFT JOIN source_stats t ON t.source_id = s.id
        LEFT JOIN (SELECT source_id, count(*) AS items FROM raw_items GROUP BY source_id) i
            ON i.source_id = s.id
        WHERE s.is_deleted = 0 ORDER BY s.id
        """  # noqa: S608 -- the only fragment is our own constant
    )
    sources = [_line(row, now, minutes_of) for row in rows]
    return CollectorStatus(
        sources=sources, stats=await _stats(database, sources, now=now, day_start=day_start)
    )


def _line(row: Row, now: datetime, minutes_of: Callable[[Source], int]) -> SourceStatus:
    source = to_source(row)
    error = _error(row["last_error"])
    is_planned = source.is_active and bool(row["next_due_at"])
    return SourceStatus(
        source=source,
        interval_minutes=minutes_of(source),
        next_fetch_at=moment_or_none(row["next_due_at"]) if is_planned else None,
        fetch_count=int(row["fetch_count"]),
        fetch_error_count=int(row["fetch_error_count"]),
        last_error=error,
        status=_status(row, source, error, now),
        schedule_mode=row["schedule_mode"] or "fixed",
        cadence=row["cadence"],
        because=row["because"] or "",
        items=int(row["items"]),
    )


def _status(row: Row, source: Source, error: JsonValue, now: datetime) -> str:
    """One word, the first that is true."""
    if not source.is_active:
        return "paused_by_error" if row["paused_because"] in FAILED else "paused"
    if isinstance(error, dict) and error.get("reason") == "auth_required":
        return "auth_required"
    if row["backoff_until"] is not None and row["backoff_until"] > seconds(now):
        return "backoff"
    if row["fetch_error_count"]:
        return "failing"
    return "active" if source.last_fetched_at else "never_fetched"


def _error(text: str | None) -> JsonValue:
    if not text:
        return None
    try:
        error: JsonValue = json.loads(text)
    except ValueError:
        return {"message": text}
    return error


async def _stats(
    database: Database, sources: list[SourceStatus], *, now: datetime, day_start: datetime
) -> Stats:
    since = seconds(now - DAY)
    [log] = await database.read(
        """
        SELECT coalesce(sum(CASE WHEN started_at >= :since THEN 1 ELSE 0 END), 0) AS fetches,
            coalesce(sum(CASE WHEN started_at >= :since AND outcome = 'failed'
                THEN 1 ELSE 0 END), 0) AS errors,
            coalesce(sum(CASE WHEN started_at >= :today THEN 1 ELSE 0 END), 0) AS today
        FROM fetch_log
        WHERE started_at >= :earliest AND outcome NOT IN ('skipped', 'postponed')
        """,
        {
            "since": since,
            "today": seconds(day_start),
            "earliest": min(since, seconds(day_start)),
        },
    )
    [items] = await database.read(
        """
        SELECT count(*) AS raw,
            coalesce(sum(CASE WHEN published_at >= :since THEN 1 ELSE 0 END), 0) AS published
        FROM raw_items WHERE fetched_at >= :since
        """,
        {"since": since},
    )
    fetches, errors = int(log["fetches"]), int(log["errors"])
    states = [line.status for line in sources]
    return Stats(
        total_sources=len(sources),
        active_sources=sum(line.source.is_active for line in sources),
        paused_sources=sum(not line.source.is_active for line in sources),
        paused_by_error=states.count("paused_by_error"),
        fetches_24h=fetches,
        errors_24h=errors,
        raw_items_24h=int(items["raw"]),
        items_24h=int(items["published"]),
        fetches_today=int(log["today"]),
        success_rate=round(100 * (fetches - errors) / fetches, 1) if fetches else None,
    )
