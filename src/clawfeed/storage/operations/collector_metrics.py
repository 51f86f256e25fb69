"""Figures about all sources and collectors, from few indexed queries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from clawfeed.storage.database import Database
from clawfeed.storage.operations.health_facts import HealthFacts, health_facts
from clawfeed.storage.polling.poll_history import POLLED_OUTCOME
from clawfeed.storage.polling.queue_overview import queue_overview
from clawfeed.storage.sources.status_conditions import PAUSED_BY_ERROR
from clawfeed.storage.spending.model_spend import MonthSpend
from clawfeed.storage.timestamps import seconds

DAY = timedelta(hours=24)
# Fewer polls than this say nothing; half of many failing is not the sources' fault.
ENOUGH_TO_JUDGE = 10
ALARMING_SHARE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetFigures:
    """How the fleet is doing now and did in the last day."""

    sources: Mapping[str, int]  # total, active, paused, paused_by_error, due, in_backoff
    last_24h: Mapping[str, int]  # fetches, errors, raw_items
    due_lag: (
        timedelta  # how long the oldest due source has been waiting, a new one since it is there
    )
    drift: timedelta  # mean of how much later than planned polls began, in the last 24 h
    collectors_alive: int
    last_heartbeat: timedelta | None  # how long ago any collector was seen; None if none ever was
    executions: Mapping[str, int]  # polls so far, by collector (S003-9)
    state_failures: Mapping[str, int]  # by reason
    model_spend: MonthSpend  # of this month


async def fleet_figures(
    database: Database, *, now: datetime, facts: HealthFacts | None = None
) -> FleetFigures:
    """Everything at once; who knows the *facts* hands them over."""
    facts = facts or await health_facts(database, now=now, reads_x=False)
    liveness = facts.liveness
    [counts] = await database.read(
        f"""
        SELECT count(*) AS total,
            coalesce(sum(is_active), 0) AS active,
            coalesce(sum(1 - is_active), 0) AS paused,
            coalesce(sum(CASE WHEN {PAUSED_BY_ERROR} THEN 1 ELSE 0 END), 0) AS paused_by_error
        FROM sources s WHERE s.is_deleted = 0
        """  # noqa: S608 -- our own constant
    )
    overview = await queue_overview(database, now)
    [backoff] = await database.read(
        "SELECT count(*) AS n FROM source_stats WHERE backoff_until > :now", {"now": seconds(now)}
    )
    names = ("total", "active", "paused", "paused_by_error")
    return FleetFigures(
        sources={
            **{name: int(counts[name]) for name in names},
            "due": overview.due,
            "in_backoff": int(backoff["n"]),
        },
        last_24h=await counts_since(database, now - DAY),
        due_lag=max(timedelta(0), now - (liveness.due_since or now)),
        drift=await _drift(database, now - DAY),
        collectors_alive=liveness.alive,
        last_heartbeat=now - liveness.seen_at if liveness.seen_at else None,
        executions=await _pairs(
            database,
            "SELECT collector_name AS name, sum(execution_count) AS n "
            "FROM collector_execution_state GROUP BY collector_name",
        ),
        state_failures=await _pairs(
            database, "SELECT reason AS name, failures AS n FROM collector_state_failures"
        ),
        model_spend=facts.spend,
    )


async def _drift(database: Database, since: datetime) -> timedelta:
    [row] = await database.read(
        "SELECT coalesce(avg(started_at - planned_at), 0) AS drift FROM fetch_log "
        "WHERE started_at >= :since AND planned_at IS NOT NULL",
        {"since": seconds(since)},
    )
    return timedelta(seconds=float(row["drift"]))


async def _pairs(database: Database, sql: str) -> dict[str, int]:
    return {str(row["name"]): int(row["n"]) for row in await database.read(sql)}


async def counts_since(database: Database, since: datetime) -> dict[str, int]:
    """Fetches, errors and raw_items since then."""
    items = await _items_since(database, since)
    return {**await poll_counts_since(database, since), "raw_items": items}


async def poll_counts_since(database: Database, since: datetime) -> dict[str, int]:
    """Fetches and errors since then; skips and postponements are neither."""
    counts, _ = await _poll_counts(database, since, since)
    return counts


async def day_counts(
    database: Database, *, now: datetime, day_start: datetime
) -> tuple[dict[str, int], int]:
    """`counts_since` of the last 24 hours, and the fetches since *day_start*."""
    items = await _items_since(database, now - DAY)
    counts, today = await _poll_counts(database, now - DAY, day_start)
    return {**counts, "raw_items": items}, today


async def _poll_counts(
    database: Database, since: datetime, day_start: datetime
) -> tuple[dict[str, int], int]:
    [row] = await database.read(
        f"""
        SELECT coalesce(sum(CASE WHEN started_at >= :since THEN 1 ELSE 0 END), 0) AS fetches,
            coalesce(sum(CASE WHEN started_at >= :since AND outcome = 'failed'
                THEN 1 ELSE 0 END), 0) AS errors,
            coalesce(sum(CASE WHEN started_at >= :today THEN 1 ELSE 0 END), 0) AS today
        FROM fetch_log WHERE started_at >= :earliest AND {POLLED_OUTCOME}
        """,  # noqa: S608 -- our own constant
        {
            "since": seconds(since),
            "today": seconds(day_start),
            "earliest": seconds(min(since, day_start)),
        },
    )
    return {"fetches": int(row["fetches"]), "errors": int(row["errors"])}, int(row["today"])


async def _items_since(database: Database, since: datetime) -> int:
    [row] = await database.read(
        "SELECT count(*) AS n FROM raw_items WHERE fetched_at >= :since", {"since": seconds(since)}
    )
    return int(row["n"])


def is_mostly_failing(counts: Mapping[str, int]) -> bool:
    """Whether so many polls fail that it is not the sources' fault."""
    fetches, errors = counts["fetches"], counts["errors"]
    return fetches >= ENOUGH_TO_JUDGE and errors >= ALARMING_SHARE * fetches
