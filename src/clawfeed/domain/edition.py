"""An edition in the making: its states and the moves between them (S002-3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from clawfeed.domain.ids import TaskId


class EditionType(StrEnum):
    """How long a period one edition covers (settled question 12)."""

    FOUR_HOURS = "4h"
    DAILY = "daily"
    WEEKLY = "weekly"
    MONTHLY = "monthly"


class TaskState(StrEnum):
    """Where the making of an edition stands. Stored and shown."""

    INIT = "init"
    LIST_FETCHED = "list_fetched"
    PROCESSING = "processing"
    AGGREGATING = "aggregating"
    PUBLISHED = "published"
    ARCHIVED = "archived"


class ArticleState(StrEnum):
    """Where one article of an edition stands. Stored and shown."""

    PENDING = "pending"
    PROCESSING = "processing"
    COMPLETED = "completed"
    FAILED = "failed"


# Forward only; a person may reset or reopen, a new day archives what was not published.
MOVES: Mapping[TaskState, frozenset[TaskState]] = {
    TaskState.INIT: frozenset({TaskState.LIST_FETCHED, TaskState.ARCHIVED}),
    TaskState.LIST_FETCHED: frozenset({TaskState.PROCESSING, TaskState.ARCHIVED}),
    TaskState.PROCESSING: frozenset({TaskState.AGGREGATING, TaskState.ARCHIVED}),
    TaskState.AGGREGATING: frozenset({TaskState.PUBLISHED, TaskState.ARCHIVED}),
    TaskState.PUBLISHED: frozenset(),
    TaskState.ARCHIVED: frozenset(),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class EditionTask:
    """One edition to be made: which one, and how far it is."""

    id: TaskId
    scope: str  # "system", or a subscription hash
    type: EditionType
    period: str  # the day, week or month in the reader's time zone
    state: TaskState = TaskState.INIT
    batch_index: int = 0
    batch_size: int = 8
    archived_from: TaskState | None = None

    @property
    def is_over(self) -> bool:
        return not MOVES[self.state]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How long an edition will take, told before it starts (S002-11)."""

    batches: int
    duration: timedelta


def plan_batches(articles: int, batch_size: int, interval: timedelta) -> Plan:
    """Batches are `ceil(articles / batch_size)`, one per *interval*: 30 by 6 take five."""
    batches = -(-articles // batch_size)
    return Plan(batches=batches, duration=batches * interval)
