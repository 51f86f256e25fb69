"""Figures that people read: who waits for a turn."""

from __future__ import annotations

from datetime import timedelta

from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.storage.collector_status import waiting_for_turns
from clawfeed.storage.database import Database, execute
from clawfeed.storage.host_queue import ClaimRequest
from clawfeed.storage.poll_queue import PollQueue
from clawfeed.storage.sources import NewSource, SourceStore
from tests.support.clocks import NOON


async def test_sources_at_a_resting_host_wait_and_the_first_has_a_date(database: Database) -> None:
    for name, host in (("a", "busy"), ("b", "busy"), ("c", "free")):
        new = NewSource(type="rss", name=name, config={"url": f"https://{name}.example"}, host=host)
        await SourceStore(database).add(new, now=NOON)
    until = NOON + timedelta(seconds=50)
    await execute(
        database,
        "INSERT INTO host_cooldowns (host, until, because) VALUES ('busy', :until, 'resting')",
        {"until": until.timestamp()},
    )
    before = await waiting_for_turns(database)

    order = ClaimRequest(now=NOON, limit=5, lease=timedelta(minutes=3), worker="w")
    claims = await PollQueue(database, types=BUILT_IN).claim_due(order)

    waiting = await waiting_for_turns(database)
    assert before is None
    assert [claim.source.name for claim in claims] == ["c"]
    assert waiting is not None
    assert waiting.count == 2
    assert until <= waiting.first_at <= until + order.spacing
