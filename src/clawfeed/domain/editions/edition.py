"""An edition in the making: its states, and the moves the machine makes between them (S002-3).

What to do next is `edition_decision`; what a person may do is `edition_interventions`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from clawfeed.domain.editions.edition_failure import EditionFailure
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.errors import InvalidInputError
from clawfeed.domain.ids import TaskId

SYSTEM_SCOPE = "system"
# Stories put into words per batch (S002-5).
BATCH_SIZE = 8


class EditionKind(StrEnum):
    """What is made for a scope and a period."""

    DIGEST = "digest"


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


class ArchiveReason(StrEnum):
    """Why an edition was given up."""

    EXPIRED = "expired"  # its period ended (S002-13)
    NO_ITEMS = "no_items"  # nothing to tell: no empty publication (S002-17)


# Forward only, one state at a time. What a person may do is in `edition_interventions`.
MOVES: Mapping[TaskState, frozenset[TaskState]] = {
    TaskState.INIT: frozenset({TaskState.LIST_FETCHED, TaskState.ARCHIVED}),
    TaskState.LIST_FETCHED: frozenset({TaskState.PROCESSING, TaskState.ARCHIVED}),
    TaskState.PROCESSING: frozenset({TaskState.AGGREGATING, TaskState.ARCHIVED}),
    TaskState.AGGREGATING: frozenset({TaskState.PUBLISHED, TaskState.ARCHIVED}),
    TaskState.PUBLISHED: frozenset(),
    TaskState.ARCHIVED: frozenset(),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTask:
    """What names an edition, and its times.

    It chooses from items fetched in [*covers_from*, *covers_until*), is made from *due_at* on, and
    archived at *expires_at* if it is not published by then.
    """

    scope: str  # SYSTEM_SCOPE, or the name of a subscription set
    type: EditionType
    period: str
    covers_from: datetime
    covers_until: datetime
    due_at: datetime
    expires_at: datetime
    kind: EditionKind = EditionKind.DIGEST
    batch_size: int = BATCH_SIZE
    language: str = "en"
    zone: str = "UTC"


@dataclass(frozen=True, slots=True, kw_only=True)
class EditionTask(NewTask):
    """One edition to be made: which one, and how far it is.

    *claim* fences off a worker that wakes up late. *started_at* is what the alarm counts from.
    *failure* is what the last trigger met, if it got nowhere.
    """

    id: TaskId
    started_at: datetime
    state: TaskState = TaskState.INIT
    batch_index: int = 0
    archived_from: TaskState | None = None
    archived_because: ArchiveReason | None = None
    alarmed_at: datetime | None = None
    published_at: datetime | None = None
    claim: int = 0
    failure: EditionFailure | None = None

    @property
    def is_over(self) -> bool:
        return not MOVES[self.state]

    @property
    def title(self) -> str:
        """How sentences name it."""
        return f"the {self.type} edition {self.period} of {self.scope}"


def check_move(task: EditionTask, to: TaskState) -> None:
    """Raise `InvalidInputError` unless the machine may bring *task* to this state."""
    if to is not task.state and to not in MOVES[task.state]:
        raise InvalidInputError(f"{task.title} is {task.state}: it cannot become {to} from there")


@dataclass(frozen=True, slots=True, kw_only=True)
class EditionPlan:
    """How long an edition will take, told before it starts (S002-11)."""

    batches: int
    duration: timedelta


def plan_batches(articles: int, batch_size: int, interval: timedelta) -> EditionPlan:
    """Batches are `ceil(articles / batch_size)`, one per *interval*: 30 by 6 take five."""
    batches = -(-articles // batch_size)
    return EditionPlan(batches=batches, duration=batches * interval)
