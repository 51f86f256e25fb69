"""Who of those that are due may be polled now, so that no host sees a burst of us (S001-10).

What must wait for its host keeps its place: whoever waits longest is first when the turn comes.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime, timedelta
from operator import itemgetter

from clawfeed.domain.because import Because, Rule, to_text
from clawfeed.domain.ids import SourceId
from clawfeed.storage.database import Dialect, Row, SqlValue, Statement, Steps
from clawfeed.storage.timestamps import seconds

# Candidates read per free slot, so that one host's crowd does not fill every slot.
CANDIDATES_PER_SLOT = 4
# Machines that share a database do not agree to the second; this much is normal.
CLOCKS_DIFFER = timedelta(minutes=5)
# Nobody is sent to rest for longer (domain/backoff.py, egress/retry_after.py).
LONGEST_REST = timedelta(hours=24)
# When sources that failed last time find their places taken, they ask again after this.
FAILING_WAIT = timedelta(seconds=5)
# Who has waited this long is a quarter of a spacing ahead of one that has just come due.
PATIENCE_UNIT = timedelta(hours=1)
# When a source was due by its own schedule, whatever date its host's queue gave it since. A null,
# and the text of a damaged row, is never the smaller of the two.
DUE_SINCE = "CASE WHEN waiting_since < next_due_at THEN waiting_since ELSE next_due_at END"
WAITING = to_text(Because(Rule.HOST_TURN))
# Who may be claimed, over `source_stats t` and `sources s`: due, free, not resting, not paused.
DUE = """
    t.lease_until IS NULL AND t.next_due_at <= :now
    AND (t.schedule_mode = 'smart' OR t.next_due_at < :now)
    AND (t.backoff_until IS NULL OR t.backoff_until <= :now)
    AND s.is_active = 1 AND s.is_deleted = 0
"""
# Who is due because nobody ever came, over `sources s` alone: it gets its row with its first claim.
NEVER_PLANNED = (
    "s.has_stats = 0 AND s.is_active = 1 AND s.is_deleted = 0 AND s.last_fetched_at IS NULL"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimRequest:
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
    # Within which time this collector will be seen again; None gives no sign of life.
    owes: timedelta | None = None


def most_candidates(order: ClaimRequest) -> int:
    """How many to read, in powers of two: few texts, each prepared once.

    SQLite prepares a statement anew whenever a bound LIMIT changes.
    """
    return 1 << (order.limit * CANDIDATES_PER_SLOT - 1).bit_length()


def due_candidates(dialect: Dialect, order: ClaimRequest) -> Steps[list[Row]]:
    """Some of those that are due and free, by their dates."""
    return (
        yield Statement(
            f"""
            SELECT t.source_id, s.host, t.fail_count, {DUE_SINCE} AS since
            FROM source_stats t JOIN sources s ON s.id = t.source_id
            WHERE {DUE}
            ORDER BY t.next_due_at
            LIMIT {most_candidates(order)} {dialect.skip_locked}
            """,  # noqa: S608 -- our own constant, and a number
            {"now": seconds(order.now)},
        )
    )


def spread_over_hosts(
    candidates: list[Row], order: ClaimRequest
) -> Steps[tuple[list[SourceId], dict[SourceId, float]]]:
    """Choose so that no host is asked more than *per_host* at once, nor while it cools down.

    Sources that failed last time share *failing* places. What must wait its turn gets a date of
    its own, so that it neither blocks the head of the queue nor comes back as a burst. Whoever
    waits longest is first when the turn comes: nobody waits for ever behind those with shorter
    intervals.
    """
    if not candidates:
        return [], {}
    in_flight, failing = yield from _in_flight(order.worker)
    resting = until_when((yield cooling(order.now)))
    chosen: list[SourceId] = []
    surplus: dict[SourceId, float] = {}
    waiting: Counter[str] = Counter()
    for row in sorted(candidates, key=itemgetter("since")):
        source_id, host = SourceId(row["source_id"]), str(row["host"])
        has_failed = bool(row["fail_count"])
        if host in resting or (host and in_flight[host] >= order.per_host):
            waiting[host] += 1
            start = resting.get(host, seconds(order.now))
            surplus[source_id] = start + _place(waiting[host], row["since"], order)
        elif has_failed and failing >= order.failing:
            surplus[source_id] = seconds(order.now + FAILING_WAIT)
        elif len(chosen) < order.limit:
            in_flight[host] += 1
            failing += has_failed
            chosen.append(source_id)
    return chosen, surplus


def _place(number: int, since: float, order: ClaimRequest) -> float:
    """How many seconds behind the first the *number*th in a host's queue may come.

    Most are polled one by one and each is its queue's first: among them, too, whoever has waited
    longer must be ahead.
    """
    waited = max(0.0, seconds(order.now) - since)
    ahead = waited / (waited + PATIENCE_UNIT.total_seconds()) / 2
    return (number - ahead) * order.spacing.total_seconds()


def _in_flight(worker: str) -> Steps[tuple[Counter[str], int]]:
    """How many sources of each host are polled now, and how many of ours failed last time."""
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


# A host that would rest for longer than any may is damage (F15).
RESTING = "until > :now AND until < :longest"


def resting_params(now: datetime) -> dict[str, SqlValue]:
    """The parameters of `RESTING`."""
    return {"now": seconds(now), "longest": seconds(now + LONGEST_REST + CLOCKS_DIFFER)}


def cooling(now: datetime) -> Statement:
    """Which hosts rest. A turn (`turns`) is a rest, too, for all but its holder."""
    return Statement(
        f"SELECT host, until FROM host_cooldowns WHERE {RESTING}",  # noqa: S608 -- our own constant
        resting_params(now),
    )


def until_when(rows: list[Row]) -> dict[str, float]:
    """Until when each host of `cooling` rests."""
    return {str(row["host"]): float(row["until"]) for row in rows}


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
