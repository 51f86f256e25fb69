"""What became of an edition's task, stored only from the state it was decided on."""

from __future__ import annotations

from datetime import datetime

from clawfeed.domain.editions.edition import EditionTask
from clawfeed.domain.editions.edition_interventions import PersonMove
from clawfeed.storage.audit import Hand
from clawfeed.storage.database import SqlValue, Steps
from clawfeed.storage.editions.edition_audit import by_hand
from clawfeed.storage.editions.edition_claims import EDITION_TASKS, as_held
from clawfeed.storage.leases import fenced, seized
from clawfeed.storage.timestamps import seconds, seconds_or_none

_CHANGED = """state = :state, batch_index = :batch_index, archived_from = :archived_from,
    archived_because = :archived_because, started_at = :started_at, alarmed_at = :alarmed_at,
    published_at = :published_at, expires_at = :expires_at, updated_at = :now"""
_AS_DECIDED = "state = :from_state AND batch_index = :from_batch"


def save_task(before: EditionTask, after: EditionTask, *, now: datetime) -> Steps[None]:
    """Store what a step of the task's holder changed: a part of the transaction that did it.

    Only from the state and batch it was decided on, while the claim is ours: `LeaseLostError`, and
    no trace of the transaction, if somebody else was faster (S002-9).
    """
    yield fenced(
        EDITION_TASKS,
        as_held(before),
        _CHANGED,
        _changes(before, after, now),
        condition=_AS_DECIDED,
    )


def save_task_by_person(
    before: EditionTask, after: EditionTask, move: PersonMove, hand: Hand
) -> Steps[None]:
    """Store what a person's *hand* changed and who did it; take the task from who works on it.

    `LeaseLostError`, and no trace of the transaction, if it moved on since the person saw it.
    """
    yield seized(
        EDITION_TASKS,
        as_held(before),
        _CHANGED,
        _changes(before, after, hand.now),
        condition=_AS_DECIDED,
    )
    yield by_hand(hand, move, before)


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
