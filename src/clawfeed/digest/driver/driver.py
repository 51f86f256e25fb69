"""Drives editions: load, decide, do one step, save it with the state it started from (S002).

Whatever is killed in between leaves the state of before; whoever wakes up late changes nothing.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol, assert_never

from clawfeed.digest.driver.article_batch import BatchWriter
from clawfeed.digest.driver.composer import Composer
from clawfeed.domain.editions.edition import EditionTask
from clawfeed.domain.editions.edition_decision import (
    ARTICLE_LEASE,
    Aggregate,
    Archive,
    EndBatches,
    FetchList,
    FinishBatch,
    FreeLapsed,
    IdleReason,
    NothingToDo,
    Publish,
    RaiseAlarm,
    StartBatch,
    Step,
    after_step,
    decide,
)
from clawfeed.domain.editions.edition_failure import EditionFailure, failure_of
from clawfeed.domain.editions.edition_list import EditionList
from clawfeed.domain.errors import ClawFeedError, LeaseLostError
from clawfeed.domain.ids import TaskId
from clawfeed.storage.audit import Hand
from clawfeed.storage.database import Database
from clawfeed.storage.editions.edition_claims import EditionClaims, hold_task
from clawfeed.storage.editions.edition_facts import edition_facts
from clawfeed.storage.editions.edition_lists import save_list
from clawfeed.storage.editions.edition_transitions import save_step
from clawfeed.storage.editions.editions import EditionStore
from clawfeed.storage.lease_renewal import held_on
from clawfeed.storage.leases import Holder

log = logging.getLogger(__name__)

# Beyond what any edition needs: a trigger that goes round and round is a bug, not patience.
MOST_STEPS = 1_000


class ListMaker(Protocol):
    """Chooses what an edition will tell."""

    async def fetch(self, task: EditionTask) -> EditionList: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class StepReport:
    """What a trigger did about a task: *step* led from *task* to *after*.

    *error* is a sentence if it went wrong: then the task is as it was.
    """

    task: EditionTask
    step: Step
    after: EditionTask
    error: str = ""


class EditionDriver:
    """Takes one task at a time a step further. Safe to run in many processes."""

    def __init__(
        self,
        database: Database,
        *,
        lists: ListMaker,
        batches: BatchWriter,
        composer: Composer,
        clock: Callable[[], datetime],
        worker: str,
        max_retries: int,
        lease: timedelta = ARTICLE_LEASE,
    ) -> None:
        self._db, self._store = database, EditionStore(database)
        self._claims = EditionClaims(database)
        self._lists, self._batches, self._composer = lists, batches, composer
        self._clock, self._max_retries = clock, max_retries
        self._holder = Holder(worker=worker, lease=lease)
        # What could not be given back, for the database was away: given back before the next try.
        self._owed: dict[TaskId, tuple[EditionTask, EditionFailure | None]] = {}

    async def advance(self, task_id: TaskId, *, hand: Hand | None = None) -> StepReport:
        """Make one move, with the bookkeeping before and after it; log what was done (S002-15).

        Raises what went wrong after giving the task back as it was. The line of a person's *hand*
        stands with the claim: the move is one transaction or many, and may come to nothing, but
        from here on they have triggered it. Whoever finds it held by another has not.
        """
        await self._settle(task_id)
        held = await self._claims.claim(task_id, self._holder, hand=hand)
        if held is None:
            task = await self._store.get(task_id)
            report = StepReport(
                task=task, step=NothingToDo(reason=IdleReason.BATCH_RUNNING), after=task
            )
            return _logged(report, self._clock())
        try:
            report = await self._held_move(held)
        except LeaseLostError:
            task = await self._store.get(task_id)
            report = StepReport(
                task=held, step=NothingToDo(reason=IdleReason.BATCH_RUNNING), after=task
            )
        except BaseException as error:
            await asyncio.shield(self._give_back(held, error))
            raise
        else:
            await self._claims.release(held, failure=None, now=self._clock())
        return _logged(report, self._clock())

    async def run_to_end(
        self,
        task_id: TaskId,
        on_step: Callable[[StepReport], None] = lambda _: None,
        *,
        hand: Hand | None = None,
    ) -> StepReport:
        """Move after move until there is nothing left to do, and answer with the last one.

        A person's *hand* has its line with the first of them.
        """
        for number in range(MOST_STEPS):
            report = await self.advance(task_id, hand=None if number else hand)
            on_step(report)
            if isinstance(report.step, NothingToDo) or report.after.is_over:
                return report
        raise RuntimeError(f"{report.after.title} comes to no end")

    async def _give_back(self, task: EditionTask, error: BaseException) -> None:
        """What was cancelled is no fault of the edition; only a real one is kept."""
        failure = failure_of(error) if isinstance(error, Exception) else None
        try:
            await self._give_up(task, failure)
        except ClawFeedError:  # the first error is the one to tell
            self._owed[task.id] = (task, failure)
            log.warning("edition not given back yet", extra={"task": task.id})

    async def _settle(self, task_id: TaskId) -> None:
        if task_id in self._owed:
            await self._give_up(*self._owed[task_id])
            self._owed.pop(task_id, None)

    async def _give_up(self, task: EditionTask, failure: EditionFailure | None) -> None:
        worker = self._holder.worker
        await self._claims.give_up(task, worker, failure=failure, now=self._clock())

    async def _held_move(self, held: EditionTask) -> StepReport:
        """`_move` takes as long as a model does; meanwhile nobody takes the task over."""
        db, holder = self._db, self._holder

        async def hold() -> None:
            await db.run(lambda: hold_task(held, db.dialect, holder))

        async with held_on(holder.lease, hold):
            return await self._move(held)

    async def _move(self, task: EditionTask) -> StepReport:
        """Steps until one changes where the edition stands, or there is nothing to do.

        Bookkeeping and the writing of the digest leave the state as it is; a batch is closed by
        whoever wrote it.
        """
        for _ in range(MOST_STEPS):
            step = decide(task, await edition_facts(self._db, task), self._clock())
            after = await self._do(task, step)
            if isinstance(step, StartBatch):
                await self._close_batch(after)
            if isinstance(step, NothingToDo) or _is_move(task, after):
                return StepReport(task=task, step=step, after=after)
            task = after
        raise RuntimeError(f"{task.title} does not move")

    async def _do(self, task: EditionTask, step: Step) -> EditionTask:
        now = self._clock()
        after = after_step(task, step, now)
        match step:
            case NothingToDo():
                pass
            case FetchList():
                found = await self._lists.fetch(task)
                now = self._clock()
                await self._db.run(lambda: save_list(task, after, found, now=now))
            case StartBatch():
                after = await self._batches.write(task, after, step, self._holder)
            case Publish() if await self._composer.add_missing(task):
                return task  # and is waited for
            case FreeLapsed() | FinishBatch() | RaiseAlarm() | EndBatches() | Publish() | Archive():
                most = self._max_retries
                await save_step(self._db, task, after, step, most_retries=most, now=now)
                _tell(task, step)
            case Aggregate():
                await self._composer.write(task)
            case _:
                assert_never(step)
        return after

    async def _close_batch(self, task: EditionTask) -> None:
        """Write down what our batch came to; somebody else's is left alone."""
        step = decide(task, await edition_facts(self._db, task), self._clock())
        if isinstance(step, FinishBatch):
            await self._do(task, step)


