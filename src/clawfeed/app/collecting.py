"""The collector, wired: claims, looks, housekeeping."""

from __future__ import annotations

import logging
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from clawfeed.app.clock import system_clock
from clawfeed.app.config import Config
from clawfeed.app.fetching import SourceTools, opened_sources
from clawfeed.app.workers import is_dead, worker_name
from clawfeed.collector.housekeeping import Housekeeping, Upkeep
from clawfeed.collector.loop import Collector, Pace
from clawfeed.collector.poll import PollConfig, Poller, Result, own_interval
from clawfeed.domain.interval import TYPE_MINUTES, interval_for, merge_overrides, read_overrides
from clawfeed.domain.verdict import Rules
from clawfeed.storage.database import Database
from clawfeed.storage.finishing import Finisher
from clawfeed.storage.schedule import ScheduleStore

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Collecting:
    """A collector ready to run, and the parts a command may want to reach."""

    collector: Collector
    housekeeping: Housekeeping
    poller: Poller
    schedule: ScheduleStore
    pace: Pace
    tools: SourceTools


@asynccontextmanager
async def opened_collecting(
    config: Config, database: Database, on_result: Callable[[Result], None]
) -> AsyncIterator[Collecting]:
    """Everything a collector needs, open; dead collectors' claims are taken back first."""
    overrides = await effective_overrides(config, database)
    async with opened_sources(config, database, os.environ) as tools:
        schedule = ScheduleStore(database, lambda source: own_interval(source, overrides).every)
        freed = await schedule.free_leases_of(is_dead)
        if freed:
            log.info("claims of a dead collector taken back", extra={"count": freed})
        poller = _poller(config, database, tools, overrides)
        pace = _pace(config)
        yield Collecting(
            collector=Collector(schedule, poller, system_clock, pace, on_result),
            housekeeping=Housekeeping(database, system_clock, _upkeep(config)),
            poller=poller,
            schedule=schedule,
            pace=pace,
            tools=tools,
        )


async def effective_overrides(config: Config, database: Database) -> dict[str, int]:
    """Intervals by type from the `config` table and the settings; the settings win (S000-2)."""
    rows = await database.read("SELECT key, value FROM config")
    table = read_overrides(
        {str(row["key"]): str(row["value"]) for row in rows}, where=" in the config table"
    )
    for warning in table.warnings:
        log.warning("configuration", extra={"warning": warning})
    return merge_overrides(table.minutes, config.overrides)


def announce(config: Config, overrides: dict[str, int]) -> None:
    """S000-8: the tick and the interval map, once at start-up."""
    intervals = {name: interval_for(name, overrides, None).minutes for name in TYPE_MINUTES}
    tick = config.collector.tick.total_seconds()
    log.info("collector started", extra={"tick_seconds": tick, "intervals": intervals})


def _poller(
    config: Config, database: Database, tools: SourceTools, overrides: dict[str, int]
) -> Poller:
    return Poller(
        fetchers=tools.fetchers,
        finisher=Finisher(database),
        config=PollConfig(
            worker=worker_name(),
            overrides=overrides,
            rules=Rules(auto_pause_after=config.collector.auto_pause_after),
            remember_runs=config.storage.enable_time_persistence,
        ),
        clock=system_clock,
        cooldowns=tools.egress.cooldowns,
    )


def _pace(config: Config) -> Pace:
    return replace(
        Pace(worker=worker_name()),
        tick=config.collector.tick,
        slots=config.collector.concurrency,
        per_host=config.fetch.host_concurrency,
        host_spacing=config.fetch.host_spacing,
    )


def _upkeep(config: Config) -> Upkeep:
    storage = config.storage
    return Upkeep(
        items_kept=storage.raw_items_ttl,
        states_kept=storage.state_retention if storage.cleanup_old_states else None,
    )
