"""The collector's status as programs and people read it (S000-18, S000-19)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from clawfeed.domain.alarm import Trouble
from clawfeed.domain.sources.source import Source
from clawfeed.domain.sources.source_status import Status
from clawfeed.runtime.cooperative_work import in_turns
from clawfeed.storage.database import Database
from clawfeed.storage.leases import FREE
from clawfeed.storage.operations.collector_metrics import day_counts
from clawfeed.storage.polling.collector_heartbeats import (
    CollectorLiveness,
    Heartbeat,
    collector_liveness,
)
from clawfeed.storage.sources.source_status import SourceState, SourceStates
from clawfeed.storage.timestamps import moment_or_none


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceStatus:
    """One source's line."""

    state: SourceState
    status: Status
    interval_minutes: float
    items: int

    @property
    def next_fetch_at(self) -> datetime | None:
        return self.state.next_fetch_at(timedelta(minutes=self.interval_minutes))


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats:
    """Figures over all sources; 24-hour ones come from `fetch_log` (settled question 3)."""

    total_sources: int
    active_sources: int
    paused_sources: int
    paused_by_error: int
    fetches_24h: int
    errors_24h: int
    raw_items_24h: int  # that came in, whenever they were published
    items_24h: int  # the same, by the name it has in each source's figures
    fetches_today: int
    success_rate: float | None  # of the last 24 hours, in percent; None without fetches


@dataclass(frozen=True, slots=True, kw_only=True)
class Reads:
    """How much of a paid API's month is used (S001-8)."""

    used: int
    limit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectorStatus:
    sources: list[SourceStatus]
    stats: Stats
    x_reads: Reads | None = None  # None where no X token is set
    collectors: tuple[Heartbeat, ...] = ()  # the one seen last is first
    troubles: tuple[Trouble, ...] = ()  # what is wrong now, many of a kind as one


@dataclass(frozen=True, slots=True, kw_only=True)
class HostWaiters:
    """Sources that are due but for their host, which is busy or rests."""

    count: int
    first_at: datetime


async def waiting_for_turns(database: Database) -> HostWaiters | None:
    """How many wait for their host's turn, and when the first may go; None if nobody does."""
    [row] = await database.read(
        f"""
        SELECT count(*) AS n, min(t.next_due_at) AS first
        FROM source_stats t JOIN sources s ON s.id = t.source_id
        WHERE t.waiting_since IS NOT NULL AND t.{FREE}
          AND s.is_active = 1 AND s.is_deleted = 0
        """  # noqa: S608 -- our own constant
    )
    first_at = moment_or_none(row["first"])
    return HostWaiters(count=int(row["n"]), first_at=first_at) if first_at else None


async def collector_status(
    database: Database,
    *,
    now: datetime,
    day_start: datetime,
    minutes_of: Callable[[Source], float],
    liveness: CollectorLiveness | None = None,
) -> CollectorStatus:
    """Everything at once. *day_start* is midnight in the operator's time zone."""
    liveness = liveness or await collector_liveness(database, now)
    items = await _items_by_source(database)

    def line(state: SourceState) -> SourceStatus:
        return SourceStatus(
            state=state,
            status=state.status(now),
            interval_minutes=minutes_of(state.source),
            items=items.get(state.source.id, 0),
        )

    # Thousands of them would hold up everybody else.
    sources = await in_turns(await SourceStates(database).states(), line)
    return CollectorStatus(
        sources=sources,
        stats=await _stats(database, sources, now=now, day_start=day_start),
        collectors=liveness.collectors,
    )


async def _items_by_source(database: Database) -> dict[int, int]:
    rows = await database.read(
        "SELECT source_id, count(*) AS items FROM raw_items GROUP BY source_id"
    )
    return {int(row["source_id"]): int(row["items"]) for row in rows}


async def _stats(
    database: Database, sources: list[SourceStatus], *, now: datetime, day_start: datetime
) -> Stats:
    day, today = await day_counts(database, now=now, day_start=day_start)
    fetches, errors, items = day["fetches"], day["errors"], day["raw_items"]
    states = [line.status for line in sources]
    return Stats(
        total_sources=len(sources),
        active_sources=sum(line.state.source.is_active for line in sources),
        paused_sources=sum(not line.state.source.is_active for line in sources),
        paused_by_error=states.count(Status.PAUSED_BY_ERROR),
        fetches_24h=fetches,
        errors_24h=errors,
        raw_items_24h=items,
        items_24h=items,
        fetches_today=today,
        success_rate=round(100 * (fetches - errors) / fetches, 1) if fetches else None,
    )
