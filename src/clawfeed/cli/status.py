"""`clawfeed status`."""

from __future__ import annotations

from datetime import datetime

import click

from clawfeed.app.config import Config
from clawfeed.cli.startup import load_settings
from clawfeed.storage.collector_status import CollectorStatus


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")
def status(*, as_json: bool) -> None:
    """Show how every source is doing, when it is polled next, and why then.

    \b
    Example:
      clawfeed status
      clawfeed status --json | jq '.stats'
    """
    from clawfeed.app.clock import system_clock
    from clawfeed.app.event_loop import run_async
    from clawfeed.cli.status_table import render

    now = system_clock()
    found = run_async(_read(load_settings(), now))
    if as_json:
        import json

        from clawfeed.api.status_json import status_as_json

        click.echo(json.dumps(status_as_json(found), ensure_ascii=False, indent=2))
    else:
        click.echo("\n".join(render(found, now)))


async def _read(config: Config, now: datetime) -> CollectorStatus:
    from clawfeed.app.collector_status import current_status
    from clawfeed.app.wiring import existing_database

    async with existing_database(config) as database:
        return await current_status(config, database, now=now)
