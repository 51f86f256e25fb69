"""The scheduler in figures: in all, and per source type (S004-9)."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from clawfeed.domain.schedule.cadence import Cadence
from clawfeed.domain.schedule.schedule import Mode
from clawfeed.domain.sources.type_facts import KnownTypes, TypeFacts
from clawfeed.storage.database import Database, Row
from clawfeed.storage.polling.due_sources import SOURCE_TYPES
from clawfeed.storage.polling.host_queue import DUE, NEVER_PLANNED
from clawfeed.storage.timestamps import seconds

CADENCES = tuple(map(str, Cadence))


@dataclass(frozen=True, slots=True, kw_only=True)
class SchedulerStats:
    """*mean_hit_rate* is the mean over sources of hits per check, in percent (S004-4)."""

    total: int
    with_stats: int
    due_now: int
    in_backoff: int
    mean_hit_rate: float | None
    cadences: dict[str, int] = field(default_factory=dict)
    modes: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class StatsByType:
    """In all, by the contract's two source types (`rss`, `custom`), and by concrete type."""

    overall: SchedulerStats
    by_source_type: dict[str, SchedulerStats]
    by_type: dict[str, SchedulerStats]


async def scheduler_stats(
    database: Database, types: KnownTypes[TypeFacts], *, now: datetime
) -> StatsByType:
    """For all sources, and by source type. Who was never fetched is due (S000-4)."""
    rows = await database.read(
        f"""
        SELECT s.type, t.source_id, t.cadence, t.schedule_mode, t.check_count, t.hit_count,
            CASE WHEN ({DUE}) OR ({NEVER_PLANNED}) THEN 1 ELSE 0 END AS due,
            CASE WHEN t.backoff_until > :now THEN 1 ELSE 0 END AS resting
        FROM sources s LEFT JOIN source_stats t ON t.source_id = s.id
        WHERE s.is_deleted = 0
        """,  # noqa: S608 -- our own constants
        {"now": seconds(now)},
    )
    by_type: dict[str, list[Row]] = {}
    by_source_type: dict[str, list[Row]] = {name: [] for name in SOURCE_TYPES}
    for row in rows:
        by_type.setdefault(str(row["type"]), []).append(row)
        by_source_type[types.facts(str(row["type"])).stats_type].append(row)
    return StatsByType(
        overall=_sum_up(rows),
        by_source_type={name: _sum_up(part) for name, part in by_source_type.items()},
        by_type={name: _sum_up(part) for name, part in sorted(by_type.items())},
    )


async def cadence_counts(database: Database) -> dict[str, int]:
    """How many of the active sources are polled how often; under '' those nobody knows yet."""
    rows = await database.read(
        """
        SELECT coalesce(t.cadence, '') AS cadence, count(*) AS n
        FROM sources s LEFT JOIN source_stats t ON t.source_id = s.id
        WHERE s.is_active = 1 AND s.is_deleted = 0 GROUP BY coalesce(t.cadence, '')
        """
    )
    counted = {str(row["cadence"]): int(row["n"]) for row in rows}
    return {name: counted.get(name, 0) for name in (*CADENCES, "")}


def _sum_up(rows: list[Row]) -> SchedulerStats:
    known = [row for row in rows if row["source_id"] is not None]
    rates = [row["hit_count"] / row["check_count"] for row in known if row["check_count"]]
    return SchedulerStats(
        total=len(rows),
        with_stats=len(known),
        due_now=sum(row["due"] for row in rows),
        in_backoff=sum(row["resting"] for row in known),
        mean_hit_rate=round(100 * sum(rates) / len(rates), 1) if rates else None,
        cadences={name: sum(row["cadence"] == name for row in known) for name in CADENCES},
        modes=_count_modes(known),
    )


def _count_modes(rows: list[Row]) -> dict[str, int]:
    return {str(mode): sum(row["schedule_mode"] == mode for row in rows) for mode in Mode}
