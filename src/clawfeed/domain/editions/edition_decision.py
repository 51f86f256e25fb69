"""What to do next about an edition: `decide` says it, `after_step` says where that leads.

Pure: the driver loads the task and the facts, does the step, and saves it with the state it
started from (S002-2 to S002-13, S002-17).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TypeAlias, assert_never

from clawfeed.domain.editions.delivery import DeliveryState
from clawfeed.domain.editions.edition import (
    ArchiveReason,
    ArticleState,
    EditionTask,
    TaskState,
    check_move,
)

# An edition that is unfinished after this long rings (S002-12).
ALARM_AFTER = timedelta(hours=2)
# How long a crash keeps an article, unless its holder is known to be dead (S002-10).
ARTICLE_LEASE = timedelta(minutes=15)
MAX_RETRY_COUNT = 3


class BatchOutcome(StrEnum):
    """What a batch came to (S002-16). Stored and shown."""

    SUCCESS = "success"
    PARTIAL = "partial"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenBatch:
    """A batch that began and has no outcome yet."""

    index: int
    articles: int
    completed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EditionFacts:
    """What the tables say about a task. *lapsed* articles are `processing` and nobody holds them.

    *deliveries* are those to active channels; *deliver_from* is when the last of them may leave,
    if a reader's hour has not come yet.
    """

    pending: int = 0
    held: int = 0
    lapsed: int = 0
    completed: int = 0
    failed: int = 0
    open_batch: OpenBatch | None = None
    has_digest: bool = False
    deliveries: tuple[DeliveryState, ...] = ()
    deliver_from: datetime | None = None

    @property
    def articles(self) -> int:
        return self.pending + self.held + self.lapsed + self.completed + self.failed


class IdleReason(StrEnum):
    """Why there is nothing to do now."""

    PUBLISHED = "already_published"  # S002-8
    ARCHIVED = "archived"
    NOT_DUE = "not_due"  # its time has not come, or the clock went back (F15)
    BATCH_RUNNING = "previous_batch_still_running"  # S002-10
    WAITING_FOR_CHANNELS = "waiting_for_channels"  # S002-17
    NOTHING_COMPLETED = "nothing_completed"  # every article failed: retry them, or reset
    FAILED = "failed"  # something went wrong: the next trigger tries again (S002-15)


@dataclass(frozen=True, slots=True, kw_only=True)
class NothingToDo:
    """Skip, and log why."""

    reason: IdleReason


@dataclass(frozen=True, slots=True, kw_only=True)
class RaiseAlarm:
    """Tell the admin, once, that it is unfinished since *since* (S002-12)."""

    since: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class FreeLapsed:
    """Give back what a crash left in `processing`: each article goes where `after_failure` says."""

    articles: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishBatch:
    """Write down what the batch came to."""

    index: int
    outcome: BatchOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchList:
    """Choose from the items of the time it covers: -> `list_fetched` (S002-4)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StartBatch:
    """Claim up to *size* pending articles and put them into words: -> `processing` (S002-5)."""

    index: int
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EndBatches:
    """No article is left to do: -> `aggregating` (S002-6)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Aggregate:
    """Write the digest of the completed articles and its messages, in one transaction (S002-7)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Publish:
    """Every active channel is done or given up: -> `published` (S002-7, S002-17)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Archive:
    """Give it up: -> `archived`, remembering from which state. *is_warning* is logged as such."""

    because: ArchiveReason
    is_warning: bool


# These leave the state as it is: a trigger does them, decides again, and so makes one move.
Bookkeeping: TypeAlias = RaiseAlarm | FreeLapsed | FinishBatch
Step: TypeAlias = (
    NothingToDo | Bookkeeping | FetchList | StartBatch | EndBatches | Aggregate | Publish | Archive
)


def decide(task: EditionTask, facts: EditionFacts, now: datetime) -> Step:
    """The one thing to do next.

    1. What is over stays as it is; what is not due waits.
    2. A period that ended archives its edition: the new one is never blocked (S002-13).
    3. Two hours ring, once (S002-12).
    4. The rest depends on the state.
    """
    if task.state is TaskState.PUBLISHED:
        return NothingToDo(reason=IdleReason.PUBLISHED)
    if task.state is TaskState.ARCHIVED:
        return NothingToDo(reason=IdleReason.ARCHIVED)
    if now < task.due_at:
        return NothingToDo(reason=IdleReason.NOT_DUE)
    if now >= task.expires_at:
        was_working = task.state is TaskState.PROCESSING
        return Archive(because=ArchiveReason.EXPIRED, is_warning=was_working)
    if _is_late(task, facts, now):
        return RaiseAlarm(since=task.started_at)
    return _decide_by_state(task, facts)


def _is_late(task: EditionTask, facts: EditionFacts, now: datetime) -> bool:
    """A finished edition that waits for its readers' hour is not late."""
    counted_from = max(task.started_at, facts.deliver_from or task.started_at)
    return task.alarmed_at is None and now - counted_from > ALARM_AFTER


