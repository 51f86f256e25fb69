"""The queue of messages: what is work for a sender, and what waited for too long."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from itertools import product

import pytest

from clawfeed.domain.editions.delivery import MessageMove, MessageState, delivery_state
from clawfeed.domain.ids import MessageId
from clawfeed.storage.database import Database, execute
from clawfeed.storage.editions.editions import EditionStore
from clawfeed.storage.outbox.outbox import TOO_OLD_AFTER, Outbox
from clawfeed.storage.outbox.outbox_admin import OutboxAdmin
from clawfeed.storage.outbox.outbox_results import OutboxResults
from tests.support.clocks import NOON, FakeClock
from tests.support.counting_database import CountingDatabase
from tests.support.deliveries import add_channel, by_nobody, deliveries, write_edition
from tests.support.editions import NEW, Rows
from tests.support.message_service import open_message_service

SECOND = timedelta(seconds=1)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE channels SET state = 'paused', paused_because = 'person'",
        "UPDATE outbox SET state = 'dead' WHERE part = 1",
        "UPDATE outbox SET state = 'uncertain' WHERE part = 1",
        "INSERT INTO delivery_places (place, next_at) SELECT DISTINCT place, {later} FROM outbox",
    ],
)
async def test_what_nobody_can_send_is_no_work(database: Database, change: str) -> None:
    """Else every worker would open a transaction each second, for as long as it is so."""
    await add_channel(database, "one", config={"parts": 2})
    await write_edition(database)
    outbox, later = Outbox(database), NOON + timedelta(hours=1)
    before = await outbox.look(now=NOON)
    await execute(database, change.format(later=later.timestamp()))

    assert (before.is_work, (await outbox.look(now=NOON)).is_work) == (True, False)


async def test_news_of_long_ago_is_given_up_and_leaves_only_if_a_person_says_so(
    database: Database,
) -> None:
    """(F21): not all that waited for a channel that is back; what is asked for leaves wholly."""
    channel = await add_channel(database, "one", config={"parts": 3})
    await write_edition(database)
    clock, admin = FakeClock(NOON + TOO_OLD_AFTER + SECOND), OutboxAdmin(database)

    async with open_message_service() as box, deliveries(database, box.url, clock=clock) as out:
        await out.drain()
        old, arrived = await admin.get(MessageId(1)), box.arrived()
        await admin.move(old.id, MessageMove.RESEND, by_nobody(clock()))
        await out.drain()

        assert (arrived, old.channel_id, old.state) == ([], channel, "dead")
        assert (old.last_error_code, old.attempts) == ("too_old", 0)
        assert "more than a week" in str(old.last_error)
        assert box.arrived() == [f"News {part}/3 in en" for part in (1, 2, 3)]


async def test_what_could_not_leave_a_week_ago_leaves(database: Database) -> None:
    """It is of the same age, but its hour came later."""
    await add_channel(database, "one")
    await write_edition(database)
    await execute(database, "UPDATE outbox SET not_before = not_before + 2")
    clock = FakeClock(NOON + TOO_OLD_AFTER + SECOND)

    async with open_message_service() as box, deliveries(database, box.url, clock=clock) as out:
        await out.drain()
        assert len(box.arrived()) == 1


async def test_a_look_is_one_statement_and_tells_who_holds_messages(database: Database) -> None:
    """What an idle worker asks every second."""
    rows = Rows(database)
    digest = await rows.digest(await EditionStore(database).get_or_add(NEW, now=NOON))
    for number, worker in enumerate(["b", "a", "b", None]):
        until = 9e12 if worker else None
        channel = await rows.channel(f"c{number}")
        await rows.message(digest, channel, lease_until=until, leased_by=worker)
    counting = CountingDatabase(database)

    look = await Outbox(counting).look(now=NOON)

    assert (look.holders, look.is_work) == (("a", "b"), True)
    assert len(counting.statements) == 1


@pytest.mark.parametrize(("lease", "is_work"), [(-1, True), (600, False), (86_400, True)])
async def test_a_lease_that_is_over_or_of_a_lost_future_is_work(
    database: Database, lease: int, is_work: bool
) -> None:
    """(F15): nothing else need be due for it to be freed."""
    await add_channel(database, "one")
    await write_edition(database)
    await execute(
        database,
        "UPDATE outbox SET state = 'sending', leased_by = 'elsewhere', "
        f"lease_until = {database.dialect.now} + {lease}",
    )

    assert (await Outbox(database).look(now=NOON)).is_work is is_work


async def test_an_edition_is_finished_when_its_deliveries_are_settled(database: Database) -> None:
    """(S002-17): the list for the driver follows the one rule for it, in every combination."""
    rows, store = Rows(database), EditionStore(database)
    channel, settled = await rows.channel("one"), set[int]()
    combinations = [each for n in (1, 2) for each in product(MessageState, repeat=n)]
    for number, states in enumerate(combinations):
        task = await store.get_or_add(replace(NEW, scope=f"s{number}"), now=NOON)
        digest = await rows.digest(task)
        for part, state in enumerate(states, 1):
            await rows.message(digest, channel, part, state=state)
        settled |= {task.id} if delivery_state(states).is_settled else set()
    await execute(database, "UPDATE edition_tasks SET state = 'aggregating'")

    assert set(await OutboxResults(database).finished_tasks()) == settled
