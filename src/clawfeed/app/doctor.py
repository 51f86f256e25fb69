"""What this installation is, what it is set to, and what is missing or unsafe."""

from __future__ import annotations

import os
from pathlib import Path

from clawfeed.app.clock import system_clock
from clawfeed.app.doctor_findings.finding import Finding, ok, problem, warning
from clawfeed.app.doctor_findings.installation import (
    contents_findings,
    is_current,
    machine_findings,
    opened_finding,
    settings_findings,
)
from clawfeed.app.settings.config import Config
from clawfeed.app.status.trouble_thresholds import trouble_thresholds
from clawfeed.app.wiring.entry_points import existing_database
from clawfeed.domain.alarm import AlarmCode, grouped
from clawfeed.domain.errors import ClawFeedError
from clawfeed.domain.wording.alarm_wording import alarm_words
from clawfeed.storage.database import Database
from clawfeed.storage.drivers.write_probe import try_to_write
from clawfeed.storage.operations.troubles import find_troubles


async def examine(config: Config) -> list[Finding]:
    """Everything worth knowing before trusting this installation, worst included."""
    return [*machine_findings(config), *await _database(config), *settings_findings(config)]


async def _database(config: Config) -> list[Finding]:
    path = config.storage.sqlite_path
    if path is not None and not path.exists():
        return [_absent_file(path)]  # examining must not make it
    try:
        async with existing_database(config, migrated=False) as database:
            return [
                await opened_finding(database),
                *await _troubles(config, database),
                *await contents_findings(config, database),
            ]
    except ClawFeedError as error:
        return [problem("database", str(error))]


async def _troubles(config: Config, database: Database) -> list[Finding]:
    """What rings; what other findings tell with more words is left to them.

    Nothing of a database that is not ours, or of another version.
    """
    if not await is_current(database):
        return []
    try:
        await try_to_write(database)
        found = await find_troubles(database, trouble_thresholds(config), now=system_clock())
    except ClawFeedError as error:
        return [problem("database", str(error))]
    told_elsewhere = {
        AlarmCode.NO_COLLECTOR,
        AlarmCode.NO_EDITION_TRIGGER,
        AlarmCode.MODEL_CAP_REACHED,
    }
    return [
        warning(str(each.code), alarm_words(each).sentence)
        for each in grouped(found)
        if each.code not in told_elsewhere
    ]


def _absent_file(path: Path) -> Finding:
    folder = next(parent for parent in path.absolute().parents if parent.exists())
    if not os.access(folder, os.W_OK):
        return problem("database", f"{path} cannot be made: {folder} is not writable")
    return ok("database", f"{path} is not there yet: the first start makes it")
