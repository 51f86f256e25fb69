"""A move of one edition that stops no other: what goes wrong is logged and reported."""

from __future__ import annotations

import logging

from clawfeed.digest.driver.driver import StepReport
from clawfeed.digest.driver.lazy_driver import Drives
from clawfeed.domain.editions.edition import EditionTask
from clawfeed.domain.editions.edition_decision import IdleReason, NothingToDo
from clawfeed.domain.editions.edition_failure import failure_of
from clawfeed.storage.audit import Hand

log = logging.getLogger(__name__)


async def guarded_move(
    driver: Drives, task: EditionTask, *, to_end: bool, hand: Hand | None = None
) -> list[StepReport]:
    """Bring *task* on by one move, or to its end; what was done, a fault as the last of it.

    *hand* is the person's who triggered it, if it was one. A fault is logged with its stack, and
    the next trigger tries again (S002-15).
    """
    reports: list[StepReport] = []
    try:
        if to_end:
            await driver.run_to_end(task.id, reports.append, hand=hand)
        else:
            reports.append(await driver.advance(task.id, hand=hand))
    except Exception as error:
        log.exception(
            "edition failed; its next trigger tries again",
            extra={"task": task.id, "date": task.period, "state": task.state},
        )
        reports.append(_failed(task, error))
    return reports


def _failed(task: EditionTask, error: Exception) -> StepReport:
    """That nothing was done about *task*, and why."""
    return StepReport(
        task=task,
        step=NothingToDo(reason=IdleReason.FAILED),
        after=task,
        error=failure_of(error).detail,
    )
