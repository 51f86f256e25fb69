"""Somebody sets a cadence, and the source follows it (S004-5)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from clawfeed.domain.errors import LeaseLostError
from clawfeed.domain.ids import SourceId
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.storage.database import Database
from clawfeed.storage.polling.host_queue import ClaimRequest
from clawfeed.storage.polling.poll_queue import PollQueue
from clawfeed.storage.source_changes.source_cadence import apply_cadence_choice
from tests.api.source_server import ANNAS, ANNAS_PUBLIC, PUBLIC, opened
from tests.collector.conftest import Bench
from tests.support.api_callers import ADMIN, ANNA, BEN, as_user
from tests.support.clocks import NOON

pytestmark = pytest.mark.one_database

MINUTE = timedelta(minutes=1)


async def test_who_may_change_a_source_may_set_its_cadence(database: Database) -> None:
    async with opened(database) as house:

        async def wish(source: int, who: int, cadence: str) -> tuple[int, object, object]:
            path, key = f"/api/sources/{source}", as_user(who)
            answer = await house.client.put(path, key, {"cadence": cadence})
            body = answer.json()
            return answer.status, body.get("cadence"), body.get("is_cadence_set")

        own = await wish(ANNAS, ANNA, "P3")
        again = await wish(ANNAS, ANNA, "auto")
        public = await wish(PUBLIC, ADMIN, "P6")
        others = [await wish(ANNAS, BEN, "P0"), await wish(ANNAS_PUBLIC, BEN, "P0")]
        unknown = await wish(ANNAS, ANNA, "P7")

    assert (own, again, public) == ((200, "P3", True), (200, None, False), (200, "P6", True))
    assert [status for status, *_ in others] == [404, 403]
    assert unknown[0] == 422


async def test_it_rules_before_there_is_a_history_and_too_little_history_keeps_it(
    database: Database,
) -> None:
    bench = Bench(database)
    [source] = await bench.add(1)
    await database.run(lambda: apply_cadence_choice(source.id, "P1", BUILT_IN, NOON))

    for _ in range(11):
        await bench.collector().run_once()
        bench.advance(MINUTE * 31)

    assert len(bench.results) == 11
    [row] = await database.read("SELECT cadence, is_cadence_set, schedule_mode FROM source_stats")
    assert [row[name] for name in ("cadence", "is_cadence_set", "schedule_mode")] == [
        "P1",
        1,
        "smart",
    ]


async def test_a_poll_under_way_does_not_write_the_old_one_back(database: Database) -> None:
    """Its result is dropped, and the source is due at once."""
    bench = Bench(database)
    [source] = await bench.add(1)
    await bench.collector().run_once()
    bench.advance(timedelta(hours=5))
    queue = PollQueue(database, types=BUILT_IN)
    order = ClaimRequest(now=bench.clock(), limit=1, lease=MINUTE, worker="w")
    [claim] = await queue.claim_due(order)

    await database.run(
        lambda: apply_cadence_choice(SourceId(source.id), "P0", BUILT_IN, bench.clock())
    )

    with pytest.raises(LeaseLostError):
        await queue.release(claim)
    [row] = await database.read("SELECT cadence FROM source_stats")
    assert row["cadence"] == "P0"
    assert [each.source.id for each in await queue.claim_due(order)] == [source.id]
