"""The intervals of this installation: settings, the `config` table and plug-ins together."""

from __future__ import annotations

from collections.abc import Mapping

from clawfeed.app.settings.config import Config
from clawfeed.app.settings.plugin_sources import source_types
from clawfeed.domain.schedule.interval import Intervals, merge_overrides, read_overrides
from clawfeed.storage.config_table import ConfigTable
from clawfeed.storage.database import Database


async def effective_intervals(config: Config, database: Database) -> Intervals:
    """Minutes by type from the `config` table and the settings; the settings win (S000-2)."""
    return intervals_with(config, await ConfigTable(database).overrides())


def intervals_with(config: Config, rows: Mapping[str, str]) -> Intervals:
    """The same, given the rows of the `config` table."""
    return read_intervals(config, rows)[0]


def read_intervals(config: Config, rows: Mapping[str, str]) -> tuple[Intervals, tuple[str, ...]]:
    """The same, and a sentence for each row that counts for nothing: the collector's to tell."""
    types = source_types(config)
    table = read_overrides(rows, types, where=" in the config table")
    overrides = merge_overrides(table.minutes, config.overrides)
    return Intervals(types=types, overrides=overrides), table.warnings
