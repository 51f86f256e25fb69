"""`clawfeed demo`."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clawfeed.app.settings.config import Config
from clawfeed.cli.startup import load_settings
from clawfeed.cli.terminal.number_arguments import WholeNumber

if TYPE_CHECKING:
    from clawfeed.app.demo.demo import DemoStage
    from clawfeed.cli.status.live_status import LiveStatus
    from clawfeed.storage.database import Database


@click.command()
@click.option("--seconds", type=WholeNumber(1, 86_400), help="End by itself after so many seconds.")
def demo(*, seconds: int | None) -> None:
    """Show the whole product on a simulated world: no network, no key, nothing left behind.

    Two dozen sources of every kind publish an hour of news per minute, and two fail, so that you
    see how that is told; the collector polls them, an edition is made of what they tell and goes
    to a simulated Telegram, GitHub, Slack and mailbox, and the terminal shows how they do. Ctrl-C
    ends it.
    Other commands work on it too, from a second terminal in the folder that it names.

    \b
    Example:
      clawfeed demo
      clawfeed demo --seconds 20
    """
    from clawfeed.app.processes.event_loop import run_async

    config = load_settings()
    with tempfile.TemporaryDirectory(prefix="clawfeed-demo-") as folder:
        sys.exit(run_async(_demo(config, Path(folder), seconds)))


async def _demo(config: Config, folder: Path, seconds: int | None) -> int:
    from clawfeed.app.clock import system_clock
    from clawfeed.app.demo.demo import (
        follow_everything,
        guest_link,
        open_to_commands,
        simulated_world,
        stage,
    )
    from clawfeed.app.processes.listening import check_address
    from clawfeed.app.wiring.entry_points import opened_database
    from clawfeed.cli.status.live_status import LiveStatus

    server = config.server
    check_address(server.host, server.port)
    async with simulated_world(system_clock(), folder / "world.log") as world:
        play = stage(
            world,
            folder,
            host=server.host,
            port=server.port,
            environ=os.environ,
            api_key=server.api_key,
        )
        async with opened_database(play.config) as database:
            open_to_commands(play, folder)
            # First the guest, whose own X is then among the sources: there is nobody else.
            link = await guest_link(play.config, database, system_clock())
            count = await follow_everything(database, world.url, system_clock())
            head = [
                f"A simulated world is up at {world.url}: {count} sources of every kind.",
                f"ClawFeed at {play.config.server.base_url} follows them. Sign in as its admin:",
                *("", link, ""),
                f"Ctrl-C ends it. Commands work on it here: cd {folder}",
                "",
            ]
            live = LiveStatus(play.config, database, head)
            code = await _play(play, folder, database, live, seconds)
    click.echo("\nThe demo is over; nothing is left behind. `make run` starts the real thing.")
    return code


async def _play(
    play: DemoStage, folder: Path, database: Database, live: LiveStatus, seconds: int | None
) -> int:
    from clawfeed.app.all_in_one import STOP_TIMEOUT, product
    from clawfeed.app.demo.demo_edition import FirstEdition
    from clawfeed.app.processes.worker_group import Service

    # Their lines would be written over what is drawn.
    for room in ("clawfeed.digest", "clawfeed.publish"):
        logging.getLogger(room).setLevel(logging.WARNING)
    *children, triggers = product(play.environment, folder)
    edition = FirstEdition(play, database, tell=live.tell, then=triggers)
    service = Service([*children, edition, live], patience=STOP_TIMEOUT)
    if seconds:
        asyncio.get_running_loop().call_later(seconds, service.stop)
    code = await service.run()
    await live.show()
    return code
