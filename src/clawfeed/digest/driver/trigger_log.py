"""What is told of a trigger: for programs, and in the log where it did nothing (S002-15).

Of each edition that it brought on the driver logs a line of its own.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from clawfeed.digest.driver.driver import StepReport, report_fields
from clawfeed.domain.editions.edition import TaskState
from clawfeed.domain.editions.edition_decision import IdleReason

log = logging.getLogger(__name__)

NOTHING_TO_DO = "nothing_to_do"
NOT_BEGUN = "not_begun"
_FINISHED_REASONS: Mapping[TaskState | None, IdleReason] = {
    TaskState.PUBLISHED: IdleReason.PUBLISHED,
    TaskState.ARCHIVED: IdleReason.ARCHIVED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DaysTask:
    """The system's daily edition of one day; without a state it was not begun."""

    date: str
    state: TaskState | None


def log_nothing(today: DaysTask, *, at: datetime) -> None:
    """That a trigger came, and why it did nothing: S002-8, of a published edition."""
    about = {"at": at.isoformat(timespec="seconds"), "date": today.date}
    action = _FINISHED_REASONS.get(today.state, NOTHING_TO_DO)
    log.info(
        "edition triggered",
        extra={**about, "state": today.state or NOT_BEGUN, "action": str(action)},
    )


def report_as_json(report: StepReport) -> dict[str, str]:
    """One step, in the words of the log."""
    return report_fields(report) | ({"error": report.error} if report.error else {})