def _is_move(before: EditionTask, after: EditionTask) -> bool:
    return (before.state, before.batch_index) != (after.state, after.batch_index)


def _tell(task: EditionTask, step: Step) -> None:
    """What somebody should look at."""
    about = {"task": task.id, "scope": task.scope, "type": task.type, "date": task.period}
    match step:
        case RaiseAlarm(since=since):
            log.error("edition unfinished", extra={**about, "since": since.isoformat()})
        case Archive(because=because, is_warning=True):
            log.warning("edition archived", extra={**about, "because": because})
        case Archive(because=because):
            log.info("edition archived", extra={**about, "because": because})
        case FreeLapsed(articles=articles):
            log.warning("articles of a stopped worker freed", extra={**about, "count": articles})
        case _:
            pass


def _logged(report: StepReport, now: datetime) -> StepReport:
    """S002-15: timestamp, task date, state and action of every trigger; S002-8, S002-10 too."""
    at = now.isoformat(timespec="seconds")
    log.info("edition triggered", extra={"at": at, **report_fields(report)})
    return report


def report_fields(report: StepReport) -> dict[str, str]:
    """One step for logs and programs. The scope is a name without any person in it."""
    return {
        "date": report.task.period,
        "type": report.task.type,
        "scope": report.task.scope,
        "state": report.task.state,
        "action": action_of(report.step),
        "next_state": report.after.state,
    }


def action_of(step: Step) -> str:
    """The code of what was done, or of why nothing was."""
    return str(step.reason) if isinstance(step, NothingToDo) else _ACTIONS[type(step)]


_ACTIONS: dict[type[Step], str] = {
    RaiseAlarm: "alarm",
    FreeLapsed: "free_lapsed",
    FinishBatch: "finish_batch",
    FetchList: "fetch_list",
    StartBatch: "start_batch",
    EndBatches: "end_batches",
    Aggregate: "aggregate",
    Publish: "publish",
    Archive: "archive",
}
