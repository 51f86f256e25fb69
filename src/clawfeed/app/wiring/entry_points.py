"""Who is handed what: the one place where rooms meet their configuration.

Every command opens one of these and nothing by itself. Each imports what it opens: a command that
only reads rows does not pay for parsers and an HTTP server.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from clawfeed.app.clock import system_clock
from clawfeed.app.processes.ready_signal import Greet
from clawfeed.app.settings.config import Config
from clawfeed.storage.database import Database
from clawfeed.storage.drivers.connect import StorageConfig, open_database
from clawfeed.storage.migrate import migrate, require_schema
from clawfeed.storage.sources.starter_pack import was_asked

if TYPE_CHECKING:
    from clawfeed.app.processes.worker_group import Worker
    from clawfeed.app.wiring.collector import CollectorParts
    from clawfeed.app.wiring.fetching import SourceTools
    from clawfeed.collector.poll import PollResult
    from clawfeed.digest.driver.driver import StepReport


async def _opened(config: Config, *, may_create: bool) -> Database:
    storage = config.storage
    return await open_database(
        StorageConfig(
            url=storage.database_url,
            batch_size=storage.batch_size,
            enable_wal=storage.enable_wal,
            may_create=may_create,
        )
    )


@asynccontextmanager
async def opened_database(config: Config, *, migrated: bool = True) -> AsyncIterator[Database]:
    """The configured database, made if need be, on the current schema, closed afterwards."""
    database = await _opened(config, may_create=True)
    try:
        if migrated:
            await migrate(database, now=system_clock())
            await _fill_if_fresh(config, database)
        yield database
    finally:
        await database.close()


@asynccontextmanager
async def existing_database(config: Config, *, migrated: bool = True) -> AsyncIterator[Database]:
    """The same for those who add nothing: raises `NoDatabaseError` where there is none yet."""
    database = await _opened(config, may_create=False)
    try:
        if migrated:
            await require_schema(database)
            await migrate(database, now=system_clock())
        yield database
    finally:
        await database.close()


async def _fill_if_fresh(config: Config, database: Database) -> None:
    """S001-18; a database that was asked before costs one read, and no import."""
    if not await was_asked(database):
        from clawfeed.app.starter_pack import add_starter_pack

        await add_starter_pack(config, database, now=system_clock())


@asynccontextmanager
async def opened_tools(config: Config) -> AsyncIterator[tuple[Database, SourceTools]]:
    """The database, and all it takes to read sources: the door out, parsers, fetchers."""
    from clawfeed.app.wiring.fetching import opened_sources

    async with opened_database(config) as database, opened_sources(config, database) as tools:
        yield database, tools


@asynccontextmanager
async def existing_tools(config: Config) -> AsyncIterator[tuple[Database, SourceTools]]:
    """The same on a database that is there already."""
    from clawfeed.app.wiring.fetching import opened_sources

    async with existing_database(config) as database, opened_sources(config, database) as tools:
        yield database, tools


@asynccontextmanager
async def trial_tools(config: Config) -> AsyncIterator[tuple[Database, SourceTools]]:
    """The same for who stores nothing: where there is no database, one that is thrown away."""
    path = config.storage.sqlite_path
    if path is None or path.exists():
        async with existing_tools(config) as opened:
            yield opened
        return
    with TemporaryDirectory(prefix="clawfeed-") as folder:
        elsewhere = replace(config.storage, database_url=f"sqlite:///{folder}/trial.db")
        people = replace(config.people, starter_pack=False)
        async with opened_tools(replace(config, storage=elsewhere, people=people)) as opened:
            yield opened


@asynccontextmanager
async def opened_collector(
    config: Config, on_result: Callable[[PollResult], None], *, uses_queue: bool = True
) -> AsyncIterator[tuple[Database, CollectorParts]]:
    """The database, and a collector ready to run: through its queue, or for one source alone."""
    from clawfeed.app.wiring.collector import opened_parts

    async with (
        opened_database(config) as database,
        opened_parts(config, database, on_result, uses_queue=uses_queue) as parts,
    ):
        yield database, parts


@asynccontextmanager
async def opened_server(config: Config, greet: Greet | None = None) -> AsyncIterator[list[Worker]]:
    """The API and the pages, listening."""
    async with opened_tools(config) as (database, tools):
        from clawfeed.app.wiring.alarms import alarm_watcher
        from clawfeed.app.wiring.delivery import sync_house_channels
        from clawfeed.app.wiring.server import http_server
        from clawfeed.publish.alarm_watcher import DatabaseOutage

        await sync_house_channels(config, database)  # editions are asked for here, too
        outage = DatabaseOutage()
        serve = await http_server(config, database, tools, greet, outage=outage)
        yield [serve, alarm_watcher(config, database, tools.egress, outage=outage)]


@asynccontextmanager
async def opened_product(
    config: Config, on_result: Callable[[PollResult], None], greet: Greet | None = None
) -> AsyncIterator[list[Worker]]:
    """Everything in this one process: the collector, the editions, the API and the pages."""
    from clawfeed.app.wiring.alarms import alarm_watcher
    from clawfeed.app.wiring.collector import announce
    from clawfeed.app.wiring.delivery import delivery_worker, sync_house_channels
    from clawfeed.app.wiring.edition_triggering import edition_worker
    from clawfeed.app.wiring.editions import editions_of
    from clawfeed.publish.alarm_watcher import DatabaseOutage

    async with opened_collector(config, on_result) as (database, parts):
        await sync_house_channels(config, database)
        await announce(config, database, parts.intervals)
        from clawfeed.app.wiring.server import (
            http_server,  # FastAPI: not before all else is sound
        )

        outage, egress = DatabaseOutage(), parts.tools.egress
        serve = await http_server(config, database, parts.tools, greet, outage=outage)
        editions = editions_of(config, database, parts.tools)
        deliveries = delivery_worker(config, database, editions.driver.advance, egress)
        triggering = edition_worker(config, database, editions.triggers)
        watcher = alarm_watcher(config, database, egress, outage=outage)
        yield [serve, *parts.workers, triggering, deliveries, watcher]


@asynccontextmanager
async def opened_triggers(
    config: Config,
) -> AsyncIterator[Callable[[], Awaitable[Sequence[StepReport] | None]]]:
    """One trigger of the editions, ready to be pulled; what is to leave then leaves."""
    from clawfeed.app.wiring.delivery import drain_once, sync_house_channels
    from clawfeed.app.wiring.edition_triggering import trigger_round
    from clawfeed.app.wiring.editions import opened_editions

    async with (
        opened_database(config) as database,
        opened_editions(config, database) as editions,
    ):
        await sync_house_channels(config, database)
        trigger = trigger_round(config, database, editions.triggers)

        async def trigger_and_send() -> Sequence[StepReport] | None:
            reports = await trigger()
            await drain_once(config, database, editions.driver.advance)
            return reports

        yield trigger_and_send


@asynccontextmanager
async def opened_edition_workers(config: Config) -> AsyncIterator[list[Worker]]:
    """What triggers the editions, sends them, and looks for what is wrong, until stopped."""
    from clawfeed.app.wiring.alarms import alarm_watcher
    from clawfeed.app.wiring.delivery import delivery_worker, sync_house_channels
    from clawfeed.app.wiring.edition_triggering import edition_worker
    from clawfeed.app.wiring.editions import opened_editions
    from clawfeed.app.wiring.fetching import open_egress

    async with (
        opened_database(config) as database,
        opened_editions(config, database) as editions,
        open_egress(config) as egress,
    ):
        await sync_house_channels(config, database)
        deliveries = delivery_worker(config, database, editions.driver.advance, egress)
        triggering = edition_worker(config, database, editions.triggers)
        yield [triggering, deliveries, alarm_watcher(config, database, egress)]
