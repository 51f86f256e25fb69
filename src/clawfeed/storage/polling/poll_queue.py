"""The due table is the queue: claim a source, poll it, finish. Two crossings per poll."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from clawfeed.domain.because import Because, Rule, to_text
from clawfeed.domain.errors import NotFoundError
from clawfeed.domain.ids import SourceId
from clawfeed.domain.polling.slot_fairness import PollCost, SlotsHeld, kind_of
from clawfeed.domain.schedule.schedule import Rhythm
from clawfeed.domain.sources.source import Source
from clawfeed.domain.sources.type_facts import KnownTypes, TypeFacts
from clawfeed.storage.database import (
    Database,
    Dialect,
    Row,
    SqlValue,
    Statement,
    Steps,
)
from clawfeed.storage.leases import (
    RELEASED,
    Held,
    Holder,
    fenced,
    release,
    take,
    take_back_from,
    take_back_lapsed,
)
from clawfeed.storage.polling.collector_heartbeats import end_heartbeats, save_heartbeat
from clawfeed.storage.polling.due_date_repair import mend_dates
from clawfeed.storage.polling.host_queue import (
    DUE_SINCE,
    SOURCES,
    ChosenSources,
    ClaimRequest,
    due_candidates,
    most_candidates,
    postpone,
    spread_over_hosts,
)
from clawfeed.storage.polling.host_visits import note_visits
from clawfeed.storage.polling.learned_rhythms import RHYTHM, to_rhythm
from clawfeed.storage.polling.next_wakeups import next_due_at, next_turn_at
from clawfeed.storage.polling.queue_overview import (
    QueueOverview,
    QueueSurroundings,
    queue_overview,
    queue_surroundings,
)
from clawfeed.storage.sources.first_stats import FirstDate, make_rows
from clawfeed.storage.sources.sources import COLUMNS, to_source
from clawfeed.storage.sql_lists import in_list
from clawfeed.storage.timestamps import duration, moment_or_none, seconds, seconds_or_none


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """Our right to poll one source, until the lease ends or someone claims it anew.

    *number* fences off late results: a finish with an older number changes nothing.
    """

    source: Source
    number: int
    planned_at: datetime | None  # when it was due; None the first time
    rhythm: Rhythm
    took: timedelta = timedelta(0)  # how long its last poll kept a slot
    # How long to leave its host alone first: another collector may have asked it just now.
    hold_off: timedelta = timedelta(0)

    @property
    def kind(self) -> PollCost:
        rhythm = self.rhythm
        return kind_of(failures=rhythm.fail_count, polls=rhythm.check_count, took=self.took)

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

    async def put_off(self, claim: Claim, *, now: datetime, wait: timedelta) -> None:
        """Give a source back that could not be asked: it comes later, and keeps its place."""
        changes = (
            f"waiting_since = {DUE_SINCE}, next_due_at = :at, because = :because, "
            f"updated_at = :now, {RELEASED}"
        )
        because = to_text(Because(Rule.OFFLINE))
        params: dict[str, SqlValue] = {
            "at": seconds(now + wait),
            "because": because,
            "now": seconds(now),
        }

        def steps() -> Steps[None]:
            yield fenced(SOURCES, claim.held, changes, params)

        await self._db.run(steps)

    async def overview(self, now: datetime) -> QueueOverview:
        """Who waits, who holds and which hosts rest, in one read."""
        return await queue_overview(self._db, now)

    async def surroundings(self, now: datetime) -> QueueSurroundings:
        """Who holds, which hosts rest and which intervals count: without a look at the queue."""
        return await queue_surroundings(self._db, now)

    async def take_back(self, workers: Sequence[str]) -> int:
        """Free at once what these workers hold, and say how much; they are alive no more."""
        return await self._db.run(lambda: _without(workers))

    async def mend_dates(self, *, now: datetime) -> int:
        """See `mend_dates`."""
        return await mend_dates(self._db, now=now)

    async def next_due_at(self, without: frozenset[PollCost] = frozenset()) -> datetime | None:
        """See `next_due_at`."""
        return await next_due_at(self._db, without)

    async def next_turn_at(self, now: datetime, *, within: timedelta) -> datetime | None:
        """See `next_turn_at`."""
        return await next_turn_at(self._db, now, within=within)

    def _claim(self, order: ClaimRequest) -> Steps[list[Claim]]:
        yield from take_back_lapsed(SOURCES, self._db.dialect)
        yield from self._plan_new_sources(order)
        if order.owes is not None:
            yield from save_heartbeat(order.worker, now=order.now, owes=order.owes)
        claims: list[Claim] = []
        while True:
            chosen = yield from self._choose(order)
            claims += yield from _take(self._db.dialect, chosen.ids, order)
            if len(chosen.ids) == order.limit or not chosen.full:
                return (yield from self._with_distance(claims, order))
            # A crowd without room may have hidden others behind it.
            order = _for_the_rest(order, chosen)

    def _choose(self, order: ClaimRequest) -> Steps[ChosenSources]:
        candidates = yield from due_candidates(self._db.dialect, order)
        chosen = yield from spread_over_hosts(candidates, order, self._db.dialect)
        yield from postpone(chosen.surplus, order.now)
        return chosen

    def _with_distance(self, claims: list[Claim], order: ClaimRequest) -> Steps[list[Claim]]:
        """The same claims; who follows another collector to a host keeps the gap to it."""
        hosts = {claim.source.host for claim in claims if claim.source.host}
        if not order.spacing or not hosts:
            return claims
        followed = yield from note_visits(
            hosts, self._db.dialect, worker=order.worker, now=order.now, lease=order.lease
        )
        return [
            replace(claim, hold_off=order.spacing) if claim.source.host in followed else claim
            for claim in claims
        ]

    def _claim_one(self, source_id: SourceId, order: ClaimRequest) -> Steps[Claim | None]:
        yield from take_back_lapsed(SOURCES, self._db.dialect)
        claims = yield from _take(self._db.dialect, [source_id], order)
        if not claims:
            yield from self._make_known_row(source_id, order.now)
            claims = yield from _take(self._db.dialect, [source_id], order)
        claims = yield from self._with_distance(claims, order)
        return claims[0] if claims else None

    def _make_known_row(self, source_id: SourceId, now: datetime) -> Steps[None]:
        """A row to claim for one that was never polled; `NotFoundError` if there is no source."""
        rows = yield Statement(
            f"SELECT {COLUMNS} FROM sources s WHERE s.id = :id AND s.is_deleted = 0",  # noqa: S608
            {"id": source_id},
        )
        if not rows:
            raise NotFoundError(f"there is no source {source_id}")
        yield from _make_stats_rows([to_source(row) for row in rows], self._types, now)

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


def _without(workers: Sequence[str]) -> Steps[int]:
    yield from end_heartbeats(workers)
    return (yield from take_back_from(SOURCES, workers))


def _for_the_rest(order: ClaimRequest, chosen: ChosenSources) -> ClaimRequest:
    """The same request for the slots that are left, without the kinds that are full."""
    kinds = Counter(order.held.kinds) + chosen.kinds
    return replace(
        order,
        limit=order.limit - len(chosen.ids),
        held=SlotsHeld(kinds=kinds, owners=order.held.owners),
        without=order.without | chosen.full,
    )


def _make_stats_rows(
    sources: list[Source], types: KnownTypes[TypeFacts], now: datetime
) -> Steps[None]:
    dates = [
        FirstDate(
            source.id, types.facts(source.type), seconds_or_none(source.last_fetched_at) or 0.0
        )
        for source in sources
    ]
    yield from make_rows(dates, now=now)


_CLAIMED = f"{DUE_SINCE} AS due_since, {RHYTHM}, poll_seconds"


def _take(dialect: Dialect, chosen: list[SourceId], order: ClaimRequest) -> Steps[list[Claim]]:
    if not chosen:
        return []
    holder = Holder(worker=order.worker, lease=order.lease)
    held = yield from take(SOURCES, dialect, holder, chosen, returning=_CLAIMED)
    names, params = in_list(chosen)
    sources = yield Statement(
        f"SELECT {COLUMNS} FROM sources s WHERE s.id IN ({names}) AND s.is_deleted = 0",  # noqa: S608
        params,
    )
    by_id = {int(row["id"]): to_source(row) for row in sources}
    return [_to_claim(by_id[id_], held[id_]) for id_ in chosen if id_ in held and id_ in by_id]


def _to_claim(source: Source, row: Row) -> Claim:
    return Claim(
        source=source,
        number=int(row["claim"]),
        planned_at=moment_or_none(row["due_since"] or None),
        rhythm=to_rhythm(row),
        took=duration(row["poll_seconds"]),
    )
