"""Who may work on an edition: its task and articles, one worker's at a time (decision 0003)."""

from __future__ import annotations

from datetime import datetime

from clawfeed.domain.editions.edition import EditionTask
from clawfeed.domain.editions.edition_failure import EditionFailure
from clawfeed.domain.editions.edition_interventions import PersonTrigger
from clawfeed.domain.ids import TaskId
from clawfeed.storage.audit import Hand
from clawfeed.storage.database import Database, Dialect, SqlValue, Steps
from clawfeed.storage.editions.edition_audit import by_hand
from clawfeed.storage.editions.editions import to_task
from clawfeed.storage.editions.failure_columns import SET_FAILURE, failure_values
from clawfeed.storage.leases import (
    Condition,
    Held,
    Holder,
    LeasedTable,
    give_back,
    renew,
    take,
    take_back_from,
    take_back_lapsed,
)
from clawfeed.storage.timestamps import seconds

EDITION_TASKS = LeasedTable(table="edition_tasks", noun="edition")
# A batch is a task's first articles that nobody put into words yet.
EDITION_ARTICLES = LeasedTable(
    table="edition_articles",
    queue="t.state = 'pending'",
    order_by="t.task_id, t.position",
    noun="article",
)
# What a worker holds of an edition.
EDITION_TABLES = (EDITION_TASKS, EDITION_ARTICLES)


class EditionClaims:
    """Tasks taken and given back."""

    def __init__(self, database: Database) -> None:
        self._db = database

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
                yield by_hand(hand, PersonTrigger.TRIGGER, taken)
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


def hold_task(task: EditionTask, dialect: Dialect, holder: Holder) -> Steps[bool]:
    """Hold on to it while its step takes long; whether it is still ours."""
    return (yield from renew(EDITION_TASKS, dialect, as_held(task), holder.lease))


def as_held(task: EditionTask) -> Held:
    """The task as a lease knows it."""
    return Held(key=task.id, claim=task.claim, name=task.title)


def _give_back(task: EditionTask, failure: EditionFailure | None, now: datetime) -> Steps[bool]:
    values: dict[str, SqlValue] = {**failure_values(failure), "now": seconds(now)}
    changes = f"{SET_FAILURE}, updated_at = :now"
    return (yield from give_back(EDITION_TASKS, as_held(task), changes, values))
