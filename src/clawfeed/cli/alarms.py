"""`clawfeed alarms`: what is wrong now, and what was."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from clawfeed.app.settings.config import Config
from clawfeed.cli.startup import load_settings
from clawfeed.cli.terminal import options

if TYPE_CHECKING:
    from datetime import datetime

    from clawfeed.domain.alarm import Alarm


@click.command()
@click.option("--all", "past", is_flag=True, help="What is over, too.")
@options.limit
@options.json_object
def alarms(*, past: bool, limit: int, as_json: bool) -> None:
    """List the alarms that are raised, the newest first; with --all, those that are over, too.

    They ring once, in the log and in the channels that get alarms. `clawfeed doctor` looks by
    itself, also where no process runs that would raise one.

    \b
    Example:
      clawfeed alarms
      clawfeed alarms --all
      clawfeed alarms --json | jq -r '.alarms[].code'
    """
    from clawfeed.app.clock import system_clock
    from clawfeed.app.processes.event_loop import run_async

    found = run_async(_read(load_settings(), is_raised=not past, limit=limit))
    if as_json:
        from clawfeed.api.operations.alarms import alarm_as_json
        from clawfeed.cli.terminal.printing import print_json

        print_json({"alarms": [alarm_as_json(alarm) for alarm in found]})
        return
    now = system_clock()
    for alarm in found:
        click.echo(_lines(alarm, now))
    if not found:
        click.echo("no alarm was ever raised" if past else "no alarm is raised", err=True)


async def _read(config: Config, *, is_raised: bool, limit: int) -> list[Alarm]:
    from clawfeed.app.wiring.entry_points import existing_database
    from clawfeed.storage.operations.alarms import AlarmStore

    async with existing_database(config) as database:
        return await AlarmStore(database).list(is_raised=is_raised, limit=limit)


def _lines(alarm: Alarm, now: datetime) -> str:
    """When and what, then what to do about it."""
    from clawfeed.app.processes.logging_setup import one_line
    from clawfeed.cli.terminal.times import ago
    from clawfeed.cli.terminal.width import cut, terminal_width
    from clawfeed.domain.wording.alarm_wording import alarm_words

    words, width = alarm_words(alarm.trouble), terminal_width()
    over = f", over {ago(alarm.cleared_at, now)}" if alarm.cleared_at else ""
    head = f"{alarm.trouble.code}, raised {ago(alarm.raised_at, now)}{over}"
    styled = click.style(cut(head, width), fg=None if alarm.cleared_at else "yellow")
    lines = [words.text] if alarm.cleared_at else [words.text, words.way_out]
    return "\n".join([styled, *(f"  {cut(one_line(line), width - 2)}" for line in lines if line)])
