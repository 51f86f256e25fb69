"""The collector, wired: claims, polls, housekeeping."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial

from clawfeed.app.clock import system_clock, system_dice
from clawfeed.app.host_refresh import refresh_hosts
from clawfeed.app.processes.worker_group import Worker
from clawfeed.app.processes.worker_names import is_dead, worker_name
from clawfeed.app.settings.config import Config
from clawfeed.app.settings.intervals import read_intervals
from clawfeed.app.settings.plugin_sources import add_plugin_sources
from clawfeed.app.settings.poll_budget import budget_of
from clawfeed.app.settings.timezone import timezone_of
from clawfeed.app.wiring.fetching import SourceTools, opened_sources
from clawfeed.app.wiring.x import x_read_pacer
from clawfeed.collector.housekeeping import Housekeeping, HousekeepingConfig
from clawfeed.collector.interval_reload import IntervalFollower, LiveIntervals
from clawfeed.collector.loop import Collector, CollectorPace
from clawfeed.collector.poll import PollConfig, Poller, PollResult
from clawfeed.collector.poll_budget import PollBudget
from clawfeed.collector.restart import resume
from clawfeed.collector.search_indexing import SearchIndexing
from clawfeed.domain.polling.poll_decision import PollRules
from clawfeed.domain.polling.storage_quota import Quota, Quotas
from clawfeed.domain.schedule.interval import IntervalRules
from clawfeed.domain.schedule.schedule import Policy
from clawfeed.egress.client import Egress
from clawfeed.storage.database import Database
from clawfeed.storage.dead_workers import take_back_if_dead
from clawfeed.storage.items.search import SearchIndex
from clawfeed.storage.polling.execution_state import ExecutionStates
from clawfeed.storage.polling.host_queue import SOURCES
from clawfeed.storage.polling.poll_queue import PollQueue
from clawfeed.storage.polling.poll_results import PollFinisher
from clawfeed.storage.polling.queue_overview import (
    QueueOverview,
    QueueSurroundings,
    queue_surroundings,
)

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectorParts:
    """A collector ready to run, and the parts a command may want to reach."""

    collector: Collector
    housekeeping: Housekeeping
    indexing: SearchIndexing
    poller: Poller
    schedule: PollQueue
    pace: CollectorPace
    intervals: LiveIntervals
    tools: SourceTools

    @property
    def workers(self) -> list[Worker]:
        """What runs side by side until stopped."""
        return [self.collector, self.housekeeping, self.indexing]


@asynccontextmanager
async def opened_parts(
    config: Config,
    database: Database,
    on_result: Callable[[PollResult], None],
    *,
    uses_queue: bool = True,
) -> AsyncIterator[CollectorParts]:
    """Everything a collector needs, open.

    First the queue is put in order, unless one source alone is meant, whatever its date.
    """
    around = await queue_surroundings(database, system_clock())
    intervals = LiveIntervals(partial(read_intervals, config), around.interval_rows)
    if uses_queue:
        await add_plugin_sources(config, database)
    async with opened_sources(config, database) as tools:
        schedule = PollQueue(database, intervals.every, types=intervals.types)
        _heed_rests(around, tools.egress)
        budget = budget_of(config, database, reads=x_read_pacer(config, database, intervals))
        await budget.refresh()
        poller = _poller(config, database, tools, intervals, budget, is_one_of_many=uses_queue)
        follower = IntervalFollower(database, intervals, poller.plan, system_clock)
        if uses_queue:
            await take_back_sources_of_dead(schedule, around)
            await _put_in_order(database, schedule, tools, follower)
        heed = partial(_heed, schedule, tools.egress, follower)
        pace = _pace(config)
        yield CollectorParts(
            collector=Collector(
                schedule,
                poller,
                system_clock,
                pace,
                on_result,
                heed=heed,
                is_offline=lambda: tools.egress.is_offline,
            ),
            housekeeping=Housekeeping(database, system_clock, _housekeeping_config(config), budget),
            indexing=SearchIndexing(SearchIndex(database)),
            poller=poller,
            schedule=schedule,
            pace=pace,
            intervals=intervals,
            tools=tools,
        )


async def _put_in_order(
    database: Database, schedule: PollQueue, tools: SourceTools, follower: IntervalFollower
) -> None:
    """Dates that make no sense are mended; hosts and dates follow today's settings.

    Here and not only in the housekeeping: a single round has none, and it may be the only kind of
    round that this installation knows (cron).
    """
    mended = await schedule.mend_dates(now=system_clock())
    if mended:
        log.warning("dates mended", extra={"count": mended})
    await refresh_hosts(database, tools.fetchers)
    await follower.follow()


async def _heed(
    schedule: PollQueue, egress: Egress, follower: IntervalFollower, overview: QueueOverview
) -> int:
    """Heed what others left: claims of the dead, rests of hosts, and what an admin set.

    A dead one's last claim may come after its end, when the database was still busy with it.
    """
    _heed_rests(overview, egress)
    await follower.heed(overview.interval_rows)
    return await take_back_sources_of_dead(schedule, overview)


async def take_back_sources_of_dead(schedule: PollQueue, around: QueueSurroundings) -> int:
    """Free at once what dead workers hold; their leases would only lapse later."""
    return await take_back_if_dead(around.workers, is_dead, schedule.take_back, noun=SOURCES.noun)


def _heed_rests(around: QueueSurroundings, egress: Egress) -> None:
    """A host that serves the feeds of many sites is known to claims under none of its own (I4)."""
    for host, until in around.cooldowns.items():
        egress.impose(host, until)


async def announce(config: Config, database: Database, intervals: LiveIntervals) -> None:
    """S000-8, S003-10: the tick, the interval map and how each source goes on, at start-up."""
    minutes = intervals.by_type()
    tick = config.collector.tick.total_seconds()
    log.info("collector started", extra={"tick_seconds": tick, "intervals": minutes})
    remember = config.storage.enable_time_persistence
    await resume(database, now=system_clock(), remember=remember)


def _poller(
    config: Config,
    database: Database,
    tools: SourceTools,
    intervals: IntervalRules,
    budget: PollBudget,
    *,
    is_one_of_many: bool,
) -> Poller:
    return Poller(
        fetchers=tools.fetchers,
        finisher=PollFinisher(database, _quotas(config)),
        states=ExecutionStates(database, system_clock),
        config=PollConfig(
            worker=worker_name(),
            intervals=intervals,
            rules=PollRules(auto_pause_after=config.collector.auto_pause_after),
            policy=Policy(config.collector.scheduler_policy),
            timezone=timezone_of(config),
            remember_runs=config.storage.enable_time_persistence,
        ),
        clock=system_clock,
        dice=system_dice,
        poll_price=budget.poll_price,
        cooldowns=tools.egress.cooldowns,
        hold_off=tools.egress.hold_off,
        is_one_of_many=is_one_of_many,
    )


def _pace(config: Config) -> CollectorPace:
    return replace(
        CollectorPace(worker=worker_name()),
        tick=config.collector.tick,
        slots=config.collector.concurrency,
        per_host=config.fetch.host_concurrency,
        host_spacing=config.fetch.host_spacing,
    )


def _quotas(config: Config) -> Quotas:
    storage = config.storage
    return Quotas(
        source=Quota(items=storage.source_items_per_day, megabytes=storage.source_mb_per_day),
        person=Quota(items=storage.person_items_per_day, megabytes=storage.person_mb_per_day),
    )


def _housekeeping_config(config: Config) -> HousekeepingConfig:
    storage = config.storage
    return HousekeepingConfig(
        items_kept=storage.raw_items_ttl,
        states_kept=storage.state_retention if storage.cleanup_old_states else None,
    )