def _decide_by_state(task: EditionTask, facts: EditionFacts) -> Step:
    match task.state:
        case TaskState.INIT:
            return FetchList()
        case TaskState.LIST_FETCHED if facts.articles == 0:
            return Archive(because=ArchiveReason.NO_ITEMS, is_warning=True)
        case TaskState.LIST_FETCHED:
            return StartBatch(index=1, size=task.batch_size)
        case TaskState.PROCESSING:
            return _next_batch(task, facts)
        case TaskState.AGGREGATING:
            return _next_of_publication(facts)
        case TaskState.PUBLISHED | TaskState.ARCHIVED:
            raise AssertionError(task.state)  # answered before
    assert_never(task.state)


def _next_batch(task: EditionTask, facts: EditionFacts) -> Step:
    if facts.held:
        return NothingToDo(reason=IdleReason.BATCH_RUNNING)
    if facts.lapsed:
        return FreeLapsed(articles=facts.lapsed)
    if facts.open_batch:
        return FinishBatch(index=facts.open_batch.index, outcome=batch_outcome(facts.open_batch))
    if facts.pending:
        return StartBatch(index=task.batch_index + 1, size=task.batch_size)
    return EndBatches()


def _next_of_publication(facts: EditionFacts) -> Step:
    if not facts.has_digest:
        return Aggregate() if facts.completed else NothingToDo(reason=IdleReason.NOTHING_COMPLETED)
    if all(delivery.is_settled for delivery in facts.deliveries):
        return Publish()
    return NothingToDo(reason=IdleReason.WAITING_FOR_CHANNELS)


def batch_outcome(batch: OpenBatch) -> BatchOutcome:
    """`success` if every article was completed, `failed` if none."""
    if batch.completed >= batch.articles:
        return BatchOutcome.SUCCESS
    return BatchOutcome.PARTIAL if batch.completed else BatchOutcome.FAILED


def after_failure(retry_count: int, most: int = MAX_RETRY_COUNT) -> tuple[ArticleState, int]:
    """Where an article goes that was not completed, and its new `retry_count` (S002-10)."""
    if retry_count >= most:
        return ArticleState.FAILED, retry_count
    return ArticleState.PENDING, retry_count + 1


def after_step(task: EditionTask, step: Step, now: datetime) -> EditionTask:
    """The task once *step* is done; `InvalidInputError` if its state does not allow it."""
    match step:
        case NothingToDo() | FreeLapsed() | FinishBatch() | Aggregate():
            after = task
        case RaiseAlarm():
            after = replace(task, alarmed_at=now)
        case FetchList():
            after = replace(task, state=TaskState.LIST_FETCHED)
        case StartBatch(index=index):
            after = replace(task, state=TaskState.PROCESSING, batch_index=index)
        case EndBatches():
            after = replace(task, state=TaskState.AGGREGATING)
        case Publish():
            after = replace(task, state=TaskState.PUBLISHED, published_at=now)
        case Archive(because=because):
            after = _archived(task, because)
        case _:
            assert_never(step)
    check_move(task, after.state)
    return after


def _archived(task: EditionTask, because: ArchiveReason) -> EditionTask:
    return replace(
        task, state=TaskState.ARCHIVED, archived_from=task.state, archived_because=because
    )
