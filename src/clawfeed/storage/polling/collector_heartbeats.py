"""Each collector's last heartbeat (S000-22): who is alive, and whether somebody should be.

A heartbeat is written within the claim that happens anyway, and says until when the next one is
owed. A collector that hangs, is frozen or died owes it in vain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from clawfeed.storage.database import Database, Statement, Steps, execute
from clawfeed.storage.polling.host_queue import DUE, NEVER_PLANNED, OF_ROW, QUEUE
from clawfeed.storage.sql_lists import in_list
from clawfeed.storage.timestamps import CLOCKS_DIFFER, moment, moment_or_none, seconds

# A busy collector claims many times a second; it need not be written down each time.
HEARTBEAT_EVERY = timedelta(seconds=10)
# Those that ended are shown for a while: who was it that went away?
HEARTBEATS_KEPT = timedelta(days=1)
# How long somebody may have been due before it is strange that nobody comes.
GRACE = timedelta(minutes=5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Heartbeat:
    worker: str
    started_at: datetime
    seen_at: datetime
    is_alive: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectorLiveness:
    """Who collects, and for how long the one that has waited longest has been due."""

    collectors: tuple[Heartbeat, ...]
    due_since: datetime | None  # None if nobody is due

    @property
    def alive(self) -> int:
        return sum(each.is_alive for each in self.collectors)

    @property
    def seen_at(self) -> datetime | None:
        """The last heartbeat of any collector."""
        return max((each.seen_at for each in self.collectors), default=None)

    def is_missed(self, now: datetime) -> bool:
        """Whether no collector is alive though somebody has been due for longer than `GRACE`."""
        return not self.alive and self.due_since is not None and now - self.due_since > GRACE


def save_heartbeat(worker: str, *, now: datetime, owes: timedelta) -> Steps[None]:
    """Write down that *worker* is alive and will be seen again within *owes*."""
    yield Statement(
        """
        INSERT INTO collector_heartbeats (worker, started_at, seen_at, expected_by)
        VALUES (:worker, :now, :now, :by)
        ON CONFLICT (worker) DO UPDATE SET
            seen_at = excluded.seen_at, expected_by = excluded.expected_by
        WHERE collector_heartbeats.seen_at NOT BETWEEN :lately AND :now
        """,
        {
            "worker": worker,
            "now": seconds(now),
            "by": seconds(now + owes),
            "lately": seconds(now - HEARTBEAT_EVERY),
        },
    )


def end_heartbeats(workers: Sequence[str]) -> Steps[None]:
    """These *workers* are known to have ended: nobody waits for a heartbeat of theirs."""
    names, params = in_list(workers)
    yield Statement(
        f"UPDATE collector_heartbeats SET expected_by = 0 WHERE worker IN ({names})",  # noqa: S608
        params,
    )


async def collector_liveness(database: Database, now: datetime) -> CollectorLiveness:
    """One read, and a quick one: probes ask for it all day."""
    rows = await database.read(
        f"""
        SELECT worker, started_at, seen_at, expected_by FROM collector_heartbeats
        UNION ALL
        SELECT '', NULL, min(since), NULL FROM (
            SELECT min(CASE WHEN t.next_due_at > 0 THEN t.next_due_at ELSE s.created_at END)
                AS since
            FROM {QUEUE} WHERE {OF_ROW} AND {DUE}
            UNION ALL
            SELECT min(s.created_at) FROM sources s WHERE {NEVER_PLANNED}
        ) AS due
        """,  # noqa: S608 -- our own constant
        {"now": seconds(now)},
    )
    latest = seconds(now + CLOCKS_DIFFER)
    collectors = [
        Heartbeat(
            worker=str(row["worker"]),
            started_at=moment(row["started_at"]),
            seen_at=moment(row["seen_at"]),
            # A heartbeat from the future is of a clock that was set back: it proves nothing (F15).
            is_alive=row["expected_by"] >= seconds(now) and row["seen_at"] <= latest,
        )
        for row in rows
        if row["worker"]
    ]
    [due] = [row["seen_at"] for row in rows if not row["worker"]]
    return CollectorLiveness(
        collectors=tuple(sorted(collectors, key=lambda heartbeat: heartbeat.seen_at, reverse=True)),
        due_since=moment_or_none(due),
    )


async def remove_old_heartbeats(database: Database, *, now: datetime) -> None:
    """Forget collectors that ended long ago, and those of a lost future."""
    await execute(
        database,
        "DELETE FROM collector_heartbeats WHERE seen_at NOT BETWEEN :earliest AND :latest",
        {"earliest": seconds(now - HEARTBEATS_KEPT), "latest": seconds(now + CLOCKS_DIFFER)},
    )
