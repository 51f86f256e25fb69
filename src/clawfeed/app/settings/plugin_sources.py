"""Plug-in collectors become sources: one row, one schedule and one state per parameter (S003-2)."""

from __future__ import annotations

import logging
from functools import cache
from pathlib import Path

from clawfeed.app.clock import system_clock
from clawfeed.app.settings.config import Config
from clawfeed.domain.errors import AlreadyExistsError
from clawfeed.domain.sources.type_facts import KnownTypes
from clawfeed.sources.plugins.loader import Plugins, load_plugins
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.sources.source_types.plugin import plugin_type
from clawfeed.sources.source_types.source_type import SourceTypes
from clawfeed.storage.database import Database
from clawfeed.storage.sources.sources import NewSource, SourceStore

log = logging.getLogger(__name__)


@cache
def installed_plugins(folder: Path | None) -> Plugins:
    """Every plug-in of this process, loaded once: their modules may keep state of their own.

    A broken one is told once, and its sources are skipped; it stops nothing else.
    """
    plugins = load_plugins(reserved=BUILT_IN, folder=folder)
    for problem in plugins.problems:
        log.error("plug-in left out", extra={"why": problem})
    return plugins


def source_types(config: Config) -> SourceTypes:
    """Every type that this installation knows: its own, then those of its plug-ins."""
    plugins = installed_plugins(config.sources.plugins_dir).found
    return KnownTypes((*config.types, *map(plugin_type, plugins)))


async def add_plugin_sources(config: Config, database: Database) -> None:
    """Make a source of each plug-in and parameter that has none yet; a deleted one stays so."""
    store = SourceStore(database)
    for plugin in installed_plugins(config.sources.plugins_dir).found:
        for settings in plugin.configs():
            param = str(settings.get("param", ""))
            new = NewSource(
                type=plugin.name,
                name=f"{plugin.name} {param}".strip(),
                config=settings,
                host=f"plug-in {plugin.name}",
                param_key=param,
            )
            if await store.was_deleted(new):
                continue
            try:
                await store.add(new, now=system_clock())
            except AlreadyExistsError:
                continue
