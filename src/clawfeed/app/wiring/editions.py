"""Editions, wired: who triggers them, and what people may do. Who makes them is built late."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clawfeed.app.clock import system_clock
from clawfeed.app.processes.worker_names import is_dead
from clawfeed.app.settings.config import Config
from clawfeed.app.wiring.delivery import dispatch_of
from clawfeed.digest.driver.lazy_driver import Drives, LazyDriver
from clawfeed.digest.edition_admin import EditionAdmin
from clawfeed.digest.edition_config import EditionConfig
from clawfeed.digest.triggers.triggers import EditionTriggers
from clawfeed.domain.editions.edition_scope import ReaderSettings
from clawfeed.domain.ids import SourceId
from clawfeed.storage.database import Database
from clawfeed.storage.sources.subscriptions import DefaultContent

if TYPE_CHECKING:
    from clawfeed.app.wiring.edition_driver import OpenTools
    from clawfeed.app.wiring.fetching import SourceTools


@dataclass(frozen=True, slots=True, kw_only=True)
class Editions:
    """What makes editions, ready to be used."""

    driver: Drives
    triggers: EditionTriggers
    admin: EditionAdmin
    config: EditionConfig


@asynccontextmanager
async def opened_editions(config: Config, database: Database) -> AsyncIterator[Editions]:
    """Everything it takes to make editions on *database*."""
    async with AsyncExitStack() as opened:

        async def tools() -> SourceTools:
            from clawfeed.app.wiring.fetching import opened_sources

            return await opened.enter_async_context(opened_sources(config, database))

        yield editions_with(config, database, tools)


def editions_with(config: Config, database: Database, tools: OpenTools) -> Editions:
    """The same; *tools* is asked for when the first edition is made."""
    settings, dispatch = edition_config(config), dispatch_of(config, database)

    async def build() -> Drives:
        from clawfeed.app.wiring.edition_driver import built_driver

        return await built_driver(config, settings, database, tools)

    driver = LazyDriver(build)
    triggers = EditionTriggers(database, driver, settings, system_clock, is_dead, dispatch=dispatch)
    return Editions(
        driver=driver,
        triggers=triggers,
        admin=EditionAdmin(database, driver, triggers, settings, system_clock),
        config=settings,
    )


def editions_of(config: Config, database: Database, tools: SourceTools) -> Editions:
    """The same with *tools* that are open. Once a process: they share answers of a model."""

    async def opened() -> SourceTools:
        return tools

    return editions_with(config, database, opened)


def edition_config(config: Config) -> EditionConfig:
    people, editions = config.people, config.editions
    source = people.default_source_id
    return EditionConfig(
        zone=config.timezone,
        language=editions.language,
        edition_types=editions.types,
        interval=editions.interval,
        batch_size=editions.batch_size,
        max_retries=editions.max_retries,
        defaults=ReaderSettings(
            zone=config.timezone, language=editions.language, edition_time=editions.time
        ),
        default_content=DefaultContent(
            pack=people.default_pack, source_id=None if source is None else SourceId(source)
        ),
    )
