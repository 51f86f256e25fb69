"""Editions in the making, as rows: made once, found by their key, their date or their id."""

from __future__ import annotations

from datetime import datetime

from clawfeed.domain.editions.edition import (
    ArchiveReason,
    EditionKind,
    EditionTask,
    NewTask,
    TaskState,
)
from clawfeed.domain.editions.edition_interventions import PersonTrigger
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.errors import NotFoundError
from clawfeed.domain.ids import TaskId
from clawfeed.storage.audit import Hand
from clawfeed.storage.bounds import LAST_DATE
from clawfeed.storage.database import Database, Row, SqlValue, Statement, Steps
from clawfeed.storage.editions.edition_audit import by_hand
from clawfeed.storage.editions.failure_columns import to_failure
from clawfeed.storage.timestamps import moment, moment_or_none, seconds

_KEY = "kind = :kind AND scope = :scope AND type = :type AND period = :period"


class EditionStore:
    """Tasks as they are. Who may work on one is `EditionClaims`' business."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def get_or_add(
        self, new: NewTask, *, now: datetime, hand: Hand | None = None
    ) -> EditionTask:
        """The task of this kind, scope, type and period, made if it is not there (I6).

        However many ask at once, one row is made and all get the same. If it was a person's *hand*
        that made it, that is written down with it.
        """
        return await self._db.run(lambda: get_or_add_task(new, now, hand))

    async def find(self, new: NewTask) -> EditionTask | None:
        """The task with the key of *new*, if there is one."""
        rows = await self._db.read(f"SELECT * FROM edition_tasks WHERE {_KEY}", _key(new))  # noqa: S608
        return to_task(rows[0]) if rows else None

    async def latest(self, new: NewTask, *, now: datetime) -> EditionTask | None:
        """The task of this kind, scope and type that was due last; none of a clock ahead (F15)."""
        rows = await self._db.read(
            """
            SELECT * FROM edition_tasks
            WHERE kind = :kind AND scope = :scope AND type = :type AND due_at <= :now
            ORDER BY due_at DESC, id DESC LIMIT 1
            """,
            {"kind": new.kind, "scope": new.scope, "type": new.type, "now": seconds(now)},
        )
        return to_task(rows[0]) if rows else None

    async def get(self, task: TaskId) -> EditionTask:
        rows = await self._db.read("SELECT * FROM edition_tasks WHERE id = :id", {"id": task})
        if not rows:
            raise NotFoundError(f"there is no edition task {task}")
        return to_task(rows[0])

    async def unfinished(self, *, now: datetime, limit: int) -> list[EditionTask]:
        """The tasks whose time has come and that are not over, held by somebody or not."""
        rows = await self._db.read(
            """
            SELECT * FROM edition_tasks
            WHERE state NOT IN ('published', 'archived') AND due_at <= :now
            ORDER BY due_at, id LIMIT :limit
            """,
            {"now": seconds(now), "limit": limit},
        )
        return [to_task(row) for row in rows]

    async def recent(
        self, *, limit: int, before: tuple[float, ...] | None = None
    ) -> list[EditionTask]:
        """Of every scope, the newest first. *before* are date and id of the last seen."""
        due_at, last = before or (LAST_DATE, 0)
        rows = await self._db.read(
            """
            SELECT * FROM edition_tasks WHERE (due_at, id) < (:due_at, :last)
            ORDER BY due_at DESC, id DESC LIMIT :limit
            """,
            {"limit": limit, "due_at": due_at, "last": int(last)},
        )
        return [to_task(row) for row in rows]


def get_or_add_task(new: NewTask, now: datetime, hand: Hand | None = None) -> Steps[EditionTask]:
    found = yield Statement(f"SELECT * FROM edition_tasks WHERE {_KEY}", _key(new))  # noqa: S608
    if found:
        return to_task(found[0])
    made = yield Statement(
        """
        INSERT INTO edition_tasks (kind, scope, type, period, covers_from, covers_until, due_at,
            expires_at, batch_size, language, zone, started_at, created_at, updated_at)
        VALUES (:kind, :scope, :type, :period, :covers_from, :covers_until, :due_at, :expires_at,
            :batch_size, :language, :zone, :now, :now, :now)
        ON CONFLICT (kind, scope, type, period) DO NOTHING RETURNING *
        """,
        {
            **_key(new),
            "covers_from": seconds(new.covers_from),
            "covers_until": seconds(new.covers_until),
            "due_at": seconds(new.due_at),
            "expires_at": seconds(new.expires_at),
            "batch_size": new.batch_size,
            "language": new.language,
            "zone": new.zone,
            "now": seconds(now),
        },
    )
    if made and hand:
        yield by_hand(hand, PersonTrigger.BEGIN, to_task(made[0]))
    if not made:  # somebody else's, of this very moment
        made = yield Statement(f"SELECT * FROM edition_tasks WHERE {_KEY}", _key(new))  # noqa: S608
    return to_task(made[0])


def _key(new: NewTask) -> dict[str, SqlValue]:
    return {"kind": new.kind, "scope": new.scope, "type": new.type, "period": new.period}


def to_task(row: Row) -> EditionTask:
    archived_from, because = row["archived_from"], row["archived_because"]
    return EditionTask(
        id=TaskId(row["id"]),
        kind=EditionKind(row["kind"]),
        scope=row["scope"],
        type=EditionType(row["type"]),
        period=row["period"],
        covers_from=moment(row["covers_from"]),
        covers_until=moment(row["covers_until"]),
        due_at=moment(row["due_at"]),
        expires_at=moment(row["expires_at"]),
        batch_size=row["batch_size"],
        language=row["language"],
        zone=row["zone"],
        started_at=moment(row["started_at"]),
        state=TaskState(row["state"]),
        batch_index=row["batch_index"],
        archived_from=TaskState(archived_from) if archived_from else None,
        archived_because=ArchiveReason(because) if because else None,
        alarmed_at=moment_or_none(row["alarmed_at"]),
        published_at=moment_or_none(row["published_at"]),
        claim=row["claim"],
        failure=to_failure(row),
    )
