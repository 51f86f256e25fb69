"""`clawfeed migrate`."""

from __future__ import annotations

import click

from clawfeed.app.settings.config import Config
from clawfeed.cli.startup import load_settings


@click.command()
def migrate() -> None:
    """Bring the database to the current schema.

    Every start does this by itself; the command is for those who want to see it happen first.

    \b
    Example:
      DATABASE_URL=postgresql://me@db/clawfeed clawfeed migrate
    """
    from clawfeed.app.processes.event_loop import run_async

    for line in run_async(_migrate(load_settings())):
        click.echo(line)


async def _migrate(config: Config) -> list[str]:
    from clawfeed.app.clock import system_clock
    from clawfeed.app.wiring.entry_points import opened_database
    from clawfeed.storage.migrate import migrate as apply_missing

    async with opened_database(config, migrated=False) as database:
        applied = await apply_missing(database, now=system_clock())
    return [f"applied {name}" for name in applied] or ["the schema is current; nothing to do"]
