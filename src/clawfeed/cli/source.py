"""`clawfeed source`: what is followed, and how it is doing."""

from __future__ import annotations

import click

from clawfeed.cli.source_add import add
from clawfeed.cli.source_check import check
from clawfeed.cli.source_faults import faults, fix
from clawfeed.cli.source_list import list_sources
from clawfeed.cli.source_opml import export_opml, import_opml
from clawfeed.cli.source_resume import resume


@click.group()
def source() -> None:
    """Add, list, check and resume sources; import and export them as OPML.

    \b
    Example:
      clawfeed source add https://example.org/blog
      clawfeed source list --failing
    """


for command in (add, list_sources, check, resume, faults, fix, import_opml, export_opml):
    source.add_command(command)
