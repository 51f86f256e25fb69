"""Editions in the making, as rows: made once, and changed only from the state they were in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from clawfeed.domain.delivery import MessageState, delivery_state
from clawfeed.domain.edition import (
    ArchiveReason,
    EditionKind,
    EditionTask,
    NewTask,
    TaskState,
)
from clawfeed.domain.edition_moves import PersonMove
from clawfeed.domain.edition_period import EditionType
from clawfeed.domain.edition_steps import Facts, OpenBatch
from clawfeed.domain.ids import TaskId, UserId
from clawfeed.storage.database import Database, Row, SqlValue, Statement, Steps
from clawfeed.storage.leases import (
    Due,
    Held,
    Holder,
    LeasedTable,
    claim_next,
    fenced,
    seized,
)
from clawfeed.storage.timestamps import moment, moment_or_none, seconds, seconds_or_none

# `processing` rows that nobody holds are what a crash left.
_FACTS = """
SELECT count(CASE WHEN a.state = 'pending' THEN 1 END) AS pending,
    count(CASE WHEN a.state = 'processing' AND a.lease_until > {clock} THEN 1 END) AS held,
    count(CASE WHEN a.state = 'processing' THEN 1 END) AS processing,
    count(CASE WHEN a.state = 'completed' THEN 1 END) AS completed,
    count(CASE WHEN a.state = 'failed' THEN 1 END) AS failed,
    count(CASE WHEN a.state = 'completed' AND a.batch_index = b.batch_index THEN 1 END)
        AS batch_completed,
    max(b.batch_index) AS batch_index, max(b.article_count) AS article_count,
    (SELECT count(*) FROM digests d WHERE d.task_id = :id) AS digests
FROM (SELECT 1 AS one) AS always
LEFT JOIN edition_articles a ON a.task_id = :id
LEFT JOIN edition_batches b ON b.task_id = :id AND b.outcome IS NULL
"""
_MESSAGES = """
SELECT o.channel_id, o.state, o.not_before
FROM digests d JOIN outbox o ON o.digest_id = d.id JOIN channels c ON c.id = o.channel_id
WHERE d.task_id = :id AND c.state = 'active' ORDER BY o.channel_id, o.part
"""
EDITION_TASKS = LeasedTable(
    table="edition_tasks",
    queue="t.state NOT IN ('published', 'archived')",
    order_by="t.due_at, t.id",
    noun="edition",
)
# A batch is a task's first articles that nobody put into words yet.
EDITION_ARTICLES = LeasedTable(
    table="edition_articles",
    queue="t.state = 'pending'",
    order_by="t.task_id, t.position",
    noun="article",
)
_CHANGED = """state = :state, batch_index = :batch_index, archived_from = :archived_from,
    archived_because = :archived_because, started_at = :started_at, alarmed_at = :alarmed_at,
    published_at = :published_at, expires_at = :expires_at, updated_at = :now"""
_AS_DECIDED = "state = :from_state AND batch_index = :from_batch"
_KEY = "kind = :kind AND scope = :scope AND type = :type AND period = :period"


class EditionStore:
    """Tasks by their key, and who may work on one (decision 0003)."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def get_or_add(self, new: NewTask, *, now: datetime) -> EditionTask:
        """The task of this kind, scope, type and period, made if it is not there (I6).

        However many ask at once, one row is made and all get the same.
        """
        return await self._db.run(lambda: _get_or_add(new, now))

    async def find(self, new: NewTask) -> EditionTask | None:
        """The task with the key of *new*, if there is one."""
        rows = await self._db.read(f"SELECT * FROM edition_tasks WHERE {_KEY}", _key(new))  # noqa: S608
        return _to_task(rows[0]) if rows else None

    async def claim_due(self, holder: Holder, *, now: datetime, limit: int) -> list[EditionTask]:
        """Take up to *limit* unfinished tasks whose time has come, the longest overdue first."""
        due = Due(limit=limit, condition="t.due_at <= :now", params={"now": seconds(now)})
        rows = await self._db.run(lambda: claim_next(EDITION_TASKS, self._db.dialect, holder, due))
        return [_to_task(row) for row in rows]

    async def facts(self, task: EditionTask) -> Facts:
        """What `decide` needs to know besides the task. The database's clock decides leases."""
        [row] = await self._db.read(_FACTS.format(clock=self._db.dialect.now), {"id": task.id})
        messages = await self._db.read(_MESSAGES, {"id": task.id}) if row["digests"] else []
        return _to_facts(row, messages)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hand:
    """A person's hand in it: what they did, and who they are if they have an account."""

    move: PersonMove
    by: UserId | None


