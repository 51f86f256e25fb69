"""One collector at a time at a host, and the next one keeps the gap to it (S001-10)."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.storage.database import Database
from clawfeed.storage.polling.host_queue import ClaimRequest
from clawfeed.storage.polling.poll_queue import PollQueue
from tests.storage.polling.test_poll_queue import add_sources, finish
from tests.support.clocks import NOON

GAP = timedelta(milliseconds=250)
LEASE = timedelta(minutes=3)
ORDER = ClaimRequest(now=NOON, limit=4, lease=LEASE, worker="first", per_host=2, spacing=GAP)
SECOND = replace(ORDER, worker="second")


async def test_while_one_collector_is_at_a_host_no_other_goes_there(database: Database) -> None:
    """Its second place neither: only who is alone there can keep the gaps."""
    await add_sources(database, 3, host="a.example")
    [*_, other] = await add_sources(database, 1, host="b.example")
    schedule = PollQueue(database, types=BUILT_IN)
    [first] = await schedule.claim_due(replace(ORDER, limit=1))

    claims = await schedule.claim_due(SECOND)

    assert first.source.host == "a.example"
    assert [claim.source.id for claim in claims] == [other.id]


async def test_racing_collectors_do_not_each_send_the_full_number(database: Database) -> None:
    """(S001-10): none sees the others' leases yet."""
    await add_sources(database, 40, host="a.example")
    schedule = PollQueue(database, types=BUILT_IN)

    for number in range(5):
        later = NOON + number * timedelta(seconds=20)
        orders = [replace(ORDER, now=later, worker=f"{number}-{n}") for n in range(6)]
        batches = await asyncio.gather(*(schedule.claim_due(order) for order in orders))
        claims = [claim for batch in batches for claim in batch]

        assert len(claims) <= 2
        for claim in claims:
            await finish(database, claim, next_at=NOON + 9 * LEASE)


async def test_who_follows_another_to_a_host_holds_off_and_who_returns_does_not(
    database: Database,
) -> None:
    await add_sources(database, 4, host="a.example")
    schedule = PollQueue(database, types=BUILT_IN)
    one_each = [ORDER, ORDER, SECOND, replace(ORDER, now=NOON + 4 * LEASE)]

    found = []
    for order in one_each:
        [claim] = await schedule.claim_due(replace(order, limit=1, now=order.now + LEASE))
        await finish(database, claim, next_at=NOON + 99 * LEASE)
        found.append(claim.hold_off)

    # The last comes when the other's visit is long over.
    assert found == [timedelta(0), timedelta(0), GAP, timedelta(0)]


async def test_those_without_gaps_share_a_host(database: Database) -> None:
    await add_sources(database, 4, host="a.example")
    schedule = PollQueue(database, types=BUILT_IN)
    freely = replace(ORDER, limit=1, spacing=timedelta(0))

    [first] = await schedule.claim_due(freely)
    [second] = await schedule.claim_due(replace(freely, worker="second"))

    assert (first.hold_off, second.hold_off) == (timedelta(0), timedelta(0))
    assert await schedule.claim_due(replace(freely, worker="third")) == []
