"""Who of those that are due may be polled now, so that no host sees a burst of us (S001-10).

What must wait for its host keeps its place: whoever waits longest is first when the turn comes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from operator import itemgetter

from clawfeed.domain.because import Because, Rule, to_text
from clawfeed.domain.ids import SourceId
from clawfeed.domain.polling.slot_fairness import (
    DUE_HORIZON,
    SLOW_AFTER,
    PollCost,
    SlotsHeld,
    has_room,
    in_turn,
    kind_of,
)
from clawfeed.storage.database import Dialect, Row, Statement, Steps
from clawfeed.storage.leases import FREE, LeasedTable
from clawfeed.storage.polling.host_cooldowns import resting_hosts
from clawfeed.storage.polling.host_visits import visitors_of
from clawfeed.storage.timestamps import duration, seconds

# The queue's rows, and their order: `due_candidates` also asks who is active, and at which host.
SOURCES = LeasedTable(table="source_stats", key="source_id", noun="source")
# Candidates read per free slot, so that one host's crowd does not fill every slot.
CANDIDATES_PER_SLOT = 4
# Who has waited this long is a quarter of a spacing ahead of one that has just come due.
PATIENCE_UNIT = timedelta(hours=1)
# When a source was due by its own schedule, whatever date its host's queue gave it since. A null,
# and the text of a damaged row, is never the smaller of the two.
DUE_SINCE = "CASE WHEN waiting_since < next_due_at THEN waiting_since ELSE next_due_at END"
WAITING = to_text(Because(Rule.HOST_TURN))
# The queue with its sources, in this order: CROSS JOIN keeps SQLite from beginning with `sources`.
# After an ANALYZE it read and sorted all of them instead, 75 ms of every tick at 100,000.
QUEUE = "source_stats t CROSS JOIN sources s"
OF_ROW = "s.id = t.source_id"
# Over `source_stats t`: nothing that failed lately keeps it at rest.
NOT_RESTING = "(t.backoff_until IS NULL OR t.backoff_until <= :now)"
# Who may be claimed, over `source_stats t` and `sources s`: due, free, not resting, not paused.
DUE = f"""
    t.{FREE} AND t.next_due_at <= :now
    AND (t.schedule_mode = 'smart' OR t.next_due_at < :now)
    AND {NOT_RESTING}
    AND s.is_active = 1 AND s.is_deleted = 0
