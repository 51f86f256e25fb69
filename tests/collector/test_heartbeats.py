"""Each collector's last heartbeat, and when nobody's is missed (S000-22)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from clawfeed.collector.loop import SLACK
from clawfeed.domain.because import Because, Rule
from clawfeed.domain.errors import Reason, SourceError
from clawfeed.domain.polling.offline_probing import LONGEST_PROBE
from clawfeed.domain.sources.source import Fetched, Source
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.storage.database import Database, execute
from clawfeed.storage.operations.collector_metrics import fleet_figures
from clawfeed.storage.polling.collector_heartbeats import (
    GRACE,
    HEARTBEATS_KEPT,
    collector_liveness,
    remove_old_heartbeats,
)
from clawfeed.storage.polling.host_queue import ClaimRequest
from clawfeed.storage.polling.poll_queue import PollQueue
from tests.collector.conftest import Bench, until
from tests.support.clocks import NOON

MINUTE = timedelta(minutes=1)
TICK = timedelta(hours=1)


async def test_a_loop_gives_a_sign_that_holds_for_its_tick_and_no_longer(bench: Bench) -> None:
    """Frozen, it owes the next one in vain; back again, it is alive again."""
    await bench.add(1)
    held = TICK + bench.pace.lease + SLACK
    async with bench.running(tick=TICK):
        await until(lambda: len(bench.results) == 1)
        begun = await collector_liveness(bench.database, NOON)
        asleep = await collector_liveness(bench.database, NOON + held)
        frozen = await collector_liveness(bench.database, NOON + held + MINUTE)
    bench.advance(held + MINUTE)
    await bench.collector().run_once()
    back = await collector_liveness(bench.database, bench.clock())

    assert [liveness.alive for liveness in (begun, asleep, frozen, back)] == [1, 1, 0, 1]
    [heartbeat] = back.collectors
    assert (heartbeat.worker, heartbeat.started_at, heartbeat.seen_at) == (
        "tester",
        NOON,
        bench.clock(),
    )


async def test_who_was_stopped_or_is_known_to_be_dead_is_not_alive(bench: Bench) -> None:
    """Else every restart leaves one more "alive" for minutes; they stay on the list of the day."""
    await bench.add(2)
    async with bench.running():
        await until(lambda: len(bench.results) == 2)
        running = await collector_liveness(bench.database, NOON)
    stopped = await collector_liveness(bench.database, NOON)
    await execute(bench.database, "UPDATE source_stats SET next_due_at = 1")
    queue = PollQueue(bench.database, types=BUILT_IN)
    await queue.claim_due(ClaimRequest(now=NOON, limit=1, lease=TICK, worker="dead", owes=TICK))
    killed = await collector_liveness(bench.database, NOON)

    assert await queue.take_back(["dead"]) == 1

    buried = await collector_liveness(bench.database, NOON)
    assert [liveness.alive for liveness in (running, stopped, killed, buried)] == [1, 0, 1, 0]
    assert {heartbeat.worker for heartbeat in buried.collectors} == {"tester", "dead"}


async def test_a_collector_that_waits_for_its_network_is_alive_between_two_probes(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    """It writes nothing meanwhile, for longer than a short tick lets it owe a heartbeat."""
    bench.is_offline = True
    await bench.add(1)

    def answer(_source: Source) -> Fetched:
        raise SourceError(Reason.OFFLINE, "down", postponed=Because(Rule.OFFLINE))

    bench.fetcher.answer = answer
    async with bench.running(tick=timedelta(milliseconds=50)):
        await until(lambda: "our own network is down" in caplog.text)
        bench.advance(LONGEST_PROBE)
        await until(lambda: len(bench.fetcher.seen) == 1)
        waiting = await collector_liveness(bench.database, bench.clock() + LONGEST_PROBE)

    assert waiting.alive == 1


async def test_nobody_is_missed_before_a_source_has_been_due_for_a_while(bench: Bench) -> None:
    """A source nobody ever came for is due since it was added, planned or not."""
    empty = await collector_liveness(bench.database, NOON)
    [source] = await bench.add(1)
    late = NOON + GRACE + MINUTE

    new = [
        (await collector_liveness(bench.database, at)).is_missed(at) for at in (NOON + GRACE, late)
    ]
    figures = await fleet_figures(bench.database, now=late)
    await execute(
        bench.database,
        "INSERT INTO source_stats (source_id, source_type, next_due_at, created_at, updated_at) "
        "VALUES (:id, 'rss', 0, 0, 0)",
        {"id": source.id},
    )
    await execute(bench.database, "UPDATE sources SET has_stats = 1")
    planned = (await collector_liveness(bench.database, late)).is_missed(late)
    await execute(bench.database, "UPDATE source_stats SET next_due_at = 9e9")
    waiting = (await collector_liveness(bench.database, late)).is_missed(late)

    assert not empty.is_missed(late)
    assert (new, planned, waiting) == ([False, True], True, False)
    assert (figures.sources["due"], figures.due_lag) == (1, GRACE + MINUTE)
    assert (figures.collectors_alive, figures.last_heartbeat) == (0, None)


async def test_a_sign_of_a_lost_future_proves_nothing_and_old_ones_are_forgotten(
    database: Database,
) -> None:
    """(F15)."""
    ages = (-timedelta(days=9), HEARTBEATS_KEPT + MINUTE, MINUTE)
    for age in ages:
        await execute(
            database,
            "INSERT INTO collector_heartbeats (worker, started_at, seen_at, expected_by) "
            "VALUES (:name, 0, :at, 9e9)",
            {"name": str(age), "at": (NOON - age).timestamp()},
        )

    before = await collector_liveness(database, NOON)
    await remove_old_heartbeats(database, now=NOON)
    after = await collector_liveness(database, NOON)

    assert [heartbeat.is_alive for heartbeat in before.collectors] == [False, True, True]
    assert [heartbeat.worker for heartbeat in after.collectors] == [str(MINUTE)]
