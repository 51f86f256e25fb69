"""While X rests, its accounts are read through the bridge (S001-8, S000-24)."""

from __future__ import annotations

from pathlib import Path

from clawfeed.collector.loop import Collector, CollectorPace
from clawfeed.collector.poll import PollConfig, Poller, PollResult
from clawfeed.domain.schedule.interval import Intervals
from clawfeed.domain.sources.source import Fetched
from clawfeed.sources.discovery.new_source import SourceRequest, prepare
from clawfeed.sources.parsing.pool import ParsePool
from clawfeed.sources.registry import Fetchers
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.storage.database import Database
from clawfeed.storage.polling.execution_state import ExecutionStates
from clawfeed.storage.polling.poll_queue import PollQueue
from clawfeed.storage.polling.poll_results import PollFinisher
from clawfeed.storage.sources.sources import SourceStore
from tests.sources.x.simulated_x import bridge, settings, twitter, two_origins
from tests.support.clocks import NOON

ACCOUNTS = ("ingridsolheim", "chip_gossip", "orbit_daily", "linyuqing")


async def test_no_account_waits_for_x_while_a_bridge_is_well(
    database: Database, tmp_path: Path
) -> None:
    """X answers 429 until the quarter ends. The bridge's host has no part in that rest."""
    results: list[PollResult] = []
    async with two_origins(tmp_path, x_limit=0) as (stage, bridge_url), ParsePool() as parse:
        fetchers = Fetchers(BUILT_IN)
        config = settings(stage, bridges=(bridge(bridge_url),))
        fetchers.add("twitter_feed", twitter(stage, parse, config=config))
        for handle in ACCOUNTS:
            new = prepare(fetchers, SourceRequest(type="twitter_feed", config={"handle": handle}))
            await SourceStore(database).add(new, now=NOON)
        poller = Poller(
            fetchers=fetchers,
            finisher=PollFinisher(database),
            states=ExecutionStates(database, stage.clock),
            config=PollConfig(worker="tester", intervals=Intervals(types=BUILT_IN)),
            clock=stage.clock,
            cooldowns=stage.egress.cooldowns,
        )
        schedule = PollQueue(database, Intervals(types=BUILT_IN).every, types=BUILT_IN)
        pace = CollectorPace(worker="tester", per_host=2)

        await Collector(schedule, poller, stage.clock, pace, results.append).run_once()

        rests = await database.read("SELECT host FROM host_cooldowns")
    assert len(rests) == 1
    assert {result.source.config["handle"] for result in results} == set(ACCOUNTS)
    assert all(isinstance(result.outcome, Fetched) for result in results)
    assert all(result.inserted for result in results)