def save_task(before: EditionTask, after: EditionTask, *, now: datetime) -> Steps[None]:
    """Store what a step of the task's holder changed: a part of the transaction that did it.

    Only from the state and batch it was decided on, while the claim is ours: `LeaseLostError`, and
    no trace of the transaction, if somebody else was faster (S002-9).
    """
    yield fenced(
        EDITION_TASKS, _held(before), _CHANGED, _changes(before, after, now), condition=_AS_DECIDED
    )


def save_task_by_person(
    before: EditionTask, after: EditionTask, hand: Hand, *, now: datetime
) -> Steps[None]:
    """Store what a person's *hand* changed, and take the task from the worker that holds it.

    `LeaseLostError`, and no trace of the transaction, if it moved on since the person saw it.
    """
    yield seized(
        EDITION_TASKS,
        _held(before),
        f"{_CHANGED}, person_move = :move, moved_by = :by, moved_at = :now",
        {**_changes(before, after, now), "move": hand.move, "by": hand.by},
        condition=_AS_DECIDED,
    )


def _held(task: EditionTask) -> Held:
    return Held(key=task.id, claim=task.claim, name=task.title)


def _changes(before: EditionTask, after: EditionTask, now: datetime) -> dict[str, SqlValue]:
    return {
        "from_state": before.state,
        "from_batch": before.batch_index,
        "state": after.state,
        "batch_index": after.batch_index,
        "archived_from": after.archived_from,
        "archived_because": after.archived_because,
        "started_at": seconds(after.started_at),
        "alarmed_at": seconds_or_none(after.alarmed_at),
        "published_at": seconds_or_none(after.published_at),
        "expires_at": seconds(after.expires_at),
        "now": seconds(now),
    }


def _get_or_add(new: NewTask, now: datetime) -> Steps[EditionTask]:
    found = yield Statement(f"SELECT * FROM edition_tasks WHERE {_KEY}", _key(new))  # noqa: S608
    if found:
        return _to_task(found[0])
    yield Statement(
        """
        INSERT INTO edition_tasks (kind, scope, type, period, covers_from, covers_until, due_at,
            expires_at, batch_size, started_at, created_at, updated_at)
        VALUES (:kind, :scope, :type, :period, :covers_from, :covers_until, :due_at, :expires_at,
            :batch_size, :now, :now, :now)
        ON CONFLICT (kind, scope, type, period) DO NOTHING
        """,
        {
            **_key(new),
            "covers_from": seconds(new.covers_from),
            "covers_until": seconds(new.covers_until),
            "due_at": seconds(new.due_at),
            "expires_at": seconds(new.expires_at),
            "batch_size": new.batch_size,
            "now": seconds(now),
        },
    )
    made = yield Statement(f"SELECT * FROM edition_tasks WHERE {_KEY}", _key(new))  # noqa: S608
    return _to_task(made[0])


def _key(new: NewTask) -> dict[str, SqlValue]:
    return {"kind": new.kind, "scope": new.scope, "type": new.type, "period": new.period}


def _to_facts(row: Row, messages: Sequence[Row]) -> Facts:
    waiting = [part["not_before"] for part in messages if part["state"] == MessageState.PENDING]
    return Facts(
        pending=row["pending"],
        held=row["held"],
        lapsed=row["processing"] - row["held"],
        completed=row["completed"],
        failed=row["failed"],
        open_batch=_to_open_batch(row),
        has_digest=bool(row["digests"]),
        deliveries=tuple(
            delivery_state([MessageState(part["state"]) for part in parts])
            for _, parts in groupby(messages, key=lambda part: part["channel_id"])
        ),
        deliver_from=moment(max(waiting)) if waiting else None,
    )


def _to_open_batch(row: Row) -> OpenBatch | None:
    if row["batch_index"] is None:
        return None
    return OpenBatch(
        index=row["batch_index"], articles=row["article_count"], completed=row["batch_completed"]
    )


def _to_task(row: Row) -> EditionTask:
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
        started_at=moment(row["started_at"]),
        state=TaskState(row["state"]),
        batch_index=row["batch_index"],
        archived_from=TaskState(archived_from) if archived_from else None,
        archived_because=ArchiveReason(because) if because else None,
        alarmed_at=moment_or_none(row["alarmed_at"]),
        published_at=moment_or_none(row["published_at"]),
        claim=row["claim"],
    )
