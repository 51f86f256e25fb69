"""Editions as rows: made once, moved from the state they were in, known by their facts."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from clawfeed.domain.editions.delivery import DeliveryState
from clawfeed.domain.editions.edition import EditionTask, TaskState
from clawfeed.domain.editions.edition_decision import (
    Facts,
    OpenBatch,
    Step,
    after_step,
    decide,
)
from clawfeed.domain.editions.edition_interventions import PersonMove, move_by_person
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.errors import LeaseLostError
from clawfeed.domain.ids import UserId
from clawfeed.storage.audit import Action, AuditLog, Hand
from clawfeed.storage.database import ConstraintError, Database, Statement, Steps, execute
from clawfeed.storage.drivers.connect import StorageConfig, open_database
from clawfeed.storage.editions.editions import EditionStore, save_task, save_task_by_person
from clawfeed.storage.leases import Holder
from tests.support.api_callers import ADMIN, ANNA, BEN, add_people
from tests.support.clocks import NOON
from tests.support.deliveries import by_nobody
from tests.support.editions import NEW, Rows

# By the database's own clock, which is not the test's.
LONG_AGO, FAR_AHEAD = 1.0, 9e9
HOLDER = Holder(worker="w", lease=timedelta(minutes=5))


async def save(database: Database, before: EditionTask, after: EditionTask) -> None:
    await database.run(lambda: save_task(before, after, now=NOON))


async def claimed(database: Database) -> EditionTask:
    """A task that a worker of ours holds."""
    store = EditionStore(database)
    task = await store.claim((await store.get_or_add(NEW, now=NOON)).id, HOLDER)
    assert task is not None
    return task


async def test_fifty_triggers_at_once_make_one_task(database: Database, database_url: str) -> None:
    """(F17, I6): in two processes' worth of connections."""
    other = await open_database(StorageConfig(url=database_url))
    stores = [EditionStore(database), EditionStore(other)]

    made = await asyncio.gather(
        *(stores[n % 2].get_or_add(NEW, now=NOON + timedelta(seconds=n)) for n in range(50))
    )
    await other.close()

    assert len(set(made)) == 1
    assert made[0].state is TaskState.INIT
    assert len(await database.read("SELECT id FROM edition_tasks")) == 1


async def test_another_scope_type_or_period_is_another_task(database: Database) -> None:
    """(Settled question 12)."""
    store = EditionStore(database)
    others = [
        replace(NEW, scope="f00"),
        replace(NEW, type=EditionType.WEEKLY),
        replace(NEW, period="2026-11-16"),
    ]

    tasks = [await store.get_or_add(new, now=NOON) for new in (NEW, *others)]

    assert len({task.id for task in tasks}) == 4
    assert [await store.find(new) for new in (NEW, *others)] == tasks
    assert await store.find(replace(NEW, period="2026-11-17")) is None


async def test_of_fifty_that_decided_alike_one_makes_the_step(database: Database) -> None:
    """(S002-9, F17): what the others did beside it leaves no trace."""
    task = await claimed(database)
    step: Step = decide(task, Facts(), NOON)

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
    newer = await store.claim(task.id, HOLDER)

    with pytest.raises(LeaseLostError, match="daily edition 2026-11-15 of system was claimed"):
        await save(database, task, replace(task, state=TaskState.LIST_FETCHED))

    assert await store.find(NEW) == newer == replace(task, claim=2)


async def test_nobody_makes_a_step_without_holding_the_task(database: Database) -> None:
    task = await EditionStore(database).get_or_add(NEW, now=NOON)

    with pytest.raises(LeaseLostError):
        await save(database, task, replace(task, state=TaskState.LIST_FETCHED))


async def test_a_person_takes_the_task_from_the_worker_that_holds_it(database: Database) -> None:
    """What the worker decided on before the reset must not be stored after it."""
    store = EditionStore(database)
    task = await claimed(database)
    reset = move_by_person(task, PersonMove.RESET, Facts(), NOON)

    await database.run(lambda: save_task_by_person(task, reset, PersonMove.RESET, by_nobody(NOON)))

    with pytest.raises(LeaseLostError):
        await save(database, task, replace(task, state=TaskState.LIST_FETCHED))
    assert await store.claim(task.id, HOLDER) is not None


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
    archived = after_step(worked, decide(worked, Facts(), worked.expires_at), NOON)
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
    after = move_by_person(task, PersonMove.RESET, Facts(), NOON)

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
        await store.claim(task.id, HOLDER, hand=nobody)
    holders = await store.holders()
    await store.claim(task.id, HOLDER, hand=hand)
    held = await store.claim(task.id, HOLDER, hand=hand)

    assert (before, holders, held) == (None, [], None)
    events = await AuditLog(database).list(limit=9)
    assert [(event.action, event.detail, event.client) for event in events] == [
        (Action.EDITION_MOVED, f"trigger {task.title}", "192.0.2.1"),
        (Action.EDITION_MOVED, f"begin {task.title}", "192.0.2.1"),
    ]


