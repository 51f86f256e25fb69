"""A fleet that has been at work for a while: rows from which every figure is another number."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from clawfeed.storage.database import Database, SqlValue, execute
from tests.support.clocks import NOON

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
ERROR = '{"message": "HTTP 503", "at": "2026-11-15T11:15:00Z", "reason": "broken"}'

# 1 is well, 2 backs off, 3 gave up, 4 was stopped by a person, 5 is due, 6 was deleted.
SOURCES: tuple[Mapping[str, SqlValue], ...] = (
    {"name": "Well", "type": "rss", "last_fetched_at": "11:30", "fetch_count": 7},
    {"name": "Resting", "type": "website", "last_fetched_at": "09:15", "fetch_count": 8,
     "fetch_error_count": 2, "last_error": ERROR},
    {"name": "Broken", "type": "rss", "is_active": 0, "paused_because": "errors",
     "fetch_count": 6, "fetch_error_count": 5, "last_error": ERROR},
    {"name": "Stopped", "type": "hackernews", "is_active": 0, "paused_because": "person",
     "last_fetched_at": "08:00", "fetch_count": 3},
    {"name": "Late", "type": "website", "last_fetched_at": "11:35", "fetch_count": 4},
    {"name": "Deleted", "type": "rss", "is_deleted": 1, "fetch_count": 9},
)  # fmt: skip
STATS: tuple[Mapping[str, SqlValue], ...] = (
    {"source_id": 1, "source_type": "rss", "next_due_at": "12:30", "schedule_mode": "pinned",
     "because": '{"minutes":60,"rule":"own_interval"}',
     "check_count": 10, "hit_count": 5},
    {"source_id": 2, "source_type": "custom", "next_due_at": "12:15", "schedule_mode": "smart",
     "cadence": "P2", "backoff_until": "12:15", "because": '{"rule":"rate_limited"}',
     "check_count": 8, "hit_count": 2, "is_stale": 1},
    {"source_id": 3, "source_type": "rss", "cadence": "P6", "schedule_mode": "smart",
     "next_due_at": "11:45"},
    {"source_id": 5, "source_type": "custom", "next_due_at": "11:50", "schedule_mode": "smart",
     "cadence": "P0", "because": '{"rule":"rate_limited"}', "check_count": 4, "hit_count": 4},
)  # fmt: skip
# Source, how long ago, how late, what it came to.
FETCHES = (
    (1, 30 * MINUTE, 10, "new"),
    (1, 1 * HOUR, 40, "unchanged"),
    (2, 45 * MINUTE, None, "failed"),
    (2, 21 * HOUR, 20, "failed"),  # yesterday in Shanghai
    (5, 19 * HOUR, 30, "unchanged"),
    (5, 3 * HOUR, None, "postponed"),
    (4, 4 * HOUR, None, "skipped"),
    (1, 25 * HOUR, 1000, "failed"),
)
# Fetched how long ago, published how long ago.
ITEMS = ((HOUR, 2 * HOUR), (HOUR, 3 * DAY), (HOUR, None), (25 * HOUR, 26 * HOUR))


async def add_busy_fleet(database: Database) -> None:
    for source in SOURCES:
        identity = {"identity": source["name"], "has_stats": 1}
        await _insert(database, "sources", {**source, **identity, **_dates()})
    for stats in STATS:
        await _insert(database, "source_stats", {**stats, **_dates()})
    for source_id, ago, late, outcome in FETCHES:
        await _insert(database, "fetch_log", _fetch(source_id, NOON - ago, late, outcome))
    for number, (fetched, published) in enumerate(ITEMS):
        await _insert(database, "raw_items", _item(number, fetched, published))
    for param, count in (("1", 5), ("3", 2)):
        await _insert(database, "collector_execution_state", _run("rss", param, count))
    await _insert(database, "collector_execution_state", _run("website", "2", 4))
    failure: dict[str, SqlValue] = {"reason": "disk full", "failures": 3, "last_at": 0}
    await _insert(database, "collector_state_failures", failure)
    for month, used in (("2026-10", 77), ("2026-11", 123)):
        reads: dict[str, SqlValue] = {"api": "x", "month": month, "used": used, "updated_at": 0}
        await _insert(database, "api_reads", reads)


def _dates() -> dict[str, SqlValue]:
    return {"created_at": 0, "updated_at": 0}


def _fetch(source_id: int, at: datetime, late: int | None, outcome: str) -> dict[str, SqlValue]:
    started = at.timestamp()
    return {
        "source_id": source_id,
        "planned_at": None if late is None else started - late,
        "started_at": started,
        "finished_at": started + 1,
        "outcome": outcome,
        "worker": "w",
    }


def _item(number: int, fetched: timedelta, published: timedelta | None) -> dict[str, SqlValue]:
    return {
        "source_id": 1,
        "title": str(number),
        "dedup_key": str(number),
        "fetched_at": (NOON - fetched).timestamp(),
        "published_at": None if published is None else (NOON - published).timestamp(),
    }


def _run(name: str, param: str, count: int) -> dict[str, SqlValue]:
    key: dict[str, SqlValue] = {"collector_name": name, "param_key": param}
    return {**key, "last_execution_time": 0, "execution_count": count, **_dates()}


async def _insert(database: Database, table: str, row: Mapping[str, SqlValue]) -> None:
    names = ", ".join(row)
    places = ", ".join(f":{name}" for name in row)
    values = {name: _moment(name, value) for name, value in row.items()}
    await execute(database, f"INSERT INTO {table} ({names}) VALUES ({places})", values)


def _moment(name: str, value: SqlValue) -> SqlValue:
    """`11:30` of the day of `NOON`, as it is stored."""
    if not (isinstance(value, str) and name.endswith(("_at", "_until"))):
        return value
    hour, minute = map(int, value.split(":"))
    return NOON.replace(hour=hour, minute=minute).timestamp()
