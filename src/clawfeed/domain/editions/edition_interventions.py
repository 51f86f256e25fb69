"""What a person may do with an edition, beside the machine's own moves (S002-12, -13, -16)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from enum import StrEnum

from clawfeed.domain.editions.edition import EditionTask, TaskState
from clawfeed.domain.editions.edition_decision import EditionFacts
from clawfeed.domain.errors import InvalidInputError, RefusalCode

# What was reopened is archived again if it is not published by then.
REOPENED_FOR = timedelta(days=1)


class PersonMove(StrEnum):
    """Stored with who made it and when."""

    RESET = "reset"  # from the start; its articles and an unsent digest go
    REOPEN = "reopen"  # an archived one goes on where it stood
    FORCE_PUBLISH = "force_publish"  # with what is completed, without the rest
    RETRY_FAILED = "retry_failed"  # the failed articles are pending again


class PersonTrigger(StrEnum):
    """What triggers do by themselves, done now for a person; stored in the same way."""

    BEGIN = "begin"  # today's, which was not there
    TRIGGER = "trigger"  # a step further, or to its end


ALLOWED_STATES: Mapping[PersonMove, frozenset[TaskState]] = {
    PersonMove.RESET: frozenset(
        {TaskState.INIT, TaskState.LIST_FETCHED, TaskState.PROCESSING, TaskState.AGGREGATING}
    ),
    PersonMove.REOPEN: frozenset({TaskState.ARCHIVED}),
    PersonMove.FORCE_PUBLISH: frozenset({TaskState.PROCESSING}),
    PersonMove.RETRY_FAILED: frozenset({TaskState.PROCESSING, TaskState.AGGREGATING}),
}


def move_by_person(
    task: EditionTask, move: PersonMove, facts: EditionFacts, now: datetime
) -> EditionTask:
    """The task after *move*; `InvalidInputError` with the way out where it makes no sense.

    Nothing here lets a published edition be published again (S002-8).
    """
    if task.state not in ALLOWED_STATES[move]:
        way_out, told = _WAY_OUT[move, task.state]
        raise InvalidInputError(f"{task.title} is {task.state}: {way_out}", told)
    match move:
        case PersonMove.RESET:
            return _reset(task, facts, now)
        case PersonMove.REOPEN:
            return _reopen(task, facts, now)
        case PersonMove.FORCE_PUBLISH:
            return _force(task, facts)
        case PersonMove.RETRY_FAILED:
            return _retry(task, facts)


def _reset(task: EditionTask, facts: EditionFacts, now: datetime) -> EditionTask:
    if facts.has_digest:
        raise InvalidInputError(
            f"{task.title} is on its way to readers: resend or drop its messages instead",
            RefusalCode.EDITION_LEAVING,
        )
    return replace(task, state=TaskState.INIT, batch_index=0, started_at=now, alarmed_at=None)


def _reopen(task: EditionTask, facts: EditionFacts, now: datetime) -> EditionTask:
    """What is written goes on to its readers; without articles the list is fetched anew."""
    state = task.archived_from if facts.articles and task.archived_from else TaskState.INIT
    if facts.has_digest:
        state = TaskState.AGGREGATING
    return replace(
        task,
        state=state,
        archived_from=None,
        archived_because=None,
        started_at=now,
        alarmed_at=None,
        expires_at=max(task.expires_at, now + REOPENED_FOR),
    )


def _force(task: EditionTask, facts: EditionFacts) -> EditionTask:
    if not facts.completed:
        raise InvalidInputError(
            f"{task.title} has no completed article, and an empty edition is not published: "
            "retry the failed ones or reset it",
            RefusalCode.EDITION_EMPTY,
        )
    return replace(task, state=TaskState.AGGREGATING)


def _retry(task: EditionTask, facts: EditionFacts) -> EditionTask:
    if facts.has_digest:
        raise InvalidInputError(
            f"{task.title} is written already: its failed articles stay out",
            RefusalCode.EDITION_WRITTEN,
        )
    if not facts.failed:
        raise InvalidInputError(
            f"{task.title} has no failed article to retry", RefusalCode.EDITION_NONE_FAILED
        )
    return replace(task, state=TaskState.PROCESSING)


_NEVER_TWICE = "an edition is published once, and this one has been", RefusalCode.EDITION_PUBLISHED
_REOPEN_FIRST = "reopen it first", RefusalCode.EDITION_ARCHIVED
_NOTHING_YET = (
    "nothing is completed yet; its triggers will go on with it",
    RefusalCode.EDITION_NOTHING_YET,
)
_NONE_FAILED = "none of its articles has failed yet", RefusalCode.EDITION_NONE_FAILED
_NOT_ARCHIVED = (
    "only an archived one can be reopened, this one goes on by itself",
    RefusalCode.EDITION_GOES_ON,
)
_NONE_WAITED_FOR = "no article is waited for any more", RefusalCode.EDITION_NONE_WAITED_FOR
_WAY_OUT: Mapping[tuple[PersonMove, TaskState], tuple[str, RefusalCode]] = {
    (PersonMove.RESET, TaskState.PUBLISHED): _NEVER_TWICE,
    (PersonMove.RESET, TaskState.ARCHIVED): _REOPEN_FIRST,
    (PersonMove.REOPEN, TaskState.INIT): _NOT_ARCHIVED,
    (PersonMove.REOPEN, TaskState.LIST_FETCHED): _NOT_ARCHIVED,
    (PersonMove.REOPEN, TaskState.PROCESSING): _NOT_ARCHIVED,
    (PersonMove.REOPEN, TaskState.AGGREGATING): _NOT_ARCHIVED,
    (PersonMove.REOPEN, TaskState.PUBLISHED): _NEVER_TWICE,
    (PersonMove.FORCE_PUBLISH, TaskState.INIT): _NOTHING_YET,
    (PersonMove.FORCE_PUBLISH, TaskState.LIST_FETCHED): _NOTHING_YET,
    (PersonMove.FORCE_PUBLISH, TaskState.AGGREGATING): _NONE_WAITED_FOR,
    (PersonMove.FORCE_PUBLISH, TaskState.PUBLISHED): _NEVER_TWICE,
    (PersonMove.FORCE_PUBLISH, TaskState.ARCHIVED): _REOPEN_FIRST,
    (PersonMove.RETRY_FAILED, TaskState.INIT): _NONE_FAILED,
    (PersonMove.RETRY_FAILED, TaskState.LIST_FETCHED): _NONE_FAILED,
    (PersonMove.RETRY_FAILED, TaskState.PUBLISHED): _NEVER_TWICE,
    (PersonMove.RETRY_FAILED, TaskState.ARCHIVED): _REOPEN_FIRST,
}
