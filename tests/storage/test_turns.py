"""One request at a time at a host, whoever asks (S001-10)."""

from __future__ import annotations

import asyncio
from datetime import timedelta

from clawfeed.storage.database import Database, execute
from clawfeed.storage.opening import StorageConfig, open_database
from clawfeed.storage.schedule import Order, ScheduleStore
from clawfeed.storage.sources import NewSource, SourceStore
from clawfeed.storage.turns import HostTurns
from tests.support.clocks import NOON

MINUTE = timedelta(minutes=1)


async def test_a_turn_lasts_for_its_gap_and_others_hosts_have_their_own(database: Database) -> None:
    turns = HostTurns(database)

    waits = [
        await turns.take("a.example", MINUTE, at=NOON + seconds * timedelta(seconds=1))
        for seconds in (0, 0, 59, 60, 61)
    ]
    other = await turns.take("b.example", MINUTE, at=NOON)

    assert waits == [None, MINUTE, timedelta(seconds=1), None, timedelta(seconds=59)]
    assert other is None


async def test_a_host_that_asked_for_rest_has_no_turns(database: Database) -> None:
    await execute(
        database,
        "INSERT INTO host_cooldowns (host, until, because) VALUES ('a.example', :until, 'asked')",
        {"until": (NOON + 5 * MINUTE).timestamp()},
    )

    assert await HostTurns(database).take("a.example", MINUTE, at=NOON) == 5 * MINUTE


async def test_a_turn_from_a_lost_future_does_not_count(database: Database) -> None:
    """F15: the clock went back by a month."""
    turns = HostTurns(database)
    await turns.take("a.example", MINUTE, at=NOON + timedelta(days=30))

    waits = [await turns.take("a.example", MINUTE, at=NOON) for _ in range(2)]

    assert waits == [None, MINUTE]


async def test_of_many_collectors_at_once_one_gets_the_turn(database_url: str) -> None:
    databases = [await open_database(StorageConfig(url=database_url)) for _ in range(4)]
    try:
        waits = await asyncio.gather(
            *(HostTurns(databases[n % 4]).take("a.example", MINUTE, at=NOON) for n in range(20))
        )
    finally:
        for database in databases:
            await database.close()

    assert sorted(waits, key=lambda wait: wait or timedelta(0)) == [None] + 19 * [MINUTE]


async def test_while_a_turn_lasts_nobody_claims_a_source_there(database: Database) -> None:
    new = NewSource(type="reddit", name="r", config={}, host="reddit.com")
    await SourceStore(database).add(new, now=NOON)
    schedule = ScheduleStore(database)
    order = Order(now=NOON, limit=5, lease=MINUTE, worker="other")
    await HostTurns(database).take("reddit.com", MINUTE, at=NOON)

    early = await schedule.claim_due(order)
    late = await schedule.claim_due(
        Order(now=NOON + 2 * MINUTE, limit=5, lease=MINUTE, worker="other")
    )

    assert (len(early), len(late)) == (0, 1)
