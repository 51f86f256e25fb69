"""Reddit without an account: one request a minute, however many collectors there are (S001-10)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

from clawfeed.collector.loop import Collector, CollectorPace
from clawfeed.collector.poll import PollConfig, Poller
from clawfeed.domain.schedule.interval import Intervals
from clawfeed.simulator import demo_world
from clawfeed.sources.discovery.new_source import politeness_key
from clawfeed.sources.fetchers.reddit import Reddit
from clawfeed.sources.parsing.pool import ParsePool
from clawfeed.sources.registry import Fetchers
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.storage.database import Database
from clawfeed.storage.drivers.connect import StorageConfig, open_database
from clawfeed.storage.polling.execution_state import ExecutionStates
from clawfeed.storage.polling.host_turns import HostTurns
from clawfeed.storage.polling.poll_queue import PollQueue
from clawfeed.storage.polling.poll_results import PollFinisher
from clawfeed.storage.sources.sources import NewSource, SourceStore
from tests.support.clocks import NOON, FakeClock
from tests.support.origin import Stage, door, on_stage
from tests.support.parse_settings import BUILT_IN_DOCUMENTS

MINUTE = timedelta(minutes=1)
SORTS = ("hot", "new", "top", "rising")


@asynccontextmanager
async def collectors(
    database_url: str, stage: Stage, clock: FakeClock, count: int
) -> AsyncIterator[list[Collector]]:
    """So many, each with a database connection and a door of its own, as in processes."""
    async with AsyncExitStack() as open_things, ParsePool(BUILT_IN_DOCUMENTS) as parse:
        made = []
        for n in range(count):
            database = await open_database(StorageConfig(url=database_url))
            open_things.push_async_callback(database.close)
            egress = await open_things.enter_async_context(door(stage.url, clock=clock))
            reddit = Reddit(
                egress=egress,
                parse=parse,
                clock=clock,
                base_url=f"{stage.url}/reddit",
                turns=HostTurns(database),
            )
            made.append(_collector(database, reddit, clock, f"worker {n}"))
        yield made


def _collector(database: Database, reddit: Reddit, clock: FakeClock, worker: str) -> Collector:
    fetchers = Fetchers(BUILT_IN)
    fetchers.add("reddit", reddit)
    poller = Poller(
        fetchers=fetchers,
        finisher=PollFinisher(database),
        states=ExecutionStates(database, clock),
        config=PollConfig(worker=worker, intervals=Intervals(types=BUILT_IN)),
        clock=clock,
    )
    schedule = PollQueue(database, Intervals(types=BUILT_IN).every, types=BUILT_IN)
    return Collector(schedule, poller, clock, CollectorPace(worker=worker))


async def test_three_collectors_ask_reddit_once_a_minute_between_them(
    database_url: str, tmp_path: Path
) -> None:
    clock = FakeClock()
    world = demo_world(seed=7, clock=clock)
    async with (
        on_stage(world, tmp_path / "journal") as stage,
        collectors(database_url, stage, clock, 3) as crowd,
    ):
        database = await open_database(StorageConfig(url=database_url))
        for sort in SORTS:
            new = NewSource(
                type="reddit",
                name=sort,
                config={"subreddit": "programming", "sort": sort},
                host=politeness_key(stage.url),
            )
            await SourceStore(database).add(new, now=NOON)
        await database.close()

        for _ in range(30):
            # Their clock stands still during a round: nobody's turn would ever come.
            await asyncio.gather(*(collector.run_once(timedelta(0)) for collector in crowd))
            clock.advance(timedelta(seconds=13))

        asked = stage.asked()
    gaps = [later.ts - earlier.ts for earlier, later in pairwise(asked)]
    assert {entry.path.rpartition("/")[2] for entry in asked} == {f"{sort}.json" for sort in SORTS}
    assert min(gaps) >= MINUTE
    assert max(gaps) < 2 * MINUTE
