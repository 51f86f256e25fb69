"""`clawfeed digest`: editions, made, read and explained."""

from __future__ import annotations

import click

from clawfeed.cli.command_group import CommandGroup
from clawfeed.cli.digest.build import build
from clawfeed.cli.digest.list import list_digests
from clawfeed.cli.digest.show import show
from clawfeed.cli.digest.why import why


@click.group(cls=CommandGroup)
def digest() -> None:
    """Make editions, read them, and ask why a story is in one or not.

    \b
    Example:
      clawfeed digest build
      clawfeed digest show latest --format markdown
    """


for command in (build, show, list_digests, why):
    digest.add_command(command)
