"""`clawfeed demo`."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clawfeed.app.config import Config
from clawfeed.cli.startup import load_settings

if TYPE_CHECKING:
    from clawfeed.app.demo import DemoStage
    from clawfeed.storage.database import Database


@click.command()
@click.option("--seconds", type=click.IntRange(1), help="End by itself after so many seconds.")
def demo(*, seconds: int | None) -> None:
    """Show the whole product on a simulated world: no network, no key, nothing left behind.

    Two dozen sources of every kind publish an hour of news per minute; the collector polls
    them and the terminal shows how they do. Ctrl-C ends it.

    \b
    Example:
      clawfeed demo
      clawfeed demo --seconds 20
    """
    from clawfeed.app.event_loop import run_async

    config = load_settings()
    with tempfile.TemporaryDirectory(prefix="clawfeed-demo-") as folder:
        sys.exit(run_async(_demo(config, Path(folder), seconds)))


async def _demo(config: Config, folder: Path, seconds: int | None) -> int:
    from clawfeed.app.clock import system_clock
    from clawfeed.app.demo import follow_everything, simulated_world, stage
    from clawfeed.app.http_server import check_address
    from clawfeed.app.wiring import opened_database

    server = config.server
    check_address(server.host, server.port)
    async with simulated_world(system_clock(), folder / "world.log") as url:
        play = stage(
            url,
            folder,
            host=server.host,
            port=server.port,
            environ=os.environ,
            api_key=server.api_key,
        )
        async with opened_database(play.config) as database:
            count = await follow_everything(database, url, system_clock())
            click.echo(f"A simulated world is up at {url} with {count} sources of every kind.")
            click.echo(f"The product that follows them: {play.config.server.base_url}\n")
            code = await _play(play, folder, database, seconds)
    click.echo("\nThe demo is over; nothing is left behind. `make run` starts the real thing.")
    return code


async def _play(play: DemoStage, folder: Path, database: Database, seconds: int | None) -> int:
    from clawfeed.app.all_in_one import STOP_TIMEOUT, children
    from clawfeed.app.service import Service
    from clawfeed.app.supervisor import Supervisor
    from clawfeed.cli.live_status import LiveStatus

    live = LiveStatus(play.config, database)
    processes = [Supervisor(child) for child in children(play.environment, folder)]
    service = Service([*processes, live], patience=STOP_TIMEOUT)
    if seconds:
        asyncio.get_running_loop().call_later(seconds, service.stop)
    code = await service.run()
    await live.show()
    return code
