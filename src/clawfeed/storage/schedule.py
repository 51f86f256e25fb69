"""The due table is the queue: claim a source, look at it, finish. Two crossings per look."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from operator import itemgetter

from clawfeed.domain.errors import LeaseLostError
from clawfeed.domain.ids import SourceId
from clawfeed.domain.interval import LONGEST_MINUTES
from clawfeed.domain.schedule import Rhythm
from clawfeed.domain.source import Source
from clawfeed.storage.database import (
    Database,
    Dialect,
    Insert,
    Row,
    SqlValue,
    Statement,
    Steps,
    execute,
)
from clawfeed.storage.moments import moment_or_none, seconds
from clawfeed.storage.sources import COLUMNS, to_source

# Candidates read per free slot, so that one host's crowd does not fill every slot.
CANDIDATES_PER_SLOT = 4
# Deadlines are strict (settled 13): what shall be due now was due a moment ago.
A_MOMENT = timedelta(seconds=1)
# Machines that share a database do not agree to the second; this much is normal.
CLOCKS_DIFFER = timedelta(minutes=5)
# No interval is longer; a date beyond this is damage.
FURTHEST_DATE = timedelta(minutes=LONGEST_MINUTES)
# Nobody is sent to rest for longer (domain/backoff.py, egress/retry_after.py).
LONGEST_REST = timedelta(hours=24)
# A lease that ends later than this was given before the database's clock went back.
LONGEST_LEASE = timedelta(hours=1)
# When sources that failed last time find their places taken, they ask again after this.
FAILING_WAIT = timedelta(seconds=5)
# A backlog larger than this is "many": counting it exactly helps nobody.
COUNT_UP_TO = 10_000
# Who has waited this long is a quarter of a spacing ahead of one that has just come due.
PATIENT = timedelta(hours=1)
# When a source was due by its own schedule, whatever date its host's queue gave it since. A text or
# a null, as in a damaged row, is smaller than nothing.
DUE_SINCE = "CASE WHEN waiting_since < next_due_at THEN waiting_since ELSE next_due_at END"
# `source_stats.source_type` knows two kinds (S004-1).
FEED_TYPES = frozenset({"rss", "digest_feed"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """Our right to look at one source, until the lease ends or someone claims it anew.

    *number* fences off late results: a finish with an older number changes nothing.
    """

    source: Source
    number: int
    planned_at: datetime | None  # when it was due; None the first time
    rhythm: Rhythm


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """How a collector claims: how many, for how long, and how gently with each host."""

    now: datetime
    limit: int
    lease: timedelta
    worker: str
    per_host: int = 2
    # How far apart the surplus of one host is put when too many of its sources are due at once.
    spacing: timedelta = timedelta(seconds=1)
    # How many sources that failed last time may be held at once: they tend to cost a whole
    # time-out each, and must not fill every slot (I9).
    failing: int = 1_000_000


class ScheduleStore:
    """Who is due, who holds it, when it is due again."""

    def __init__(
        self, database: Database, fixed_interval: Callable[[Source], timedelta] | None = None
    ) -> None:
        self._db = database
        self._fixed_interval = fixed_interval or (lambda _source: timedelta(0))

    async def claim_due(self, order: Order) -> list[Claim]:
        """Take up to *limit* due sources, never-fetched first, then the longest overdue.

        One transaction, so two workers never hold the same source. A worker that dies lets its
        lease run out by the database's clock; nobody has to clean up after it.
        """
        return await self._db.run(lambda: self._claim(order))

    async def claim_one(self, source_id: SourceId, order: Order) -> Claim | None:
        """Take this source whatever its date (S000-16); None while somebody else holds it."""
        return await self._db.run(lambda: self._claim_one(source_id, order))

    async def release(self, claim: Claim) -> None:
        """Give a source back untouched: it is due as before."""
        await self._db.run(lambda: _release(claim))

    async def count_due(self, now: datetime) -> int:
        """How many sources could be claimed now, counted up to `COUNT_UP_TO`."""
        rows = await self._db.read(
            """
            SELECT count(*) AS n FROM (
                SELECT t.source_id FROM source_stats t JOIN sources s ON s.id = t.source_id
                WHERE t.lease_until IS NULL AND t.next_due_at <= :now
                  AND s.is_active = 1 AND s.is_deleted = 0
                UNION ALL
                SELECT s.id FROM sources s
                WHERE s.has_stats = 0 AND s.is_active = 1 AND s.is_deleted = 0
                  AND s.last_fetched_at IS NULL
                LIMIT :most
            ) AS due
            """,
            {"now": seconds(now), "most": COUNT_UP_TO},
        )
        return int(rows[0]["n"])

    async def free_leases_of(self, is_dead: Callable[[str], bool]) -> int:
        """Take back at once what dead workers held; their leases would only lapse later."""
        rows = await self._db.read(
            "SELECT DISTINCT leased_by FROM source_stats WHERE lease_until IS NOT NULL"
        )
        dead = [str(row["leased_by"]) for row in rows if is_dead(str(row["leased_by"]))]
        freed = 0
        for worker in dead:
            freed += len(
                await execute(
                    self._db,
                    "UPDATE source_stats SET lease_until = NULL, leased_by = NULL "
                    "WHERE leased_by = :worker RETURNING source_id",
                    {"worker": worker},
                )
            )
        return freed

    async def mend_dates(self, *, now: datetime, longest: timedelta) -> int:
        """Make due what lost its date, got one beyond *longest*, or was planned in the future.

        The last means that the clock went back: its date belongs to another time (I3, F15). A
        rest longer than any we give is damage, too.
        """
        rows = await execute(
            self._db,
            """
            UPDATE source_stats SET next_due_at = :due, backoff_until = NULL, updated_at = :due,
                waiting_since = NULL, because = 'its date made no sense'
            WHERE lease_until IS NULL
              AND (next_due_at IS NULL OR next_due_at > :limit OR backoff_until > :rested
                   OR updated_at > :ahead)
              AND source_id IN (SELECT id FROM sources WHERE is_active = 1 AND is_deleted = 0)
            RETURNING source_id
            """,
            {
                "due": seconds(now - A_MOMENT),
                "limit": seconds(now + longest),
                "rested": seconds(now + LONGEST_REST + CLOCKS_DIFFER),
                "ahead": seconds(now + CLOCKS_DIFFER),
            },
        )
        return len(rows)

    async def next_due_at(self) -> datetime | None:
        """When the next free source is due, so that a loop can sleep until then."""
        rows = await self._db.read(
            "SELECT min(next_due_at) AS at FROM source_stats WHERE lease_until IS NULL"
        )
        return moment_or_none(rows[0]["at"])

    def _claim(self, order: Order) -> Steps[list[Claim]]:
        dialect = self._db.dialect
        yield from _free_lapsed_leases(dialect)
        yield from self._plan_new_sources(order)
        candidates = yield from _due_candidates(dialect, order)
        chosen, surplus = yield from _spread_over_hosts(candidates, order)
        yield from _postpone(surplus, order.now)
        return (yield from _take(dialect, chosen, order))

    def _claim_one(self, source_id: SourceId, order: Order) -> Steps[Claim | None]:
        yield from _free_lapsed_leases(self._db.dialect)
        rows = yield Statement(
            f"SELECT {COLUMNS} FROM sources s WHERE s.id = :id AND s.is_deleted = 0",  # noqa: S608
            {"id": source_id},
        )
        yield from _make_stats_rows([to_source(row) for row in rows], order.now)
        claims = yield from _take(self._db.dialect, [source_id], order)
        return claims[0] if claims else None

    def _plan_new_sources(self, order: Order) -> Steps[None]:
        """Make the stats row of the first fetch for sources that have none and are due (S004-8)."""
        rows = yield Statement(
            f"""
            SELECT {COLUMNS} FROM sources s
            WHERE s.has_stats = 0 AND s.is_active = 1 AND s.is_deleted = 0
            ORDER BY coalesce(s.last_fetched_at, 0), s.id
            LIMIT {_candidates(order)}
            """,  # noqa: S608 -- our own constant, and a number
        )
        sources = [to_source(row) for row in rows]
        yield from _make_stats_rows(
            [source for source in sources if self._is_due(source, order.now)], order.now
        )

    def _is_due(self, source: Source, now: datetime) -> bool:
        """S000-4: never fetched, or strictly longer ago than its interval."""
        fetched = source.last_fetched_at
        return fetched is None or fetched < now - self._fixed_interval(source)


def _free_lapsed_leases(dialect: Dialect) -> Steps[None]:
    yield Statement(
        f"""
        UPDATE source_stats SET lease_until = NULL, leased_by = NULL
        WHERE lease_until IS NOT NULL
          AND (lease_until <= {dialect.now} OR lease_until > {dialect.now} + :longest)
        """,  # noqa: S608 -- the only fragment is our own constant
        {"longest": LONGEST_LEASE.total_seconds()},
    )


def _make_stats_rows(sources: list[Source], now: datetime) -> Steps[None]:
    if not sources:
        return
    yield Insert(
        table="source_stats",
        columns=("source_id", "source_type", "next_due_at", "because", "created_at", "updated_at"),
        rows=[
            # Due since its last fetch, or since 1970: the never-fetched come first (S000-4).
            (
                source.id,
                "rss" if source.type in FEED_TYPES else "custom",
                seconds(source.last_fetched_at) if source.last_fetched_at else 0.0,
                "never looked at before",
                seconds(now),
                seconds(now),
            )
            for source in sorted(sources, key=lambda source: source.id)
        ],
        returning="source_id",
    )
    names, params = _in_list(source.id for source in sources)
    yield Statement(f"UPDATE sources SET has_stats = 1 WHERE id IN ({names})", params)  # noqa: S608


def _candidates(order: Order) -> int:
    """How many to read, in powers of two: few texts, each prepared once.

    SQLite prepares a statement anew whenever a bound LIMIT changes.
    """
    return 1 << (order.limit * CANDIDATES_PER_SLOT - 1).bit_length()


def _due_candidates(dialect: Dialect, order: Order) -> Steps[list[Row]]:
    return (
        yield Statement(
            f"""
            SELECT t.source_id, s.host, t.fail_count, {DUE_SINCE} AS since
            FROM source_stats t JOIN sources s ON s.id = t.source_id
            WHERE t.lease_until IS NULL AND t.next_due_at <= :now
              AND (t.schedule_mode = 'smart' OR t.next_due_at < :now)
              AND (t.backoff_until IS NULL OR t.backoff_until <= :now)
              AND s.is_active = 1 AND s.is_deleted = 0
            ORDER BY t.next_due_at
            LIMIT {_candidates(order)} {dialect.skip_locked}
            """,  # noqa: S608 -- our own constant, and a number
            {"now": seconds(order.now)},
        )
    )


def _spread_over_hosts(
    candidates: list[Row], order: Order
) -> Steps[tuple[list[SourceId], dict[SourceId, float]]]:
    """Choose so that no host is asked more than *per_host* at once, nor while it cools down.

    Sources that failed last time share *failing* places. What must wait its turn gets a date of
    its own, so that it neither blocks the head of the queue nor comes back as a burst. Whoever
    waits longest is first when the turn comes: nobody waits for ever behind those with shorter
    intervals.
    """
    in_flight, failing = yield from _in_flight(order.worker)
    cooling = yield from _cooling_hosts(order.now)
    chosen: list[SourceId] = []
    surplus: dict[SourceId, float] = {}
    waiting: Counter[str] = Counter()
    for row in sorted(candidates, key=itemgetter("since")):
        source_id, host = SourceId(row["source_id"]), str(row["host"])
        has_failed = bool(row["fail_count"])
        if host in cooling or (host and in_flight[host] >= order.per_host):
            waiting[host] += 1
            start = cooling.get(host, seconds(order.now))
            surplus[source_id] = start + _place(waiting[host], row["since"], order)
        elif has_failed and failing >= order.failing:
            surplus[source_id] = seconds(order.now + FAILING_WAIT)
        elif len(chosen) < order.limit:
            in_flight[host] += 1
            failing += has_failed
            chosen.append(source_id)
    return chosen, surplus


def _place(number: int, since: float, order: Order) -> float:
    """How many seconds behind the first the *number*th in a host's queue may come.

    Most are looked at one by one and each is its queue's first: among them, too, whoever has waited
    longer must be ahead.
    """
    waited = max(0.0, seconds(order.now) - since)
    ahead = waited / (waited + PATIENT.total_seconds()) / 2
    return (number - ahead) * order.spacing.total_seconds()


def _in_flight(worker: str) -> Steps[tuple[Counter[str], int]]:
    """How many sources of each host are looked at now, and how many of ours failed last time."""
    rows = yield Statement(
        """
        SELECT s.host, count(*) AS n,
            sum(CASE WHEN t.leased_by = :worker AND t.fail_count > 0 THEN 1 ELSE 0 END) AS failing
        FROM source_stats t JOIN sources s ON s.id = t.source_id
        WHERE t.lease_until IS NOT NULL GROUP BY s.host
        """,
        {"worker": worker},
    )
    hosts = Counter({str(row["host"]): int(row["n"]) for row in rows})
    return hosts, sum(int(row["failing"]) for row in rows)


def _cooling_hosts(now: datetime) -> Steps[dict[str, float]]:
    """Until when each host rests; one that would rest for longer than any may is damage (F15)."""
    rows = yield Statement(
        "SELECT host, until FROM host_cooldowns WHERE until > :now AND until < :longest",
        {"now": seconds(now), "longest": seconds(now + LONGEST_REST + CLOCKS_DIFFER)},
    )
    return {str(row["host"]): float(row["until"]) for row in rows}


def _postpone(surplus: dict[SourceId, float], now: datetime) -> Steps[None]:
    """Give each a date of its own; `updated_at` tells `mend_dates` by which clock (F15)."""
    for source_id, at in surplus.items():
        yield Statement(
            f"""
            UPDATE source_stats SET waiting_since = {DUE_SINCE}, next_due_at = :at,
                because = 'waiting for its turn', updated_at = :now
            WHERE source_id = :id
            """,  # noqa: S608 -- our own constant
            {"at": at, "now": seconds(now), "id": source_id},
        )


def _take(dialect: Dialect, chosen: list[SourceId], order: Order) -> Steps[list[Claim]]:
    if not chosen:
        return []
    names, params = _in_list(chosen)
    rows = yield Statement(
        f"""
        UPDATE source_stats SET
            claim = claim + 1, leased_by = :worker, lease_until = {dialect.now} + :lease
        WHERE source_id IN ({names}) AND lease_until IS NULL
        RETURNING source_id, claim, {DUE_SINCE} AS due_since, frequency_type, cadence,
            avg_publish_hour, std_publish_hour, last_article_at, check_count, hit_count, fail_count,
            is_stale, forecast
        """,  # noqa: S608 -- the fragments are our own constants and parameter names
        {"worker": order.worker, "lease": order.lease.total_seconds(), **params},
    )
    held = {int(row["source_id"]): row for row in rows}
    sources = yield Statement(
        f"SELECT {COLUMNS} FROM sources s WHERE s.id IN ({names})",  # noqa: S608
        params,
    )
    by_id = {int(row["id"]): to_source(row) for row in sources}
    return [_to_claim(by_id[id_], held[id_]) for id_ in chosen if id_ in held]


def _release(claim: Claim) -> Steps[None]:
    rows = yield Statement(
        """
        UPDATE source_stats SET lease_until = NULL, leased_by = NULL
        WHERE source_id = :id AND claim = :claim RETURNING source_id
        """,
        {"id": claim.source.id, "claim": claim.number},
    )
    if not rows:
        raise LeaseLostError(f"source {claim.source.id} was claimed anew")


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
        avg_publish_hour=row["avg_publish_hour"],
        std_publish_hour=row["std_publish_hour"],
        last_article_at=moment_or_none(row["last_article_at"]),
        check_count=row["check_count"],
        hit_count=row["hit_count"],
        fail_count=row["fail_count"],
        is_stale=bool(row["is_stale"]),
        forecast=row["forecast"],
    )


def _in_list(ids: Iterable[SourceId]) -> tuple[str, dict[str, SqlValue]]:
    """Bound parameters for an `IN (...)`: the same text on both databases."""
    params: dict[str, SqlValue] = {f"id{place}": id_ for place, id_ in enumerate(ids)}
    return ", ".join(f":{name}" for name in params), params
