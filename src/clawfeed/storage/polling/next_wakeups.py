"""Until when a loop may sleep: the next date in the queue, and the next turn at a host."""

from __future__ import annotations

from datetime import datetime, timedelta

from clawfeed.domain.polling.slot_fairness import PollCost
from clawfeed.storage.database import Database
from clawfeed.storage.leases import FREE
from clawfeed.storage.polling.host_queue import NEVER_PLANNED, NOT_RESTING, OF_ROW, QUEUE, not_of
from clawfeed.storage.timestamps import moment_or_none, seconds


async def next_due_at(database: Database, without: frozenset[PollCost]) -> datetime | None:
    """When the next source is due that could be claimed, so that a loop can sleep until then.

    Not the least of all dates: a paused source may have one, and would keep the loop awake. So
    would one of a kind that has no room: it is *without* those.
    """
    rows = await database.read(
        f"""
        SELECT t.next_due_at AS at FROM {QUEUE}
        WHERE {OF_ROW} AND t.{FREE} AND t.next_due_at IS NOT NULL
          AND s.is_active = 1 AND s.is_deleted = 0{not_of(without)}
        ORDER BY t.next_due_at LIMIT 1
        """  # noqa: S608 -- our own constants
    )
    return moment_or_none(rows[0]["at"]) if rows else None


async def next_turn_at(database: Database, now: datetime, *, within: timedelta) -> datetime | None:
    """When the first of those gets its turn that are due already: now, if nobody hinders it.

    None if that takes longer than *within*: only the head of the queue is read.
    """
    rows = await database.read(
        f"""
        SELECT min(at) AS at FROM (
            SELECT * FROM (
                SELECT t.next_due_at AS at
                FROM {QUEUE}
                WHERE {OF_ROW} AND t.{FREE} AND t.next_due_at < :latest
                  AND (t.next_due_at < :now OR t.waiting_since IS NOT NULL)
                  AND {NOT_RESTING}
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
