"""Everything on one machine: processes side by side, or one process where they cannot share."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

from clawfeed.app.processes.ready_signal import Greet
from clawfeed.app.processes.supervisor import Child, Supervisor
from clawfeed.app.processes.worker_group import Service
from clawfeed.app.settings.config import Config
from clawfeed.app.wiring.entry_points import opened_database, opened_product
from clawfeed.collector.poll_logging import PollLog
from clawfeed.domain.errors import ConfigError

# The children's own 30 s, and a moment for their exit to reach us.
STOP_TIMEOUT = timedelta(seconds=35)
QUIET_ENVIRONMENT = {"LOG_LEVEL": "warning"}


def product(
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
    *,
    is_quiet: bool = False,
) -> list[Supervisor]:
    """The processes the product consists of, with our environment unless there is another.

    The server listens before anything is collected or made, so that what it says is not lost among
    polls; with a *folder* nobody reads that. The others, if quiet, tell only what goes wrong.
    """
    serve = Child(
        name="serve",
        arguments=("serve",),
        environment=environment,
        folder=folder,
        tells_ready=True,
    )
    if is_quiet:
        environment = {**(os.environ if environment is None else environment), **QUIET_ENVIRONMENT}
    collect = Child(
        name="collect", arguments=("collect", "--loop"), environment=environment, folder=folder
    )
    # Choosing and writing keep a core busy: in a process of their own they hold up no request.
    cron = Child(name="cron", arguments=("cron", "--loop"), environment=environment, folder=folder)
    server = Supervisor(serve)
    first = None if folder else server
    return [server, Supervisor(collect, after=first), Supervisor(cron, after=first)]


async def run_all(config: Config, greet: Greet | None) -> int:
    """Run the whole product until a signal; the exit code of the process."""
    from clawfeed.app.processes.listening import check_address

    if not _may_share(config):
        return await _run_in_one_process(config, greet)
    check_address(config.server.host, config.server.port)
    # Children migrate too, but a wrong database should be one sentence, not one per child.
    async with opened_database(config):
        pass
    return await _supervise(product(is_quiet=_is_watched(config, greet)))


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
    supervisors = [Supervisor(child, again=again) for child in named]
    code = await _supervise(supervisors)
    return code or int(not again and any(each.has_failed for each in supervisors))


async def _supervise(supervisors: list[Supervisor]) -> int:
    return await Service(supervisors, patience=STOP_TIMEOUT).run()


async def _run_in_one_process(config: Config, greet: Greet | None) -> int:
    if _is_watched(config, greet):
        for room in ("clawfeed.collector", "clawfeed.digest"):
            logging.getLogger(room).setLevel(logging.WARNING)
    async with opened_product(config, PollLog(), greet) as workers:
        return await Service(workers).run()


def _is_watched(config: Config, greet: Greet | None) -> bool:
    """Whether a person who set no level is at the terminal: polls would push the greeting away."""
    return greet is not None and config.origin["LOG_LEVEL"] == "default"


def _may_share(config: Config) -> bool:
    from clawfeed.storage.drivers.sqlite_library import is_safe_to_share

    return config.storage.sqlite_path is None or is_safe_to_share()
