"""`clawfeed status`."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import click

from clawfeed.app.settings.config import Config
from clawfeed.cli.source.list import is_of_type, why_none
from clawfeed.cli.startup import load_settings
from clawfeed.cli.terminal import options
from clawfeed.storage.operations.collector_status import CollectorStatus

if TYPE_CHECKING:
    from clawfeed.app.status.todays_edition import TodaysEdition


@click.command()
@click.option(
    "--problems", is_flag=True, help="Only what fails, fell silent, is full or lacks a setting."
)
@click.option("--due", is_flag=True, help="Only what would be polled now.")
@click.option("--type", "kind", help="Only this type.")
@options.json_object
def status(*, problems: bool, due: bool, kind: str | None, as_json: bool) -> None:
    """Show how every source is doing, when it is polled next, and why then.

    What needs you comes first, the figures over all sources last.

    \b
    Example:
      clawfeed status
      clawfeed status --problems
      clawfeed status --json | jq '.stats'
    """
    from clawfeed.app.clock import system_clock
    from clawfeed.app.processes.event_loop import run_async
    from clawfeed.cli.status.alarms import alarm_lines
    from clawfeed.cli.status.edition import edition_line
    from clawfeed.cli.status.table import StatusFilter, render

    now, config = system_clock(), load_settings()
    found, edition = run_async(_read(config, now))
    names = _names_of(kind, config, found) if kind else frozenset()
    if kind and not names and not as_json:
        click.echo(why_none([each.state for each in found.sources], kind), err=True)
        return
    wanted = StatusFilter(type_names=names if kind else None, problems=problems, due=due)
    if as_json:
        from dataclasses import replace

        from clawfeed.api.http.status_json import status_as_json
        from clawfeed.cli.terminal.printing import print_json

        left = [source for source in found.sources if wanted(source, now)]
        print_json(status_as_json(replace(found, sources=left)))
    else:
        lines = [*render(found, now, wanted=wanted), edition_line(edition, now)]
        click.echo("\n".join([*lines, *alarm_lines(found.troubles)]))


def _names_of(kind: str, config: Config, found: CollectorStatus) -> frozenset[str]:
    """The types of stored sources that *kind* means, which may be an alias."""
    states = [each.state for each in found.sources]
    return frozenset(state.source.type for state in states if is_of_type(config.types, state, kind))


async def _read(config: Config, now: datetime) -> tuple[CollectorStatus, TodaysEdition]:
    from clawfeed.app.status.collector_status import current_status
    from clawfeed.app.status.todays_edition import todays_edition
    from clawfeed.app.wiring.entry_points import existing_database

    async with existing_database(config) as database:
        status = await current_status(config, database, now=now)
        return status, await todays_edition(config, database, now=now)
