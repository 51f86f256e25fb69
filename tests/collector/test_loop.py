"""The loop: side by side, within its limits, undisturbed, and stopped well."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from datetime import timedelta

import pytest

from clawfeed.app.clock import system_clock
from clawfeed.collector.poll import PollConfig
from clawfeed.domain.errors import Reason, SourceError
from clawfeed.domain.polling.poll_decision import PollRules
from clawfeed.domain.schedule.interval import Intervals
from clawfeed.domain.sources.item import Draft
from clawfeed.domain.sources.source import Failed, Fetched, NotModified, Skipped, Source
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.storage.database import execute
from clawfeed.storage.polling.host_queue import ClaimRequest
from clawfeed.storage.polling.poll_queue import PollQueue
from tests.collector.conftest import Bench, until

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


async def test_polls_run_side_by_side_up_to_the_slots(bench: Bench) -> None:
    """(S000-9): ten due, limit three: three at once, and never more."""
    await bench.add(10)
    bench.fetcher.gate.clear()

    async with bench.running(slots=3):
        await until(lambda: bench.fetcher.in_flight == 3)
        held = await bench.database.read("SELECT 1 FROM source_stats WHERE lease_until > 0")
        assert len(held) == 3
        bench.fetcher.gate.set()
        await until(lambda: len(bench.results) == 10)

    assert bench.fetcher.most_in_flight == 3


async def test_a_source_added_while_the_loop_runs_is_found_at_the_next_tick(
    bench: Bench,
) -> None:
    """(S000-5)."""
    async with bench.running():
        await bench.pass_rounds()
        assert bench.results == []
        [source] = await bench.add(1)
        await until(lambda: len(bench.results) == 1)

    assert bench.results[0].source.id == source.id
    assert bench.results[0].inserted == 1


async def test_the_first_tick_is_immediate(bench: Bench) -> None:
    """(S000-6): nobody waits an hour for it."""
    await bench.add(1)

    async with bench.running(tick=HOUR):
        await until(lambda: len(bench.results) == 1)


async def test_a_single_round_waits_for_those_that_wait_for_their_turn(bench: Bench) -> None:
    """(S001-14, S001-10): two at a time, and all of them."""
    bench.clock = system_clock
    await bench.add(12, host="crowded.example")

    await bench.collector(per_host=2, host_spacing=timedelta(milliseconds=20)).run_once()

    assert len({result.source.id for result in bench.results}) == len(bench.results) == 12
    assert bench.fetcher.most_in_flight <= 2


async def test_a_single_round_neither_waits_for_a_resting_host_nor_stops_at_it(
    bench: Bench,
) -> None:
    """(S001-14): forty are in front of the queue, and may not be asked for an hour."""
    bench.clock = system_clock
    await bench.add(40, host="resting.example")
    others = await bench.add(3)
    await execute(
        bench.database,
        "INSERT INTO host_cooldowns (host, until, because) VALUES ('resting.example', :at, '429')",
        {"at": (system_clock() + HOUR).timestamp()},
    )

    await bench.collector(slots=2, per_host=2).run_once()

    assert {result.source.id for result in bench.results} == {source.id for source in others}


@pytest.mark.parametrize(("worker", "polls"), [("dead", 1), ("alive", 0)])
async def test_what_a_dead_collector_holds_is_taken_back_while_we_run(
    bench: Bench, worker: str, polls: int
) -> None:
    """(I3, F1): its last claim may come after our start, when the database was slow with it."""
    await bench.add(1)
    order = ClaimRequest(now=bench.clock(), limit=1, lease=HOUR, worker=worker)
    assert len(await PollQueue(bench.database, types=BUILT_IN).claim_due(order)) == 1

    async with bench.running():
        if polls:
            await until(lambda: len(bench.results) == polls)
        await bench.pass_rounds()

    assert len(bench.results) == polls


async def test_nothing_is_polled_twice_before_its_date(bench: Bench) -> None:
    await bench.add(2)

    async with bench.running():
        await until(lambda: len(bench.results) == 2)
        await bench.pass_rounds()
        assert len(bench.results) == 2
        bench.advance(4 * HOUR + MINUTE)
        await until(lambda: len(bench.results) == 4)

    assert [result.inserted for result in bench.results] == [1, 1, 0, 0]


async def test_the_loop_wakes_at_the_next_date_before_the_next_tick(bench: Bench) -> None:
    """Whichever is first: the date or the tick; here the tick is an hour away."""
    await bench.add(1)
    await bench.collector().run_once()
    due_at = system_clock() + timedelta(milliseconds=300)
    await execute(
        bench.database,
        "UPDATE source_stats SET next_due_at = :at",
        {"at": due_at.timestamp()},
    )
    bench.clock = system_clock

    async with bench.running(tick=HOUR):
        await until(lambda: len(bench.results) == 2)

    assert system_clock() >= due_at


async def test_a_failing_source_is_recorded_and_disturbs_no_other(bench: Bench) -> None:
    """(S000-10)."""
    sources = await bench.add(3)

    def answer(source: Source) -> Fetched | NotModified:
        if source.id == sources[0].id:
            raise SourceError(Reason.BROKEN, "the server answered 500", status=500)
        if source.id == sources[1].id:
            raise ZeroDivisionError
        return Fetched(drafts=())

    bench.fetcher.answer = answer
    await bench.collector().run_once()

    outcomes = {result.source.id: result.outcome for result in bench.results}
    rows = await bench.database.read("SELECT id, fetch_error_count AS n FROM sources ORDER BY id")
    assert isinstance(outcomes[sources[0].id], Failed)
    assert outcomes[sources[1].id] == Failed(
        reason=Reason.OUR_BUG, detail="a bug in ClawFeed: ZeroDivisionError"
    )
    assert isinstance(outcomes[sources[2].id], Fetched)
    assert [row["n"] for row in rows] == [1, 1, 0]


async def test_five_failures_in_a_row_pause_a_source(bench: Bench) -> None:
    """(S000-11)."""
    await bench.add(1)

    def fail(_source: Source) -> Fetched | NotModified:
        raise SourceError(Reason.BROKEN, "the server answered 500", status=500)

    bench.fetcher.answer = fail
    for _ in range(7):
        await bench.collector().run_once()
        bench.advance(24 * HOUR)

    [row] = await bench.database.read("SELECT is_active, fetch_error_count FROM sources")
    assert (row["is_active"], row["fetch_error_count"]) == (0, 5)
    assert len(bench.fetcher.seen) == 5


async def test_auto_pause_can_be_turned_off(bench: Bench) -> None:
    """Settled question 2: `AUTO_PAUSE_AFTER=0`."""
    await bench.add(1)
    bench.config = PollConfig(
        worker="tester", intervals=Intervals(types=BUILT_IN), rules=PollRules(auto_pause_after=0)
    )

    def fail(_source: Source) -> Fetched | NotModified:
        raise SourceError(Reason.BROKEN, "500", status=500)

    bench.fetcher.answer = fail
    for _ in range(7):
        await bench.collector().run_once()
        bench.advance(25 * HOUR)

    assert len(bench.fetcher.seen) == 7


async def test_a_type_nobody_reads_is_skipped_without_an_error(bench: Bench) -> None:
    """(S000-12)."""
    await bench.add(2, "gopher")

    await bench.collector().run_once()

    assert {type(result.outcome) for result in bench.results} == {Skipped}
    rows = await bench.database.read("SELECT fetch_error_count AS n, last_error FROM sources")
    assert {(row["n"], row["last_error"]) for row in rows} == {(0, None)}


async def test_a_poll_that_hangs_is_cut_off_before_its_lease_ends(bench: Bench) -> None:
    await bench.add(1)
    bench.config = replace(bench.config, longest_poll=timedelta(milliseconds=50))
    bench.fetcher.gate.clear()

    await bench.collector().run_once()

    [result] = bench.results
    assert isinstance(result.outcome, Failed)
    assert result.outcome.reason is Reason.TIMED_OUT


async def test_stop_takes_no_new_work_and_waits_for_what_runs(bench: Bench) -> None:
    """(S000-7, S000-14)."""
    await bench.add(5)
    bench.fetcher.gate.clear()
    collector = bench.collector(slots=2)
    task = asyncio.create_task(collector.run())
    await until(lambda: bench.fetcher.in_flight == 2)

    collector.stop()
    bench.fetcher.gate.set()
    await task

    assert len(bench.results) == len(bench.fetcher.seen) == 2


async def test_what_is_cut_off_is_given_back_at_once(bench: Bench) -> None:
    """F26: the next collector need not wait for the lease."""
    await bench.add(1)
    bench.fetcher.gate.clear()
    task = asyncio.create_task(bench.collector().run())
    await until(lambda: bench.fetcher.in_flight == 1)

    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    rows = await bench.database.read("SELECT lease_until FROM source_stats")
    assert [row["lease_until"] for row in rows] == [None]


async def test_due_sources_are_announced_with_their_count_and_silence_otherwise(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    """(S000-8)."""
    caplog.set_level(logging.INFO)
    async with bench.running():
        await bench.pass_rounds()
    await bench.add(3)

    async with bench.running():
        await until(lambda: len(bench.results) == 3)

    announcements = [r for r in caplog.records if r.message == "sources due"]
    assert [record.__dict__["count"] for record in announcements] == [3]


async def test_a_broken_database_is_waited_for(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    """F7: the loop dozes and tries again instead of ending."""
    async with bench.running():
        await bench.database.close()
        await until(lambda: "could not claim sources" in caplog.text)


async def test_a_clock_that_goes_back_freezes_nobody(bench: Bench) -> None:
    """(I3, F15): dates of a future that never came are mended at the next tick."""
    await bench.add(2)
    bench.advance(timedelta(days=400))

    async with bench.running():
        await until(lambda: len(bench.results) == 2)
        bench.advance(timedelta(days=-400))
        await until(lambda: len(bench.results) == 4)
        await bench.pass_rounds()

    assert len(bench.results) == 4


async def test_a_clock_that_jumps_ahead_polls_once_not_once_per_missed_interval(
    bench: Bench,
) -> None:
    """F15: no herd of catch-up polls."""
    await bench.add(2)

    async with bench.running():
        await until(lambda: len(bench.results) == 2)
        bench.advance(timedelta(days=30))
        await until(lambda: len(bench.results) == 4)
        await bench.pass_rounds()

    assert len(bench.results) == 4


async def test_each_run_that_is_kept_is_told_with_its_count(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    """(S003-10)."""
    caplog.set_level(logging.INFO)
    [source] = await bench.add(1)

    for _ in range(2):
        await bench.collector().run_once()
        bench.advance(25 * HOUR)

    told = [each.__dict__ for each in caplog.records if each.message == "collector state updated"]
    assert [(each["collector"], each["execution_count"]) for each in told] == [
        (f"rss/{source.id}", 1),
        (f"rss/{source.id}", 2),
    ]


async def test_a_state_that_cannot_be_kept_does_not_cost_the_items(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    """(S003-8, S003-9): retried, then counted; the collection itself succeeds."""
    await bench.add(1)
    await execute(bench.database, "ALTER TABLE collector_execution_state RENAME TO gone")

    await bench.collector().run_once()

    [result] = bench.results
    [failure] = await bench.database.read("SELECT failures FROM collector_state_failures")
    assert result.inserted == 1
    assert failure["failures"] == 1
    assert caplog.text.count("collector state not kept; trying again") == 3


async def test_a_state_table_that_comes_back_is_written_after_all(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    """(S003-8)."""
    await bench.add(1)
    await execute(bench.database, "ALTER TABLE collector_execution_state RENAME TO gone")
    running = asyncio.create_task(bench.collector().run_once())
    await until(lambda: "collector state not kept; trying again" in caplog.text)
    await execute(bench.database, "ALTER TABLE gone RENAME TO collector_execution_state")
    await running

    [state] = await bench.database.read("SELECT execution_count FROM collector_execution_state")
    assert state["execution_count"] == 1


@pytest.mark.parametrize(
    "damage",
    [
        "sources SET config = 'not json', cursor = '[1, 2'",
        "sources SET last_fetched_at = 1e300",
        "source_stats SET last_article_at = 1e300",
        "source_stats SET avg_publish_hour = 1e308, std_publish_hour = -1e308, cadence = 'P2'",
        "seen_items SET published_at = 1e300",
    ],
)
async def test_one_damaged_row_stops_no_other(bench: Bench, damage: str) -> None:
    """(S003-7, F27)."""
    broken, _healthy = await bench.add(2)
    at = bench.clock()
    bench.fetcher.answer = lambda source: Fetched(
        drafts=(Draft(title="x", url=f"https://{source.id}.example/", published_at=at),)
    )
    await bench.collector().run_once()
    column = "id" if damage.startswith("sources ") else "source_id"
    await execute(bench.database, f"UPDATE {damage} WHERE {column} = :id", {"id": broken.id})
    bench.advance(25 * HOUR)

    await bench.collector().run_once()

    assert len(bench.results) == 4
    rows = await bench.database.read("SELECT next_due_at, lease_until FROM source_stats")
    assert all(row["next_due_at"] and row["lease_until"] is None for row in rows)
