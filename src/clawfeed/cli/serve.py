"""`clawfeed serve` and `clawfeed run`."""

from __future__ import annotations

import sys

import click

from clawfeed.app.settings.config import Config
from clawfeed.cli.banner import greeting
from clawfeed.cli.startup import load_settings


@click.command()
def serve() -> None:
    """Serve the API and the pages.

    \b
    Example:
      DIGEST_PORT=9000 clawfeed serve
    """
    from clawfeed.app.processes.event_loop import run_async

    sys.exit(run_async(_serve(load_settings())))


@click.command()
def run() -> None:
    """Run everything on one machine: the API, the pages, the collector, the editions.

    Each part is a process of its own and is started again if it crashes.

    \b
    Example:
      clawfeed run
    """
    from clawfeed.app.processes.event_loop import run_async

    sys.exit(run_async(_run(load_settings())))


async def _serve(config: Config) -> int:
    from clawfeed.app.processes.worker_group import Service
    from clawfeed.app.wiring.entry_points import opened_server

    async with opened_server(config, greeting()) as workers:
        return await Service(workers).run()


async def _run(config: Config) -> int:
    from clawfeed.app.all_in_one import run_all

    return await run_all(config, greeting())
