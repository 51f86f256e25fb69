"""What is known of an edition: its articles, its batch, what is delivered."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from clawfeed.domain.editions.delivery import DeliveryState
from clawfeed.domain.editions.edition_decision import (
    EditionFacts,
    OpenBatch,
)
from clawfeed.storage.database import Database
from clawfeed.storage.editions.edition_facts import edition_facts
from clawfeed.storage.editions.editions import EditionStore
from tests.support.api_callers import ANNA, BEN, add_people
from tests.support.clocks import NOON
from tests.support.editions import NEW, Rows

# By the database's own clock, which is not the test's: long over; and longer than any lease, so
# from before that clock went back (F15).
LONG_AGO, LOST_FUTURE = 1.0, 9e9


async def test_a_new_task_has_no_facts_but_itself(database: Database) -> None:
    store = EditionStore(database)

    assert await edition_facts(database, await store.get_or_add(NEW, now=NOON)) == EditionFacts()


async def test_the_facts_tell_what_is_held_from_what_a_crash_left(database: Database) -> None:
    """(S002-10, F15): by the database's clock; another task's rows do not count."""
    [clock] = await database.read(f"SELECT {database.dialect.now} AS now")
    store, rows = EditionStore(database), Rows(database)
    task = await store.get_or_add(NEW, now=NOON)
    other = await store.get_or_add(replace(NEW, scope="f00"), now=NOON)
    await rows.article(other, 1)
    await rows.article(task, 1, state="completed", result="{}", batch_index=1)
    await rows.article(task, 2, state="completed", result="{}", batch_index=2)
    await rows.article(task, 3, state="processing", lease_until=clock["now"] + 600, batch_index=2)
    await rows.article(task, 4, state="processing", lease_until=LONG_AGO, batch_index=2)
    # Taken back from a worker known to be dead: no lease at all.
    await rows.article(task, 5, state="processing", batch_index=2)
    await rows.article(task, 6, state="processing", lease_until=LOST_FUTURE, batch_index=2)
    await rows.article(task, 7, state="failed")
    await rows.article(task, 8)
    await rows.batch(task, 1, 1, outcome="success", duration_seconds=1.0)
    await rows.batch(task, 2, 5)

    facts = await edition_facts(database, task)

    batch = OpenBatch(index=2, articles=5, completed=1)
    assert facts == EditionFacts(
        pending=1, held=1, lapsed=3, completed=2, failed=1, open_batch=batch
    )


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

    facts = await edition_facts(database, task)

    assert facts.has_digest
    assert facts.deliveries == (DeliveryState.PARTIAL, DeliveryState.PENDING)
    assert facts.deliver_from == evening
