"""Editions in the making, as rows: made once, and changed only from the state they were in."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import groupby

from clawfeed.domain.editions.delivery import MessageState, delivery_state
from clawfeed.domain.editions.edition import (
    ArchiveReason,
    EditionKind,
    EditionTask,
    NewTask,
    TaskState,
)
from clawfeed.domain.editions.edition_decision import Facts, OpenBatch
from clawfeed.domain.editions.edition_failure import EditionFailure
from clawfeed.domain.editions.edition_interventions import PersonMove, PersonTrigger
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.errors import NotFoundError
from clawfeed.domain.ids import TaskId
from clawfeed.storage.audit import Action, Hand, audit_line
from clawfeed.storage.bounds import LAST_DATE
from clawfeed.storage.channels.channel_row import TAKES_MESSAGES
from clawfeed.storage.database import Database, Dialect, Row, SqlValue, Statement, Steps
from clawfeed.storage.editions.failure_columns import SET_FAILURE, failure_values, to_failure
from clawfeed.storage.leases import (
    Condition,
    Held,
    Holder,
    LeasedTable,
    fenced,
    give_back,
    renew,
    seized,
    take,
    take_back_from,
    take_back_lapsed,
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
_MESSAGES = f"""
SELECT o.channel_id, o.state, o.not_before
FROM digests d JOIN outbox o ON o.digest_id = d.id JOIN channels c ON c.id = o.channel_id
WHERE d.task_id = :id AND {TAKES_MESSAGES} ORDER BY o.channel_id, o.part
"""  # noqa: S608 -- our own constant
EDITION_TASKS = LeasedTable(
    table="edition_tasks",
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
# Behind every date there is.
_KEY = "kind = :kind AND scope = :scope AND type = :type AND period = :period"


class EditionStore:
    """Tasks by their key, and who may work on one (decision 0003)."""

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

    async def claim(
        self, task: TaskId, holder: Holder, *, hand: Hand | None = None
    ) -> EditionTask | None:
        """Take this one task; None if somebody holds it.

        If a person's *hand* triggered it, that is written down with the claim.
        """

        def steps() -> Steps[EditionTask | None]:
            yield from take_back_lapsed(EDITION_TASKS, self._db.dialect)
            rows = yield from take(EDITION_TASKS, self._db.dialect, holder, [task], returning="*")
            taken = to_task(rows[task]) if task in rows else None
            if taken and hand:
                yield _by_hand(hand, PersonTrigger.TRIGGER, taken)
            return taken

        return await self._db.run(steps)

    async def release(
        self, task: EditionTask, *, failure: EditionFailure | None, now: datetime
    ) -> None:
        """Give the task back as it is, with what went wrong; a lost one is no longer ours to give.

        The state is not touched: the next trigger tries again (S002-15).
        """
        await self._db.run(lambda: _give_back(task, failure, now))

    async def give_up(
        self, task: EditionTask, worker: str, *, failure: EditionFailure | None, now: datetime
    ) -> None:
        """`release` a task whose step broke off, with the articles that *worker* had of it.

        Nobody writes these any more: without it they would seem to be written for a whole lease.
        """

        def steps() -> Steps[None]:
            if (yield from _give_back(task, failure, now)):
                theirs = Condition(sql="task_id = :task", params={"task": task.id})
                yield from take_back_from(EDITION_ARTICLES, [worker], only=theirs)

        await self._db.run(steps)

    async def holders(self) -> list[str]:
        """Who holds a task or an article."""
        rows = await self._db.read(
            """
            SELECT leased_by FROM edition_tasks WHERE lease_until IS NOT NULL
            UNION SELECT leased_by FROM edition_articles WHERE lease_until IS NOT NULL
            """
        )
        return sorted({str(row["leased_by"]) for row in rows})

    async def take_back(self, workers: Sequence[str]) -> int:
        """Free at once what these dead *workers* hold; how many rows."""
        if not workers:
            return 0

        def steps() -> Steps[int]:
            tasks = yield from take_back_from(EDITION_TASKS, workers)
            articles = yield from take_back_from(EDITION_ARTICLES, workers)
            return tasks + articles

        return await self._db.run(steps)

    async def facts(self, task: EditionTask) -> Facts:
        """What `decide` needs to know besides the task. The database's clock decides leases."""
        [row] = await self._db.read(_FACTS.format(clock=self._db.dialect.now), {"id": task.id})
        messages = await self._db.read(_MESSAGES, {"id": task.id}) if row["digests"] else []
        return _to_facts(row, messages)


def save_task(before: EditionTask, after: EditionTask, *, now: datetime) -> Steps[None]:
    """Store what a step of the task's holder changed: a part of the transaction that did it.

    Only from the state and batch it was decided on, while the claim is ours: `LeaseLostError`, and
    no trace of the transaction, if somebody else was faster (S002-9).
    """
    yield fenced(
        EDITION_TASKS, _held(before), _CHANGED, _changes(before, after, now), condition=_AS_DECIDED
    )


def save_task_by_person(
    before: EditionTask, after: EditionTask, move: PersonMove, hand: Hand
) -> Steps[None]:
    """Store what a person's *hand* changed and who did it; take the task from who works on it.

    `LeaseLostError`, and no trace of the transaction, if it moved on since the person saw it.
    """
    yield seized(
        EDITION_TASKS,
        _held(before),
        _CHANGED,
        _changes(before, after, hand.now),
        condition=_AS_DECIDED,
    )
    yield _by_hand(hand, move, before)


def hold_task(task: EditionTask, dialect: Dialect, holder: Holder) -> Steps[bool]:
    """Hold on to it while its step takes long; whether it is still ours."""
    return (yield from renew(EDITION_TASKS, dialect, _held(task), holder.lease))


def _give_back(task: EditionTask, failure: EditionFailure | None, now: datetime) -> Steps[bool]:
    values: dict[str, SqlValue] = {**failure_values(failure), "now": seconds(now)}
    changes = f"{SET_FAILURE}, updated_at = :now"
    return (yield from give_back(EDITION_TASKS, _held(task), changes, values))


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
        yield _by_hand(hand, PersonTrigger.BEGIN, to_task(made[0]))
    if not made:  # somebody else's, of this very moment
        made = yield Statement(f"SELECT * FROM edition_tasks WHERE {_KEY}", _key(new))  # noqa: S608
    return to_task(made[0])


def _by_hand(hand: Hand, move: PersonMove | PersonTrigger, task: EditionTask) -> Statement:
    """Who moved an edition, as part of the transaction that moves it."""
    return audit_line(
        Action.EDITION_MOVED,
        user_id=hand.by,
        detail=f"{move} {task.title}",
        client=hand.client,
        now=hand.now,
    )


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
