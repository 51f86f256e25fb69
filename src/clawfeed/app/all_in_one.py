"""Everything on one machine: processes side by side, or one process where they cannot share."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

from clawfeed.app.config import Config
from clawfeed.app.service import Service
from clawfeed.app.supervisor import Child, Supervisor
from clawfeed.app.wiring import opened_database, opened_product
from clawfeed.collector.poll_log import PollLog
from clawfeed.domain.errors import ConfigError

# The children's own 30 s, and a moment for their exit to reach us.
STOP_TIMEOUT = timedelta(seconds=35)


def children(
    environment: Mapping[str, str] | None = None, folder: Path | None = None
) -> list[Child]:
    """The processes the product consists of, with our environment unless there is another."""
    commands: dict[str, tuple[str, ...]] = {"serve": ("serve",), "collect": ("collect", "--loop")}
    return [
        Child(name=name, arguments=arguments, environment=environment, folder=folder)
        for name, arguments in commands.items()
    ]


async def run_all(config: Config) -> int:
    """Run the whole product until a signal; the exit code of the process."""
    if not _may_share(config):
        return await _run_in_one_process(config)
    # Children migrate too, but a wrong database should be one sentence, not one per child.
    async with opened_database(config):
        pass
    return await _supervise([Supervisor(child) for child in children()])


async def run_collectors(
    config: Config, count: int, arguments: tuple[str, ...], *, again: bool
) -> int:
    """*count* collector processes on one database; *again* restarts those that end."""
    if not _may_share(config):
        raise ConfigError(
            "--workers needs processes that share the database, and this SQLite cannot do that "
            "safely: use PostgreSQL (DATABASE_URL), or install the pysqlite3 wheel"
        )
    async with opened_database(config):
        pass
    named = [Child(name=f"collect {n}", arguments=arguments) for n in range(1, count + 1)]
    return await _supervise([Supervisor(child, again=again) for child in named])


async def _supervise(supervisors: list[Supervisor]) -> int:
    return await Service(supervisors, patience=STOP_TIMEOUT).run()


async def _run_in_one_process(config: Config) -> int:
    async with opened_product(config, PollLog()) as workers:
        return await Service(workers).run()


def _may_share(config: Config) -> bool:
    from clawfeed.storage.sqlite_library import is_safe_to_share

    return config.storage.sqlite_path is None or is_safe_to_share()
