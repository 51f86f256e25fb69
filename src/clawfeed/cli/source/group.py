"""`clawfeed source`: what is followed, and how it is doing."""

from __future__ import annotations

import click

from clawfeed.cli.command_group import CommandGroup
from clawfeed.cli.source.add import add
from clawfeed.cli.source.check import check
from clawfeed.cli.source.edit import edit
from clawfeed.cli.source.faults import faults, fix
from clawfeed.cli.source.list import list_sources
from clawfeed.cli.source.opml_export import export_opml
from clawfeed.cli.source.opml_import import import_opml
from clawfeed.cli.source.pause import pause, remove
from clawfeed.cli.source.resume import resume
from clawfeed.cli.source.show import show


@click.group(cls=CommandGroup)
def source() -> None:
    """Add, look at, change and give up sources; import and export them as OPML.

    \b
    Example:
      clawfeed source add https://example.org/blog
      clawfeed source list --failing
    """


for command in (
    add,
    list_sources,
    show,
    check,
    edit,
    pause,
    resume,
    remove,
    faults,
    fix,
    import_opml,
    export_opml,
):
    source.add_command(command)
