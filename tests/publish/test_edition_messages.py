"""Who gets an edition, in which words, and when it may leave."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import time, timedelta

import pytest

from clawfeed.domain.channels.channel import ChannelTiming, QuietHours
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.ids import UserId
from clawfeed.publish.channel_type import ChannelTypes
from clawfeed.publish.edition_messages import OutgoingEditions
from clawfeed.storage.database import Database, execute
from clawfeed.storage.editions.editions import EditionStore
from tests.support.api_callers import ADMIN, ANNA, BEN, add_people
from tests.support.clocks import NOON, FakeClock
from tests.support.deliveries import BASE_URL, add_channel, deliveries, write_edition
from tests.support.editions import NEW
from tests.support.items import add_source, subscribe
from tests.support.message_service import ASK, KINDS, open_message_service

DAY = timedelta(days=1)


async def served(database: Database) -> set[str]:
    """The addresses that have messages."""
    rows = await database.read(
        "SELECT DISTINCT c.address FROM outbox o JOIN channels c ON c.id = o.channel_id"
    )
    return {str(row["address"]) for row in rows}


async def enrol(database: Database, scope: str, *readers: UserId) -> None:
    task = await EditionStore(database).get_or_add(
        replace(NEW, scope=scope, period="News"), now=NOON
    )
    for reader in readers:
        await execute(
            database,
            "INSERT INTO edition_readers (task_id, user_id) VALUES (:task, :user)",
            {"task": task.id, "user": reader},
        )


async def wants(database: Database, reader: UserId, *, is_wanted: bool) -> None:
    await execute(
        database,
        "INSERT INTO reader_editions (user_id, type, is_wanted, next_due_at) "
        "VALUES (:user, 'daily', :wanted, 0)",
        {"user": reader, "wanted": int(is_wanted)},
    )


async def follow(database: Database, reader: UserId, *, since: timedelta = timedelta(0)) -> None:
    await subscribe(database, reader, await add_source(database, f"of {reader}"))
    await execute(
        database,
        "UPDATE user_subscriptions SET created_at = :at WHERE user_id = :user",
        {"at": (NOON - since).timestamp(), "user": reader},
    )


async def test_everybodys_edition_goes_to_the_house_and_to_who_has_none_of_their_own(
    database: Database,
) -> None:
    """(S001-19, S002-7): each gets what they find on their front page, and nothing else."""
    await add_people(database)
    weekly = (EditionType.WEEKLY,)
    await add_channel(database, "house")
    await add_channel(database, "house, weekly", edition_types=weekly)
    await add_channel(database, "alarms only", edition_types=())
    paused = await add_channel(database, "paused")
    await execute(
        database,
        "UPDATE channels SET state = 'paused', paused_because = 'person' WHERE id = :id",
        {"id": paused},
    )
    await add_channel(database, "follows nothing", owner=ADMIN)
    await follow(database, ANNA)
    await add_channel(database, "has an own edition soon", owner=ANNA)
    await follow(database, BEN)
    await wants(database, BEN, is_wanted=False)
    await add_channel(database, "wants no own", owner=BEN)

    await write_edition(database)

    assert await served(database) == {"house", "follows nothing", "wants no own"}


async def test_who_follows_for_long_and_got_nothing_gets_everybodys(database: Database) -> None:
    await add_people(database)
    for reader, name in ((ANNA, "got nothing"), (BEN, "got one")):
        await follow(database, reader, since=3 * DAY)
        await wants(database, reader, is_wanted=True)
        await add_channel(database, name, owner=reader)
    await enrol(database, "set-1", BEN)
    await write_edition(database, scope="set-1")
    before = await served(database)

    await write_edition(database)

    rows = await database.read(
        "SELECT c.address, d.scope FROM outbox o JOIN channels c ON c.id = o.channel_id "
        "JOIN digests d ON d.id = o.digest_id ORDER BY c.address"
    )
    assert before == {"got one"}
    assert [(row["address"], row["scope"]) for row in rows] == [
        ("got nothing", "system"),
        ("got one", "set-1"),
    ]


async def test_a_shared_edition_goes_to_each_of_its_readers_and_to_nobody_else(
    database: Database,
) -> None:
    """(S001-19): two readers of one edition have a channel each."""
    await add_people(database)
    await add_channel(database, "house")
    for reader, name in ((ADMIN, "ada"), (ANNA, "anna"), (BEN, "ben")):
        await add_channel(database, name, owner=reader)
    await execute(database, "UPDATE users SET disabled_at = 1 WHERE id = :id", {"id": BEN})
    await enrol(database, "set-1", ANNA, BEN)

    await write_edition(database, scope="set-1")

    assert await served(database) == {"anna"}


async def test_who_joins_a_shared_edition_after_it_was_written_gets_it_too_and_once(
    database: Database,
) -> None:
    await add_people(database)
    for reader, name in ((ANNA, "anna"), (BEN, "ben")):
        await add_channel(database, name, owner=reader)
    await enrol(database, "set-1", ANNA)
    task, _ = await write_edition(database, scope="set-1")
    clock = FakeClock()
    outgoing = OutgoingEditions(database, lambda: KINDS, clock, base_url=BASE_URL)
    await enrol(database, "set-1", BEN)

    added = await asyncio.gather(*(outgoing.add_missing(task, BEN) for _ in range(5)))
    again = await outgoing.add_missing(task)
    clock.advance(3 * DAY)
    await execute(database, "DELETE FROM outbox")
    too_late = await outgoing.add_missing(task)

    assert (max(added), again, too_late) == (1, 0, 0)


async def test_the_words_are_the_channels_and_are_made_once_for_who_wants_the_same(
    database: Database,
) -> None:
    made: list[str] = []

    def counted(edition: object, config: object) -> object:
        made.append("")
        return ASK.messages(edition, config)  # type: ignore[arg-type] # the same

    types = ChannelTypes([replace(ASK, messages=counted)])  # type: ignore[arg-type] # the same
    for number in range(3):
        await add_channel(database, f"en{number}")
    zh = await add_channel(database, "zh", language="zh")

    await write_edition(database, types=types)

    rows = await database.read("SELECT channel_id, payload FROM outbox ORDER BY channel_id")
    assert [row["payload"] for row in rows] == ["News 1/1 in en"] * 3 + ["News 1/1 in zh"]
    assert (rows[-1]["channel_id"], len(made)) == (zh, 2)


@pytest.mark.parametrize("is_bug", [False, True])
async def test_a_channel_for_which_nothing_can_be_made_keeps_the_edition_from_nobody(
    database: Database, *, is_bug: bool
) -> None:
    """(S002-17): it is seen, and told to its owner if they can mend it; the others have theirs."""
    config = {"parts": "many"} if is_bug else {"is_broken": True}
    broken = await add_channel(database, "broken", config=config)
    await add_channel(database, "good")
    await write_edition(database)

    async with open_message_service() as box, deliveries(database, box.url) as out:
        await out.drain()

        row = await out.message(broken)
        [kept] = await database.read("SELECT * FROM channels WHERE id = :id", {"id": broken})
        assert box.arrived() == ["News 1/1 in en"]
        assert (row["state"], row["last_error_code"]) == (
            "dead",
            "our_bug" if is_bug else "misconfigured",
        )
        assert kept["paused_because"] == (None if is_bug else "failed")


async def test_a_message_waits_for_its_channels_hour_and_for_the_end_of_the_night(
    database: Database,
) -> None:
    """Noon in UTC is 21:00 in Tokyo, in the quiet hours."""
    quiet = ChannelTiming(zone="Asia/Tokyo", quiet=QuietHours(start=time(20), end=time(7)))
    await add_channel(database, "asleep", timing=quiet)
    await add_channel(database, "at six", timing=ChannelTiming(deliver_at=time(18)))
    await write_edition(database)

    async with open_message_service() as box, deliveries(database, box.url) as out:
        arrived = []
        for hours in (0, 5, 1, 3, 1):
            out.clock.advance(timedelta(hours=hours))
            await out.drain()
            arrived.append((len(box.arrived("at six")), len(box.arrived("asleep"))))

    assert arrived == [(0, 0), (0, 0), (1, 0), (1, 0), (1, 1)]


async def test_the_key_is_the_same_whenever_it_is_made_and_another_for_each_part(
    database: Database,
) -> None:
    await add_channel(database, "one", config={"parts": 2})
    _, digest = await write_edition(database)
    rows = await database.read("SELECT idempotency_key FROM outbox")
    outgoing = OutgoingEditions(database, lambda: KINDS, FakeClock(), base_url=BASE_URL)
    await execute(database, "DELETE FROM outbox")
    task = await EditionStore(database).get_or_add(replace(NEW, period="News"), now=NOON)

    await outgoing.add_missing(task)

    again = await database.read("SELECT idempotency_key FROM outbox")
    keys = {str(row["idempotency_key"]) for row in rows}
    assert len(keys) == 2
    assert keys == {str(row["idempotency_key"]) for row in again}
    assert digest
