"""The queue of readers: whose edition of which type is to be made when."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from clawfeed.domain.editions.edition import EditionTask, NewTask
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.editions.edition_scope import DEFAULT_TYPES, LONGEST_WAIT, ReaderScope
from clawfeed.domain.ids import UserId
from clawfeed.storage.database import Database, Statement, Steps, execute
from clawfeed.storage.editions.edition_scopes import save_scope
from clawfeed.storage.editions.editions import get_or_add_task
from clawfeed.storage.timestamps import moment, seconds

# Who follows nothing stays in the queue and waits for nothing.
_WAITING_READER = """
e.is_wanted = 1 AND u.disabled_at IS NULL
AND EXISTS (SELECT 1 FROM user_subscriptions f WHERE f.user_id = e.user_id)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class DueReader:
    """A reader whose edition of this type is to be made."""

    id: UserId
    type: EditionType


class ReaderQueue:
    """Who is due, and when they come again. Their scopes are `ReaderScopes`' business."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def welcome(self, *, now: datetime) -> int:
        """Put into the queue who follows something and is not in it yet; how many are new.

        Who has a date of a clock that ran ahead is due now: they would wait for that day (F15).
        """
        return await self._db.run(lambda: _welcome(now))

    async def due(self, *, now: datetime, limit: int) -> list[DueReader]:
        """Whose time has come, the longest overdue first."""
        rows = await self._db.read(
            f"""
            SELECT e.user_id, e.type FROM reader_editions e JOIN users u ON u.id = e.user_id
            WHERE e.next_due_at <= :now AND {_WAITING_READER}
            ORDER BY e.next_due_at, e.user_id, e.type LIMIT :limit
            """,  # noqa: S608 -- our own constant
            {"now": seconds(now), "limit": limit},
        )
        return [DueReader(id=UserId(r["user_id"]), type=EditionType(r["type"])) for r in rows]

    async def next_due(self) -> datetime | None:
        """When the next reader's time comes; None if there is nobody.

        For who is not in the queue yet it came when they began to follow something.
        """
        rows = await self._db.read(
            f"""
            SELECT (SELECT e.next_due_at FROM reader_editions e JOIN users u ON u.id = e.user_id
                    WHERE {_WAITING_READER} ORDER BY e.next_due_at LIMIT 1) AS queued,
                (SELECT max(f.created_at) FROM users u
                    JOIN user_subscriptions f ON f.user_id = u.id
                    WHERE u.disabled_at IS NULL AND NOT EXISTS (
                        SELECT 1 FROM reader_editions e WHERE e.user_id = u.id AND e.type = :type
                    )) AS new
            """,  # noqa: S608 -- our own constant
            {"type": DEFAULT_TYPES[0]},
        )
        found = [at for at in (rows[0]["queued"], rows[0]["new"]) if at is not None]
        return moment(min(found)) if found else None

    async def postpone(self, reader: DueReader, until: datetime) -> None:
        await self._db.run(lambda: _set_due(reader, until))

    async def want(self, reader: DueReader, at: datetime) -> None:
        """Date their next edition *at*, unless it comes earlier; who wants none of it gets none."""
        await execute(
            self._db,
            """
            INSERT INTO reader_editions (user_id, type, is_wanted, next_due_at)
            VALUES (:user, :type, 1, :at)
            ON CONFLICT (user_id, type) DO UPDATE SET next_due_at = :at
                WHERE reader_editions.next_due_at > :at
            """,
            {"user": reader.id, "type": reader.type, "at": seconds(at)},
        )

    async def enrol(
        self,
        reader: DueReader,
        scope: ReaderScope,
        new: NewTask,
        *,
        next_due_at: datetime,
        now: datetime,
    ) -> EditionTask:
        """Give *reader* the edition *new* of *scope*, made by now or not, and date their next one.

        However many do it at once, there is one task (I6).
        """
        return await self._db.run(lambda: _enrol(reader, scope, new, next_due_at, now))


def _welcome(now: datetime) -> Steps[int]:
    for each, longest in LONGEST_WAIT.items():
        yield Statement(
            "UPDATE reader_editions SET next_due_at = :now "
            "WHERE type = :type AND is_wanted = 1 AND next_due_at > :latest",
            {"type": each, "now": seconds(now), "latest": seconds(now + longest)},
        )
    found = 0
    for kind in DEFAULT_TYPES:
        rows = yield Statement(
            """
            INSERT INTO reader_editions (user_id, type, is_wanted, next_due_at)
            SELECT u.id, :type, 1, :now FROM users u
            WHERE u.disabled_at IS NULL
              AND EXISTS (SELECT 1 FROM user_subscriptions s WHERE s.user_id = u.id)
              AND NOT EXISTS (
                SELECT 1 FROM reader_editions e WHERE e.user_id = u.id AND e.type = :type
            )
            ON CONFLICT DO NOTHING RETURNING user_id
            """,
            {"type": kind, "now": seconds(now)},
        )
        found += len(rows)
    return found


def _set_due(reader: DueReader, at: datetime) -> Steps[None]:
    yield Statement(
        "UPDATE reader_editions SET next_due_at = :at WHERE user_id = :user AND type = :type",
        {"at": seconds(at), "user": reader.id, "type": reader.type},
    )


def _enrol(
    reader: DueReader, scope: ReaderScope, new: NewTask, next_due_at: datetime, now: datetime
) -> Steps[EditionTask]:
    yield from save_scope(reader.id, scope, now)
    task = yield from get_or_add_task(new, now)
    yield Statement(
        "INSERT INTO edition_readers (task_id, user_id) VALUES (:task, :user) "
        "ON CONFLICT DO NOTHING",
        {"task": task.id, "user": reader.id},
    )
    yield from _set_due(reader, next_due_at)
    return task
