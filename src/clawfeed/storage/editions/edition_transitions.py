"""Where an edition stands, changed together with what changes it: steps, and people's moves."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from clawfeed.domain.editions.edition import EditionTask
from clawfeed.domain.editions.edition_decision import FinishBatch, FreeLapsed, Step
from clawfeed.domain.editions.edition_interventions import PersonMove
from clawfeed.storage.audit import Hand
from clawfeed.storage.database import Database, Steps
from clawfeed.storage.editions.edition_articles import (
    drop_unfinished,
    finish_batch,
    free_lapsed,
    retry_failed,
)
from clawfeed.storage.editions.edition_lists import forget_list
from clawfeed.storage.editions.edition_saving import save_task, save_task_by_person


@dataclass(frozen=True, slots=True, kw_only=True)
class MovedTask:
    """A person's move: from *before* to *after*; *retries_used* counts for what is retried."""

    before: EditionTask
    after: EditionTask
    move: PersonMove
    hand: Hand
    retries_used: int = 0


async def save_step(
    database: Database,
    before: EditionTask,
    after: EditionTask,
    step: Step,
    *,
    most_retries: int,
    now: datetime,
) -> None:
    """Store a step that needs nothing but rows; `LeaseLostError` if the task is no longer ours."""

    def steps() -> Steps[None]:
        if isinstance(step, FreeLapsed):
            yield from free_lapsed(before, database.dialect, most_retries=most_retries, now=now)
        if isinstance(step, FinishBatch):
            yield from finish_batch(before.id, step, now=now)
        yield from save_task(before, after, now=now)

    await database.run(steps)


async def save_move(database: Database, moved: MovedTask) -> None:
    """Store what a person did and that they did it; take the task from whoever works on it."""
    task, now = moved.before.id, moved.hand.now

    def steps() -> Steps[None]:
        yield from save_task_by_person(moved.before, moved.after, moved.move, moved.hand)
        match moved.move:
            case PersonMove.RESET:
                yield from forget_list(task)
            case PersonMove.FORCE_PUBLISH:
                yield from drop_unfinished(task, now=now)
            case PersonMove.RETRY_FAILED:
                yield from retry_failed(task, retries_used=moved.retries_used, now=now)
            case PersonMove.REOPEN:
                pass

    await database.run(steps)
