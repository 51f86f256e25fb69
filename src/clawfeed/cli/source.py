"""`clawfeed source`: what is followed, and how it is doing."""

from __future__ import annotations

import click

from clawfeed.cli.command_group import CommandGroup
from clawfeed.cli.source_add import add
from clawfeed.cli.source_check import check
from clawfeed.cli.source_edit import edit
from clawfeed.cli.source_faults import faults, fix
from clawfeed.cli.source_list import list_sources
from clawfeed.cli.source_opml import export_opml, import_opml
from clawfeed.cli.source_pause import pause, remove
from clawfeed.cli.source_resume import resume
from clawfeed.cli.source_show import show


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
