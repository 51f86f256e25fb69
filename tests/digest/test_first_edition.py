"""The first edition of a house, and of who just chose their sources: soon, once, whatever dies."""

from __future__ import annotations

from datetime import timedelta

import pytest

from clawfeed.digest.edition_config import EditionConfig
from clawfeed.digest.triggers.reader_editions import MOST_A_DAY
from clawfeed.digest.triggers.trigger_worker import EditionWorker
from clawfeed.digest.triggers.triggers import EditionTriggers
from clawfeed.domain.editions.edition import SYSTEM_SCOPE, TaskState
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.editions.first_edition import SLOW_ONES
from clawfeed.domain.errors import QuotaError
from clawfeed.storage.database import Database, execute
from clawfeed.storage.digests.digests import DigestStore
from clawfeed.storage.editions.editions import EditionStore
from clawfeed.storage.editions.reader_queue import DueReader
from tests.support.api_callers import ANNA, BEN, add_people
from tests.support.clocks import NOON, FakeClock
from tests.support.edition_driving import Lists, Words, driver_of
from tests.support.items import add_item, add_source, subscribe
from tests.support.sleeping_clock import SECOND, live

MINUTE = timedelta(minutes=1)
DAILY = EditionType.DAILY


def triggers_of(
    database: Database, clock: FakeClock, lists: Lists | None = None, words: Words | None = None
) -> EditionTriggers:
    driver = driver_of(database, lists=lists, words=words, clock=clock)
    return EditionTriggers(database, driver, EditionConfig(), clock, lambda _: False)


def worker_of(triggers: EditionTriggers, clock: FakeClock) -> EditionWorker:
    return EditionWorker(triggers, triggers.trigger, clock, 10 * MINUTE)


async def new_source(database: Database, name: str, clock: FakeClock) -> int:
    """Added now, and not polled yet."""
    source = await add_source(database, name)
    await execute(
        database,
        "UPDATE sources SET created_at = :at, last_fetched_at = NULL WHERE id = :id",
        {"at": clock().timestamp(), "id": source},
    )
    return source


async def polled(database: Database, *sources: int, at: FakeClock) -> None:
    for source in sources:
        await execute(
            database,
            "UPDATE sources SET last_fetched_at = :at WHERE id = :id",
            {"at": at().timestamp(), "id": source},
        )


async def editions(database: Database, reader: int | None = None) -> list[str]:
    heads = await DigestStore(database).list(reader, limit=100)  # type: ignore[arg-type] # an id
    return [head.scope for head in heads if head.type is DAILY]


async def test_a_house_has_its_first_edition_seconds_after_its_sources_were_read(
    database: Database,
) -> None:
    """Not with the first item there is, not an hour later step by step; and the day has one.

    Those that do not answer are waited for twenty seconds. A type that nobody set is never made.
    """
    clock = FakeClock()
    quick = await new_source(database, "a", clock)
    slow = await new_source(database, "b", clock)
    worker = worker_of(triggers_of(database, clock), clock)
    await live(worker, clock, 30)
    nothing_came = await editions(database)

    await add_item(database, quick, "first", at=clock())
    await polled(database, quick, at=clock)
    worker = worker_of(
        triggers_of(database, clock), clock
    )  # another one, that triggers at its start
    await live(worker, clock, (SLOW_ONES - SECOND).total_seconds())
    weekly = EditionConfig(edition_types=(EditionType.WEEKLY,))
    unasked = EditionTriggers(database, driver_of(database), weekly, clock, lambda _: False)
    unasked_due = await unasked.first_due()
    one_is_missing = await EditionStore(database).recent(limit=9)
    await live(worker, clock, 12)
    came = await editions(database)
    await add_item(database, slow, "second", at=clock())
    await polled(database, slow, at=clock)
    await live(worker, clock, 3_600)

    assert (nothing_came, one_is_missing, unasked_due) == ([], [], None)
    assert came == await editions(database) == [SYSTEM_SCOPE]
    [daily] = [t for t in await EditionStore(database).recent(limit=9) if t.type is DAILY]
    assert daily.state is TaskState.PUBLISHED
    assert clock() - NOON < timedelta(hours=2)


async def test_a_first_edition_that_was_cut_off_goes_on_where_it_stood(database: Database) -> None:
    """(S002-3): whoever is next finishes the same one; its list was fetched once."""
    clock = FakeClock()
    source = await add_source(database, "a")
    await add_item(database, source, "first", at=NOON)
    lists = Lists()
    triggers = triggers_of(database, clock, lists)
    task = await triggers.system_task(DAILY)
    assert task is not None
    await driver_of(database, lists=lists, clock=clock).advance(task.id)  # and dies

    await live(worker_of(triggers_of(database, clock, lists), clock), clock, 5)

    assert await editions(database) == [SYSTEM_SCOPE]
    assert len([each for each in lists.fetched if each.id == task.id]) == 1


async def test_who_begins_to_follow_has_an_edition_of_their_own_within_the_minute(
    database: Database,
) -> None:
    """And so does who chooses other sources and asks for it; a new source is waited for."""
    await add_people(database)
    clock = FakeClock()
    old = await add_source(database, "a")
    await add_item(database, old, "first", at=NOON)
    triggers = triggers_of(database, clock)
    worker = worker_of(triggers, clock)
    await live(worker, clock, 65)

    await _follow(database, BEN, old, clock)
    await live(worker, clock, 12)
    first = await editions(database, BEN)
    fresh = await new_source(database, "c", clock)
    await _follow(database, BEN, fresh, clock)
    await triggers.want_now(DueReader(id=BEN, type=DAILY))
    await live(worker, clock, 12)
    unchanged = await editions(database, BEN)  # waits for what was never polled
    await polled(database, fresh, at=clock)
    await live(worker, clock, 30)

    assert first == unchanged
    assert (len(first), len(await editions(database, BEN))) == (2, 3)
    assert len(await editions(database, ANNA)) == 1


async def test_nobody_has_editions_made_without_end(database: Database) -> None:
    """(T26)."""
    await add_people(database)
    clock = FakeClock()
    triggers = triggers_of(database, clock)
    reader = DueReader(id=BEN, type=DAILY)
    for number in range(MOST_A_DAY):
        source = await add_source(database, f"s{number}")
        await add_item(database, source, f"item {number}", at=NOON)
        await subscribe(database, BEN, source)
        await triggers.task_for(reader)

    with pytest.raises(QuotaError):
        await triggers.want_now(reader)


async def _follow(database: Database, reader: int, source: int, clock: FakeClock) -> None:
    await execute(
        database,
        "INSERT INTO user_subscriptions (user_id, source_id, created_at) VALUES (:u, :s, :at)",
        {"u": reader, "s": source, "at": clock().timestamp()},
    )
