"""The due table is the queue: claim a source, poll it, finish. Two crossings per poll."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from clawfeed.domain.because import Because, Rule, to_text
from clawfeed.domain.errors import NotFoundError
from clawfeed.domain.ids import SourceId
from clawfeed.domain.interval import LONGEST_MINUTES
from clawfeed.domain.schedule import Rhythm
from clawfeed.domain.source import Source
from clawfeed.domain.source_type import KnownTypes, TypeFacts
from clawfeed.storage.collector_signs import give_sign
from clawfeed.storage.database import (
    Database,
    Dialect,
    Row,
    Statement,
    Steps,
    execute,
)
from clawfeed.storage.first_stats import FirstDate, add_first_stats
from clawfeed.storage.host_queue import (
    CLOCKS_DIFFER,
    DUE_SINCE,
    LONGEST_REST,
    NEVER_PLANNED,
    ClaimRequest,
    due_candidates,
    most_candidates,
    postpone,
    spread_over_hosts,
)
from clawfeed.storage.leases import (
    Held,
    Holder,
    LeasedTable,
    release,
    take,
    take_back_from,
    take_back_lapsed,
)
from clawfeed.storage.queue_overview import QueueOverview, queue_overview
from clawfeed.storage.sources import COLUMNS, to_source
from clawfeed.storage.sql_lists import in_list
from clawfeed.storage.timestamps import moment_or_none, seconds

# Deadlines are strict (settled 13): what shall be due now was due a moment ago.
ONE_SECOND = timedelta(seconds=1)
# No interval is longer; a date beyond this is damage.
FURTHEST_DATE = timedelta(minutes=LONGEST_MINUTES)
# The queue's rows, and their order: `due_candidates` also asks who is active, and at which host.
SOURCES = LeasedTable(
    table="source_stats", key="source_id", order_by="t.next_due_at", noun="source"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """Our right to poll one source, until the lease ends or someone claims it anew.

    *number* fences off late results: a finish with an older number changes nothing.
    """

    source: Source
    number: int
    planned_at: datetime | None  # when it was due; None the first time
    rhythm: Rhythm

    @property
    def held(self) -> Held:
        return Held(key=self.source.id, claim=self.number)


class PollQueue:
    """Who is due, who holds it, when it is due again."""

    def __init__(
        self,
        database: Database,
        fixed_interval: Callable[[Source], timedelta] | None = None,
        *,
        types: KnownTypes[TypeFacts],
    ) -> None:
        self._db = database
        self._types = types
        self._fixed_interval = fixed_interval or (lambda _source: timedelta(0))

    async def claim_due(self, order: ClaimRequest) -> list[Claim]:
        """Take up to *limit* due sources, never-fetched first, then the longest overdue.

        One transaction, so two workers never hold the same source. A worker that dies lets its
        lease run out by the database's clock; nobody has to clean up after it.
        """
        return await self._db.run(lambda: self._claim(order))

    async def claim_one(self, source_id: SourceId, order: ClaimRequest) -> Claim | None:
        """Take this source whatever its date (S000-16); None while somebody else holds it.

        `NotFoundError` if there is none.
        """
        return await self._db.run(lambda: self._claim_one(source_id, order))

    async def release(self, claim: Claim) -> None:
        """Give a source back untouched: it is due as before."""
        await self._db.run(lambda: release(SOURCES, claim.held))

    async def overview(self, now: datetime) -> QueueOverview:
        """Who waits, who holds and which hosts rest, in one read."""
        return await queue_overview(self._db, now)

    async def take_back(self, workers: Sequence[str]) -> int:
        """Free at once what these workers hold, and say how much."""
        return await self._db.run(lambda: take_back_from(SOURCES, workers)) if workers else 0

    async def mend_dates(self, *, now: datetime, longest: timedelta) -> int:
        """See `mend_dates`."""
        return await mend_dates(self._db, now=now, longest=longest)

    async def next_due_at(self) -> datetime | None:
        """When the next source is due that could be claimed, so that a loop can sleep until then.

        Not the least of all dates: a paused source may have one, and would keep the loop awake.
        CROSS JOIN, so that SQLite begins with the queue: after an ANALYZE it sorted all sources
        instead, 75 ms of every tick at 100,000 of them.
        """
        rows = await self._db.read(
            """
            SELECT t.next_due_at AS at FROM source_stats t CROSS JOIN sources s
            WHERE s.id = t.source_id AND t.lease_until IS NULL AND t.next_due_at IS NOT NULL
              AND s.is_active = 1 AND s.is_deleted = 0
            ORDER BY t.next_due_at LIMIT 1
            """
        )
        return moment_or_none(rows[0]["at"]) if rows else None

    async def next_turn_at(self, now: datetime, *, within: timedelta) -> datetime | None:
        """When the first of those gets its turn that are due already: now, if nobody hinders it.

        None if that takes longer than *within*: only the head of the queue is read.
        """
        rows = await self._db.read(
            f"""
            SELECT min(at) AS at FROM (
                SELECT * FROM (
                    SELECT t.next_due_at AS at
                    FROM source_stats t JOIN sources s ON s.id = t.source_id
                    WHERE t.lease_until IS NULL AND t.next_due_at < :latest
                      AND (t.next_due_at < :now OR t.waiting_since IS NOT NULL)
                      AND (t.backoff_until IS NULL OR t.backoff_until <= :now)
                      AND s.is_active = 1 AND s.is_deleted = 0
                    ORDER BY t.next_due_at LIMIT 1
                ) AS waiting
                UNION ALL
                SELECT * FROM (
                    SELECT :now AS at FROM sources s WHERE {NEVER_PLANNED} LIMIT 1
                ) AS unplanned
            ) AS soon
            """,  # noqa: S608 -- our own constant
            {"now": seconds(now), "latest": seconds(now + within)},
        )
        at = rows[0]["at"]
        return None if at is None else max(moment_or_none(at) or now, now)

    def _claim(self, order: ClaimRequest) -> Steps[list[Claim]]:
        dialect = self._db.dialect
        yield from take_back_lapsed(SOURCES, dialect)
        yield from self._plan_new_sources(order)
        candidates = yield from due_candidates(dialect, order)
        chosen, surplus = yield from spread_over_hosts(candidates, order)
        yield from postpone(surplus, order.now)
        if order.owes is not None:
            yield from give_sign(order.worker, now=order.now, owes=order.owes)
        return (yield from _take(dialect, chosen, order))

    def _claim_one(self, source_id: SourceId, order: ClaimRequest) -> Steps[Claim | None]:
        yield from take_back_lapsed(SOURCES, self._db.dialect)
        rows = yield Statement(
            f"SELECT {COLUMNS} FROM sources s WHERE s.id = :id AND s.is_deleted = 0",  # noqa: S608
            {"id": source_id},
        )
        if not rows:
            raise NotFoundError(f"there is no source {source_id}")
        yield from _make_stats_rows([to_source(row) for row in rows], self._types, order.now)
        claims = yield from _take(self._db.dialect, [source_id], order)
        return claims[0] if claims else None

    def _plan_new_sources(self, order: ClaimRequest) -> Steps[None]:
        """Make the stats row of the first fetch for sources that have none and are due (S004-8)."""
        rows = yield Statement(
            f"""
            SELECT {COLUMNS} FROM sources s
            WHERE s.has_stats = 0 AND s.is_active = 1 AND s.is_deleted = 0
            ORDER BY coalesce(s.last_fetched_at, 0), s.id
            LIMIT {most_candidates(order)}
            """,  # noqa: S608 -- our own constant, and a number
        )
        sources = [to_source(row) for row in rows]
        yield from _make_stats_rows(
            [source for source in sources if self._is_due(source, order.now)],
            self._types,
            order.now,
        )

    def _is_due(self, source: Source, now: datetime) -> bool:
        """S000-4: never fetched, or strictly longer ago than its interval."""
        fetched = source.last_fetched_at
        return fetched is None or fetched < now - self._fixed_interval(source)


async def mend_dates(database: Database, *, now: datetime, longest: timedelta) -> int:
    """Make due what lost its date, got one beyond *longest*, or was planned in the future.

    The last means that the clock went back: its date belongs to another time (I3, F15). A rest
    longer than any we give is damage, too.
    """
    rows = await execute(
        database,
        """
        UPDATE source_stats SET next_due_at = :due, backoff_until = NULL, updated_at = :due,
            waiting_since = NULL, because = :because
        WHERE lease_until IS NULL
          AND (next_due_at IS NULL OR next_due_at > :limit OR backoff_until > :rested
               OR updated_at > :ahead)
          AND source_id IN (SELECT id FROM sources WHERE is_active = 1 AND is_deleted = 0)
        RETURNING source_id
        """,
        {
            "due": seconds(now - ONE_SECOND),
            "because": to_text(Because(Rule.DATE_MENDED)),
            "limit": seconds(now + longest),
            "rested": seconds(now + LONGEST_REST + CLOCKS_DIFFER),
            "ahead": seconds(now + CLOCKS_DIFFER),
        },
    )
    return len(rows)


def _make_stats_rows(
    sources: list[Source], types: KnownTypes[TypeFacts], now: datetime
) -> Steps[None]:
    # Due since its last fetch, or since 1970: the never-fetched come first (S000-4).
    dates = [
        FirstDate(
            source.id,
            types.facts(source.type).stats_type,
            seconds(source.last_fetched_at) if source.last_fetched_at else 0.0,
        )
        for source in sources
    ]
    yield from add_first_stats(dates, because=to_text(Because(Rule.NEVER_POLLED)), at=seconds(now))


# Of `source_stats`: what `to_rhythm` reads.
RHYTHM = (
    "frequency_type, cadence, is_cadence_set, avg_publish_hour, std_publish_hour, "
    "last_article_at, check_count, hit_count, fail_count, gone_count, is_stale, forecast"
)
_CLAIMED = f"{DUE_SINCE} AS due_since, {RHYTHM}"


def _take(dialect: Dialect, chosen: list[SourceId], order: ClaimRequest) -> Steps[list[Claim]]:
    if not chosen:
        return []
    holder = Holder(worker=order.worker, lease=order.lease)
    held = yield from take(SOURCES, dialect, holder, chosen, returning=_CLAIMED)
    names, params = in_list(chosen)
    sources = yield Statement(
        f"SELECT {COLUMNS} FROM sources s WHERE s.id IN ({names})",  # noqa: S608
        params,
    )
    by_id = {int(row["id"]): to_source(row) for row in sources}
    return [_to_claim(by_id[id_], held[id_]) for id_ in chosen if id_ in held]


def _to_claim(source: Source, row: Row) -> Claim:
    return Claim(
        source=source,
        number=int(row["claim"]),
        planned_at=moment_or_none(row["due_since"] or None),
        rhythm=to_rhythm(row),
    )


def to_rhythm(row: Row) -> Rhythm:
    return Rhythm(
        frequency_type=row["frequency_type"],
        cadence=row["cadence"],
        is_cadence_set=bool(row["is_cadence_set"]),
        avg_publish_hour=row["avg_publish_hour"],
        std_publish_hour=row["std_publish_hour"],
        last_article_at=moment_or_none(row["last_article_at"]),
        check_count=row["check_count"],
        hit_count=row["hit_count"],
        fail_count=row["fail_count"],
        gone_count=row["gone_count"],
        is_stale=bool(row["is_stale"]),
        forecast=row["forecast"],
    )
