"""A collector on a real database, with a fetcher that needs no network."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

import pytest

from clawfeed.collector.loop import Collector, CollectorPace
from clawfeed.collector.poll import PollConfig, Poller, PollResult
from clawfeed.domain.schedule.interval import Intervals
from clawfeed.domain.sources.source import Source
from clawfeed.sources.fetcher import Fetcher
from clawfeed.sources.registry import Fetchers
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.storage.database import Database
from clawfeed.storage.dead_workers import take_back_if_dead
from clawfeed.storage.polling.execution_state import ExecutionStates
from clawfeed.storage.polling.poll_queue import PollQueue
from clawfeed.storage.polling.poll_results import PollFinisher
from clawfeed.storage.polling.queue_overview import QueueOverview
from clawfeed.storage.sources.sources import NewSource, SourceStore
from tests.support.clocks import FakeClock
from tests.support.fakes import FakeFetcher

PACE = CollectorPace(worker="tester", tick=timedelta(milliseconds=50), per_host=1000)


@dataclass
class Bench:
    """Everything a collector test needs at hand."""

    database: Database
    clock: Callable[[], datetime] = field(default_factory=FakeClock)
    fetcher: FakeFetcher = field(default_factory=FakeFetcher)
    results: list[PollResult] = field(default_factory=list)
    rounds: int = 0
    is_offline: bool = False
    # Fetchers of other types than `rss`, by type.
    others: dict[str, Fetcher] = field(default_factory=dict)
    pace: CollectorPace = PACE
    config: PollConfig = field(
        default_factory=lambda: PollConfig(worker="tester", intervals=Intervals(types=BUILT_IN))
    )

    def advance(self, by: timedelta) -> None:
        assert isinstance(self.clock, FakeClock)
        self.clock.advance(by)

    async def add(self, count: int, source_type: str = "rss", host: str = "") -> list[Source]:
        store = SourceStore(self.database)
        start = len(await store.list())
        return [
            await store.add(
                NewSource(
                    type=source_type,
                    name=f"S{n}",
                    config={"url": f"https://{n}.example"},
                    host=host,
                ),
                now=self.clock(),
            )
            for n in range(start, start + count)
        ]

    def collector(self, **pace: object) -> Collector:
        fetchers = Fetchers(BUILT_IN)
        for source_type, fetcher in {"rss": self.fetcher, **self.others}.items():
            fetchers.add(source_type, fetcher)
        poller = Poller(
            fetchers=fetchers,
            finisher=PollFinisher(self.database),
            states=ExecutionStates(self.database, self.clock),
            config=self.config,
            clock=self.clock,
        )
        schedule = PollQueue(self.database, Intervals(types=BUILT_IN).every, types=BUILT_IN)

        async def heed(overview: QueueOverview) -> int:
            self.rounds += 1
            return await take_back_if_dead(
                overview.workers, lambda each: each == "dead", schedule.take_back, noun="source"
            )

        return Collector(
            schedule,
            poller,
            self.clock,
            replace(self.pace, **pace),  # type: ignore[arg-type] # tests name real fields
            self.results.append,
            heed=heed,
            is_offline=lambda: self.is_offline,
        )

    @asynccontextmanager
    async def running(self, **pace: object) -> AsyncIterator[Collector]:
        """A collector in the background, stopped and awaited at the end."""
        collector = self.collector(**pace)
        task = asyncio.create_task(collector.run())
        try:
            yield collector
        finally:
            self.fetcher.gate.set()
            collector.stop()
            await task

    async def pass_rounds(self) -> None:
        """Wait until the running collector has asked for due sources once more, at least."""
        goal = self.rounds + 2
        await until(lambda: self.rounds >= goal)


@pytest.fixture
def bench(database: Database) -> Bench:
    return Bench(database)


async def until(is_true: Callable[[], bool], seconds: float = 40) -> None:
    """Wait for *is_true*; fails after *seconds*."""
    async with asyncio.timeout(seconds):
        while not is_true():  # noqa: ASYNC110 -- what is awaited has no event
            await asyncio.sleep(0.005)
