"""Everything on one machine: processes side by side, or one process where they cannot share."""

from __future__ import annotations

from datetime import timedelta

from clawfeed.app.config import Config
from clawfeed.app.service import Service
from clawfeed.app.supervisor import Child, Supervisor
from clawfeed.app.wiring import http_workshop, opened_database
from clawfeed.domain.errors import ConfigError

CHILDREN = (Child(name="serve", arguments=("serve",)),)
# The children's own 30 s, and a moment for their exit to reach us.
PATIENCE = timedelta(seconds=35)


async def run_all(config: Config) -> int:
    """Run the whole product until a signal; the exit code of the process."""
    if not _may_share(config):
        async with opened_database(config) as database:
            return await Service([http_workshop(config, database)]).run()
    # Children migrate too, but a wrong database should be one sentence, not one per child.
    async with opened_database(config):
        pass
    try:
        return await Service([Supervisor(child) for child in CHILDREN], patience=PATIENCE).run()
    except* ConfigError as group:
        raise _first(group) from None


def _may_share(config: Config) -> bool:
    from clawfeed.storage.sqlite_library import is_safe_to_share

    return config.storage.sqlite_path is None or is_safe_to_share()


def _first(group: ExceptionGroup[ConfigError]) -> ConfigError:
    problems = [str(error) for error in group.exceptions]
    return ConfigError(*problems)
