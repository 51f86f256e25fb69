"""`clawfeed channel`: where editions go."""

from __future__ import annotations

import click

from clawfeed.cli.channel.actions import pause, remove, resume, try_out
from clawfeed.cli.channel.add import add, edit
from clawfeed.cli.channel.show import list_channels, show
from clawfeed.cli.command_group import CommandGroup


@click.group(cls=CommandGroup)
def channel() -> None:
    """Say where editions go and when; test, pause and resume it.

    \b
    Example:
      clawfeed channel add telegram @my_chat --at 07:30
      clawfeed channel test 3
    """


for command in (add, list_channels, show, edit, try_out, pause, resume, remove):
    channel.add_command(command)
