"""Editions as rows: made once each, and what the tables refuse."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from clawfeed.domain.editions.edition import EditionTask, TaskState
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.storage.audit import AuditLog, Hand
from clawfeed.storage.database import ConstraintError, Database
from clawfeed.storage.drivers.connect import StorageConfig, open_database
from clawfeed.storage.editions.editions import EditionStore
from tests.support.api_callers import ADMIN, add_people
from tests.support.clocks import NOON
from tests.support.editions import NEW, Rows


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