"""
# Who is due because nobody ever came, over `sources s` alone: it gets its row with its first claim.
NEVER_PLANNED = (
    "s.has_stats = 0 AND s.is_active = 1 AND s.is_deleted = 0 AND s.last_fetched_at IS NULL"
)
# `kind_of` in SQL: to leave out the kinds that have no room, and to ask for the proven ones.
_SLOW = f"t.poll_seconds >= {SLOW_AFTER.total_seconds():g}"
IS_KIND = {
    PollCost.FAILING: "t.fail_count > 0",
    PollCost.UNTRIED: "t.fail_count = 0 AND t.check_count = 0",
    PollCost.SLOW: f"t.fail_count = 0 AND t.check_count > 0 AND {_SLOW}",
    PollCost.PROVEN: f"t.fail_count = 0 AND t.check_count > 0 AND NOT ({_SLOW})",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimRequest:
    """How a collector claims: how many, for how long, and how gently with each host."""

    now: datetime
    limit: int
    lease: timedelta
    worker: str
    per_host: int = 2
    # The least time between two requests at a host, and how far apart the surplus of one host is
    # put when too many of its sources are due at once.
    spacing: timedelta = timedelta(seconds=1)
    # All slots of this collector, and who holds some: long polls must not fill every one (I9).
    slots: int = 1_000_000
    held: SlotsHeld = field(default_factory=SlotsHeld)
    without: frozenset[PollCost] = frozenset()  # kinds that are known to have no room
    # Within which time this collector will be seen again; None leaves no heartbeat.
    owes: timedelta | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenSources:
    """Who is polled now. *surplus* waits for its host until then; *full* kinds found no room."""

    ids: list[SourceId] = field(default_factory=list)
    kinds: Counter[PollCost] = field(default_factory=Counter)
    surplus: dict[SourceId, float] = field(default_factory=dict)
    full: frozenset[PollCost] = frozenset()


def most_candidates(order: ClaimRequest) -> int:
    """How many to read, in powers of two: few texts, each prepared once.

    SQLite prepares a statement anew whenever a bound LIMIT changes.
    """
    return 1 << (order.limit * CANDIDATES_PER_SLOT - 1).bit_length()


def not_of(kinds: Iterable[PollCost]) -> str:
    """A condition on `t` that leaves these kinds out."""
    return "".join(f" AND NOT ({IS_KIND[kind]})" for kind in sorted(kinds))


def due_candidates(dialect: Dialect, order: ClaimRequest) -> Steps[list[Row]]:
    """Some of those that are due and free, by their dates."""
    return (
        yield Statement(
            f"""
            SELECT t.source_id, s.host, s.created_by, t.fail_count, t.check_count, t.poll_seconds,
                {DUE_SINCE} AS since
            FROM {QUEUE}
            WHERE {OF_ROW} AND {DUE}{not_of(order.without)}
            ORDER BY t.next_due_at
            LIMIT {most_candidates(order)} {dialect.skip_locked}
            """,  # noqa: S608 -- our own constants, and a number
            {"now": seconds(order.now)},
        )
    )


def spread_over_hosts(
    candidates: list[Row], order: ClaimRequest, dialect: Dialect
) -> Steps[ChosenSources]:
    """Choose so that no host is asked more than *per_host* at once, nor while it cools down.

    A kind of which enough are polled waits for one of them to land, and owners take turns
    (`slot_fairness`). What must wait for its host gets a date of its own, so that it neither blocks
    the head of the queue nor comes back as a burst. Whoever waits longest is first when the turn
    comes: nobody waits for ever behind those with shorter intervals.
    """
    if not candidates:
        return ChosenSources()
    asked = {str(row["host"]) for row in candidates} - {""}
    visitors = yield from visitors_of(
        asked, dialect, worker=order.worker, alone=bool(order.spacing), most=order.per_host
    )
    resting = yield from resting_hosts(order.now)
    is_needed = yield from _is_needed(candidates, order)
    chosen: list[SourceId] = []
    surplus: dict[SourceId, float] = {}
    waiting: Counter[str] = Counter()
    kinds: Counter[PollCost] = Counter(order.held.kinds)
    full: set[PollCost] = set()
    by_age = sorted(candidates, key=itemgetter("since"))
    for row in in_turn([(row["created_by"], row) for row in by_age], order.held.owners):
        source_id, host, kind = SourceId(row["source_id"]), str(row["host"]), _kind(row)
        if host in resting or (host and visitors[host] >= order.per_host):
            waiting[host] += 1
            start = resting.get(host, seconds(order.now))
            surplus[source_id] = start + _place(waiting[host], row["since"], order)
        elif not has_room(kind, kinds, order.slots, is_needed=is_needed):
            full.add(kind)
        elif len(chosen) < order.limit:
            visitors[host] += 1
            kinds[kind] += 1
            chosen.append(source_id)
    kinds.subtract(order.held.kinds)
    return ChosenSources(ids=chosen, kinds=kinds, surplus=surplus, full=frozenset(full))


def _kind(row: Row) -> PollCost:
    took = duration(row["poll_seconds"])
    return kind_of(failures=row["fail_count"], polls=row["check_count"], took=took)


def _is_needed(candidates: list[Row], order: ClaimRequest) -> Steps[bool]:
    """Whether a proven source is due now or soon; asked only where the answer matters."""
    kinds = {_kind(row) for row in candidates}
    if PollCost.PROVEN in kinds or not kinds & {PollCost.SLOW, PollCost.UNTRIED}:
        return True
    rows = yield Statement(
        f"""
        SELECT 1 FROM {QUEUE}
        WHERE {OF_ROW} AND t.{FREE} AND t.next_due_at <= :now
          AND {NOT_RESTING}
          AND s.is_active = 1 AND s.is_deleted = 0 AND {IS_KIND[PollCost.PROVEN]}
        LIMIT 1
        """,  # noqa: S608 -- our own constant
        {"now": seconds(order.now + DUE_HORIZON)},
    )
    return bool(rows)


def _place(number: int, since: float, order: ClaimRequest) -> float:
    """How many seconds behind the first the *number*th in a host's queue may come.

    Most are polled one by one and each is its queue's first: among them, too, whoever has waited
    longer must be ahead.
    """
    waited = max(0.0, seconds(order.now) - since)
    ahead = waited / (waited + PATIENCE_UNIT.total_seconds()) / 2
    return (number - ahead) * order.spacing.total_seconds()


def postpone(surplus: dict[SourceId, float], now: datetime) -> Steps[None]:
    """Give each a date of its own; `updated_at` tells `mend_dates` by which clock (F15)."""
    for source_id, at in surplus.items():
        yield Statement(
            f"""
            UPDATE source_stats SET waiting_since = {DUE_SINCE}, next_due_at = :at,
                because = :because, updated_at = :now
            WHERE source_id = :id
            """,  # noqa: S608 -- our own constant
            {"at": at, "because": WAITING, "now": seconds(now), "id": source_id},
        )