async def test_however_many_begin_it_at_once_one_is_written_down(
    database: Database, database_url: str
) -> None:
    """(F17, I6)."""
    await add_people(database)
    other = await open_database(StorageConfig(url=database_url))
    stores = [EditionStore(database), EditionStore(other)]
    hand = Hand(by=ADMIN, client="", now=NOON)

    await asyncio.gather(*(stores[n % 2].get_or_add(NEW, now=NOON, hand=hand) for n in range(20)))
    await other.close()

    assert len(await AuditLog(database).list(limit=9)) == 1


async def test_a_new_task_has_no_facts_but_itself(database: Database) -> None:
    store = EditionStore(database)

    assert await store.facts(await store.get_or_add(NEW, now=NOON)) == Facts()


async def test_the_facts_tell_what_is_held_from_what_a_crash_left(database: Database) -> None:
    """(S002-10): by the database's clock; another task's rows do not count."""
    store, rows = EditionStore(database), Rows(database)
    task = await store.get_or_add(NEW, now=NOON)
    other = await store.get_or_add(replace(NEW, scope="f00"), now=NOON)
    await rows.article(other, 1)
    await rows.article(task, 1, state="completed", result="{}", batch_index=1)
    await rows.article(task, 2, state="completed", result="{}", batch_index=2)
    await rows.article(task, 3, state="processing", lease_until=FAR_AHEAD, batch_index=2)
    await rows.article(task, 4, state="processing", lease_until=LONG_AGO, batch_index=2)
    # Taken back from a worker known to be dead: no lease at all.
    await rows.article(task, 5, state="processing", batch_index=2)
    await rows.article(task, 6, state="failed")
    await rows.article(task, 7)
    await rows.batch(task, 1, 1, outcome="success", duration_seconds=1.0)
    await rows.batch(task, 2, 4)

    facts = await store.facts(task)

    batch = OpenBatch(index=2, articles=4, completed=1)
    assert facts == Facts(pending=1, held=1, lapsed=2, completed=2, failed=1, open_batch=batch)


async def test_a_shared_edition_is_delivered_to_each_readers_channel(database: Database) -> None:
    """(S002-17, S001-19): derived from the messages; a paused channel holds up nobody."""
    await add_people(database)
    store, rows = EditionStore(database), Rows(database)
    task = await store.get_or_add(NEW, now=NOON)
    digest = await rows.digest(task)
    anna, ben = [await rows.channel("us@example.org", owner=user) for user in (ANNA, BEN)]
    paused = await rows.channel("p@example.org", state="paused", paused_because="failed")
    evening = NOON + timedelta(hours=7)
    await rows.message(digest, anna, 1, state="sent")
    await rows.message(digest, anna, 2, state="dead")
    await rows.message(digest, ben, 1, not_before=evening.timestamp())
    await rows.message(digest, paused)

    facts = await store.facts(task)

    assert facts.has_digest
    assert facts.deliveries == (DeliveryState.PARTIAL, DeliveryState.PENDING)
    assert facts.deliver_from == evening


Act = Callable[[Rows, EditionTask], Awaitable[object]]


async def _two_digests(rows: Rows, task: EditionTask) -> None:
    await rows.digest(task)
    await rows.digest(task, task_id=None)


async def _part_twice(rows: Rows, task: EditionTask) -> None:
    digest, channel = await rows.digest(task), await rows.channel("a")
    await rows.message(digest, channel)
    await rows.message(digest, channel, idempotency_key="another")


async def _key_twice(rows: Rows, task: EditionTask) -> None:
    digest, channel = await rows.digest(task), await rows.channel("a")
    await rows.message(digest, channel, 1, idempotency_key="k")
    await rows.message(digest, channel, 2, idempotency_key="k")


async def _place_twice(rows: Rows, _task: EditionTask) -> None:
    await rows.channel("chat")
    await rows.channel("chat")


async def _two_batches(rows: Rows, task: EditionTask) -> None:
    await rows.batch(task, 1, 8)
    await rows.batch(task, 2, 8)


IMPOSSIBLE: dict[str, Act] = {
    "two digests of one period (I6)": _two_digests,
    "a part twice (I7)": _part_twice,
    "one idempotency key for two messages (I7)": _key_twice,
    "one chat as two channels": _place_twice,
    "two batches at once (S002-10)": _two_batches,
    "an article without words": lambda rows, task: rows.article(task, 1, state="completed"),
    "a pause without a reason": lambda rows, _task: rows.channel("a", state="paused"),
}


@pytest.mark.parametrize("act", IMPOSSIBLE.values(), ids=IMPOSSIBLE)
async def test_the_tables_refuse_what_must_never_be(database: Database, act: Act) -> None:
    task = await EditionStore(database).get_or_add(NEW, now=NOON)

    with pytest.raises(ConstraintError):
        await act(Rows(database), task)


async def test_a_digest_of_another_kind_may_have_the_same_period(database: Database) -> None:
    rows = Rows(database)
    task = await EditionStore(database).get_or_add(NEW, now=NOON)
    await rows.digest(task)

    assert await rows.digest(task, task_id=None, kind="another")
