"""Whom an edition is made for, and which editions were made for somebody."""

from __future__ import annotations

from datetime import datetime

from clawfeed.domain.editions.edition import EditionTask
from clawfeed.domain.ids import TaskId, UserId
from clawfeed.storage.database import Database
from clawfeed.storage.editions.editions import to_task
from clawfeed.storage.timestamps import seconds


async def readers_of(database: Database, task: TaskId) -> list[UserId]:
    rows = await database.read(
        "SELECT user_id FROM edition_readers WHERE task_id = :task ORDER BY user_id",
        {"task": task},
    )
    return [UserId(row["user_id"]) for row in rows]


async def todays_task(
    database: Database, reader: UserId, *, since: datetime, now: datetime
) -> EditionTask | None:
    """The daily edition *reader* got last, if it was due since then; none of a clock ahead."""
    rows = await database.read(
        """
        SELECT t.* FROM edition_readers r JOIN edition_tasks t ON t.id = r.task_id
        WHERE r.user_id = :user AND t.type = 'daily' AND t.due_at > :since AND t.due_at <= :now
        ORDER BY t.due_at DESC, t.id DESC LIMIT 1
        """,
        {"user": reader, "since": seconds(since), "now": seconds(now)},
    )
    return to_task(rows[0]) if rows else None


async def begun_for(database: Database, reader: UserId, *, since: datetime) -> int:
    """How many editions were begun for *reader* since then."""
    [row] = await database.read(
        "SELECT count(*) AS n FROM edition_readers r JOIN edition_tasks t ON t.id = r.task_id "
        "WHERE r.user_id = :user AND t.created_at >= :since",
        {"user": reader, "since": seconds(since)},
    )
    return int(row["n"])
