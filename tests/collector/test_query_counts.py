"""How often a collector crosses into the database: twice a poll, and little around it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from bench.bench_schedule import tick

from clawfeed.app.clock import system_clock
from clawfeed.app.collect_once import CollectSource
from clawfeed.app.settings.config_loading import load_config
from clawfeed.app.wiring.collector import announce, opened_parts
from clawfeed.domain.forecast.forecast_memory import first_memory
from clawfeed.domain.schedule.schedule import Policy
from clawfeed.domain.sources.item import Draft
from clawfeed.domain.sources.source import Fetched
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.storage.config_table import OVERRIDES
from clawfeed.storage.database import Database
from clawfeed.storage.polling.host_queue import ClaimRequest
from clawfeed.storage.polling.poll_queue import PollQueue
from clawfeed.storage.sources.sources import NewSource, SourceStore
from tests.collector.conftest import Bench, until
from tests.support.counting_database import CountingDatabase

HOUR = timedelta(hours=1)


@pytest.fixture
def counting(database: Database) -> CountingDatabase:
    return CountingDatabase(database)


async def test_a_round_asks_little_besides_its_polls(counting: CountingDatabase) -> None:
    """One claim, one finish, and whose turn is next: asked again only if a poll lands later."""
    bench = Bench(counting)
    await bench.add(1)
    counting.forget()

    await bench.collector().run_once()

    asked = len(counting.crossings) - counting.writes
    assert (counting.crossings[0].is_write, counting.writes) == (True, 2)
    assert asked in (1, 2)
    assert len(counting.statements) == 18 + asked
    counting.forget()
    await bench.collector().run_once()
    assert (counting.writes, len(counting.crossings), len(counting.statements)) == (1, 2, 5)


async def test_a_tick_claims_once_and_a_landing_asks_nothing(counting: CountingDatabase) -> None:
    """The queue at a glance, the claim, the next date; then a finish for each, and a goodbye."""
    bench = Bench(counting)
    await bench.add(3)
    counting.forget()

    async with bench.running(tick=HOUR):
        await until(lambda: len(bench.results) == 3)

    assert (counting.writes, len(counting.crossings)) == (5, 7)


async def test_an_idle_tick_is_two_reads_and_a_claim(counting: CountingDatabase) -> None:
    """(S000-24): the same that `bench_schedule` times, the due query being the first."""
    bench = Bench(counting)

    async with bench.running(tick=HOUR):
        await until(lambda: len(counting.crossings) >= 3)
        assert [crossing.is_write for crossing in counting.crossings] == [False, True, False]
        asked = counting.statements

    counting.forget()
    await tick(PollQueue(counting, types=BUILT_IN))
    assert counting.statements == asked


async def test_what_a_dead_collector_held_is_counted_once_it_is_taken_back(
    counting: CountingDatabase, caplog: pytest.LogCaptureFixture
) -> None:
    """(S000-8): two crossings more, as somebody died."""
    bench = Bench(counting)
    await bench.add(2)
    order = ClaimRequest(now=bench.clock(), limit=2, lease=HOUR, worker="dead")
    await PollQueue(counting, types=BUILT_IN).claim_due(order)
    counting.forget()
    caplog.set_level("INFO")

    async with bench.running(tick=HOUR):
        await until(lambda: len(bench.results) == 2)

    assert [each.count for each in caplog.records if each.message == "sources due"] == [2]  # type: ignore[attr-defined] # a field of ours
    assert [crossing.is_write for crossing in counting.crossings][:4] == [False, True, False, True]


async def test_one_source_costs_one_read_and_its_poll(
    counting: CountingDatabase, tmp_path: Path
) -> None:
    """The intervals and the rests of hosts, at once; the claim, the finish (S000-16)."""
    new = NewSource(type="rss", name="A", config={"url": "http://127.0.0.1:1/"})
    source = await SourceStore(counting).add(new, now=system_clock())
    config = load_config({}, directory=tmp_path)
    counting.forget()

    async with opened_parts(config, counting, lambda _result: None, uses_queue=False) as collecting:
        await CollectSource(collecting, source.id).run()

    assert [crossing.is_write for crossing in counting.crossings] == [False, True, True]
    assert "'due'" not in counting.statements[0]


async def test_a_source_that_is_claimed_alone_is_read_once(counting: CountingDatabase) -> None:
    """Its first claim of all looks before it makes the row."""
    bench = Bench(counting)
    [source] = await bench.add(1)
    order = ClaimRequest(now=bench.clock(), limit=1, lease=HOUR, worker="w")
    queue = PollQueue(counting, types=BUILT_IN)
    claim = await queue.claim_one(source.id, order)
    assert claim is not None
    await queue.release(claim)
    counting.forget()

    again = await queue.claim_one(source.id, order)

    assert again is not None
    assert again.source == source
    assert len([text for text in counting.statements if "FROM sources" in text]) == 1


async def test_a_loop_reads_the_intervals_once_as_it_starts(
    counting: CountingDatabase, tmp_path: Path
) -> None:
    """Whoever announces them is told those that the collector goes by (S000-8)."""
    config = load_config({}, directory=tmp_path)

    async with opened_parts(config, counting, lambda _result: None) as collecting:
        await announce(config, counting, collecting.intervals)

    assert len([text for text in counting.statements if OVERRIDES in text]) == 1


async def test_a_first_memory_is_learned_from_a_read_before_the_finish(
    counting: CountingDatabase,
) -> None:
    """Once; afterwards a poll is two crossings under this policy, too."""
    bench = Bench(counting)
    bench.config = replace(bench.config, policy=Policy.FORECAST)
    dates = [bench.clock() - n * HOUR for n in range(1, 61)]
    drafts = tuple(Draft(title="x", url=f"https://a/{at}", published_at=at) for at in dates)
    bench.fetcher.answer = lambda _source: Fetched(drafts=drafts)
    await bench.add(1)
    counting.forget()

    await bench.collector().run_once()

    first, *_, finish = [each for each in counting.crossings if "seen_items" in str(each)]
    assert (first.is_write, finish.is_write) == (False, True)
    [row] = await counting.read("SELECT forecast FROM source_stats")
    assert bytes(row["forecast"]) == first_memory(dates, bench.clock())
    bench.advance(25 * HOUR)
    counting.forget()
    await bench.collector().run_once()
    assert [each.is_write for each in counting.crossings if "seen_items" in str(each)] == [True]
