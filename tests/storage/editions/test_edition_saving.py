"""Editions change only from the state that was decided on, by who holds them or by a person."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest

from clawfeed.domain.editions.edition import EditionTask, TaskState
from clawfeed.domain.editions.edition_decision import (
    EditionFacts,
    Step,
    after_step,
    decide,
)
from clawfeed.domain.editions.edition_interventions import PersonMove, move_by_person
from clawfeed.domain.errors import LeaseLostError
from clawfeed.domain.ids import UserId
from clawfeed.storage.audit import Action, AuditLog, Hand
from clawfeed.storage.database import ConstraintError, Database, Statement, Steps, execute
from clawfeed.storage.dead_workers import holders
from clawfeed.storage.editions.edition_claims import EDITION_TABLES, EditionClaims
from clawfeed.storage.editions.edition_saving import save_task, save_task_by_person
from clawfeed.storage.editions.editions import EditionStore
from clawfeed.storage.leases import Holder
from tests.support.api_callers import ADMIN, add_people
from tests.support.clocks import NOON
from tests.support.deliveries import by_nobody
from tests.support.editions import NEW

HOLDER = Holder(worker="w", lease=timedelta(minutes=5))


async def save(database: Database, before: EditionTask, after: EditionTask) -> None:
    await database.run(lambda: save_task(before, after, now=NOON))


async def claimed(database: Database) -> EditionTask:
    """A task that a worker of ours holds."""
    store = EditionStore(database)
    task = await EditionClaims(database).claim((await store.get_or_add(NEW, now=NOON)).id, HOLDER)
    assert task is not None
    return task


async def test_of_fifty_that_decided_alike_one_makes_the_step(database: Database) -> None:
    """(S002-9, F17): what the others did beside it leaves no trace."""
    task = await claimed(database)
    step: Step = decide(task, EditionFacts(), NOON)

    def steps() -> Steps[None]:
        yield Statement(
            "INSERT INTO stories (scope, title, first_seen_at, last_seen_at) "
            "VALUES ('s', 't', 0, 0)"
        )
        yield from save_task(task, after_step(task, step, NOON), now=NOON)

    results = await asyncio.gather(
        *(database.run(steps) for _ in range(50)), return_exceptions=True
    )

    assert results.count(None) == 1
    assert sum(isinstance(result, LeaseLostError) for result in results) == 49
    assert len(await database.read("SELECT id FROM stories")) == 1


async def test_a_worker_with_an_older_claim_changes_nothing(database: Database) -> None:
    """(F16): it slept, somebody claimed the task, and it is still in the same state."""
    store = EditionStore(database)
    task = await claimed(database)
    await execute(database, "UPDATE edition_tasks SET lease_until = 1")
    newer = await EditionClaims(database).claim(task.id, HOLDER)

    with pytest.raises(LeaseLostError, match="daily edition 2026-11-15 of system was claimed"):
        await save(database, task, replace(task, state=TaskState.LIST_FETCHED))

    assert await store.find(NEW) == newer == replace(task, claim=2)


async def test_nobody_makes_a_step_without_holding_the_task(database: Database) -> None:
    task = await EditionStore(database).get_or_add(NEW, now=NOON)

    with pytest.raises(LeaseLostError):
        await save(database, task, replace(task, state=TaskState.LIST_FETCHED))


async def test_a_person_takes_the_task_from_the_worker_that_holds_it(database: Database) -> None:
    """What the worker decided on before the reset must not be stored after it."""
    task = await claimed(database)
    reset = move_by_person(task, PersonMove.RESET, EditionFacts(), NOON)

    await database.run(lambda: save_task_by_person(task, reset, PersonMove.RESET, by_nobody(NOON)))

    with pytest.raises(LeaseLostError):
        await save(database, task, replace(task, state=TaskState.LIST_FETCHED))
    assert await EditionClaims(database).claim(task.id, HOLDER) is not None


async def test_a_person_changes_nothing_once_the_task_moved_on(database: Database) -> None:
    store = EditionStore(database)
    seen = await store.get_or_add(NEW, now=NOON)
    newer = await claimed(database)

    with pytest.raises(LeaseLostError):
        await database.run(
            lambda: save_task_by_person(seen, seen, PersonMove.RESET, by_nobody(NOON))
        )

    assert await store.find(NEW) == newer
    assert await AuditLog(database).list(limit=9) == []


async def test_every_field_of_a_task_comes_back_as_it_was_saved(database: Database) -> None:
    """(S002-13, S002-7, S002-12)."""
    store = EditionStore(database)
    task = await claimed(database)
    worked = replace(
        task,
        state=TaskState.PROCESSING,
        batch_index=3,
        alarmed_at=NOON,
        started_at=NOON + timedelta(hours=1),
        expires_at=NOON + timedelta(days=9),
    )
    archived = after_step(worked, decide(worked, EditionFacts(), worked.expires_at), NOON)
    published = replace(task, state=TaskState.PUBLISHED, published_at=NOON)

    for before, after in [(task, worked), (worked, archived), (archived, published)]:
        await save(database, before, after)
        assert await store.find(NEW) == after


async def test_a_persons_move_and_its_line_in_the_audit_log_are_one_transaction(
    database: Database,
) -> None:
    """(S002-16)."""
    await add_people(database)
    store = EditionStore(database)
    task = await store.get_or_add(NEW, now=NOON)
    hand = Hand(by=ADMIN, client="192.0.2.1", now=NOON)
    after = move_by_person(task, PersonMove.RESET, EditionFacts(), NOON)

    await database.run(lambda: save_task_by_person(task, after, PersonMove.RESET, hand))

    [event] = await AuditLog(database).list(limit=9)
    assert (event.action, event.detail) == (Action.EDITION_MOVED, f"reset {task.title}")
    assert (event.user_id, event.client, event.at) == (ADMIN, "192.0.2.1", NOON)


async def test_what_a_person_begins_or_triggers_and_its_line_are_one_transaction(
    database: Database,
) -> None:
    """(S002-14): a line that cannot be written leaves no task, and no claim."""
    await add_people(database)
    store, nobody = EditionStore(database), Hand(by=UserId(99), client="", now=NOON)
    hand = Hand(by=ADMIN, client="192.0.2.1", now=NOON)

    with pytest.raises(ConstraintError):
        await store.get_or_add(NEW, now=NOON, hand=nobody)
    before = await store.find(NEW)
    task = await store.get_or_add(NEW, now=NOON, hand=hand)
    with pytest.raises(ConstraintError):
        await EditionClaims(database).claim(task.id, HOLDER, hand=nobody)
    held_by = await holders(database, EDITION_TABLES)
    await EditionClaims(database).claim(task.id, HOLDER, hand=hand)
    held = await EditionClaims(database).claim(task.id, HOLDER, hand=hand)

    assert (before, held_by, held) == (None, set(), None)
    events = await AuditLog(database).list(limit=9)
    assert [(event.action, event.detail, event.client) for event in events] == [
        (Action.EDITION_MOVED, f"trigger {task.title}", "192.0.2.1"),
        (Action.EDITION_MOVED, f"begin {task.title}", "192.0.2.1"),
    ]
