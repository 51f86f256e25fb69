"""`clawfeed source export`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from clawfeed.app.settings.config import Config
from clawfeed.cli.source.list import is_of_type, why_none
from clawfeed.cli.startup import load_settings
from clawfeed.domain.errors import NotFoundError

if TYPE_CHECKING:
    from clawfeed.sources.discovery.opml import OpmlExport


@click.command("export")
@click.option("--type", "kind", help="Only this type.")
@click.option("--private", is_flag=True, help="Private sources too.")
def export_opml(*, kind: str | None, private: bool) -> None:
    """Write the sources as an OPML 2.0 list to standard output.

    Packs are written as folders. Other readers understand the feeds; `clawfeed source import`
    understands all of it. Secrets are left out: headers, passwords, and sources whose address
    holds one.

    \b
    Example:
      clawfeed source export > sources.opml
    """
    from clawfeed.app.processes.event_loop import run_async
    from clawfeed.cli.terminal.printing import warn

    written = run_async(_export(load_settings(), kind, private=private))
    for note in written.notes:
        warn(note)
    click.echo(written.document.encode(), nl=False)


async def _export(config: Config, kind: str | None, *, private: bool) -> OpmlExport:
    from clawfeed.app.wiring.entry_points import existing_database
    from clawfeed.sources.discovery.opml import render_opml
    from clawfeed.storage.sources.imported_folders import Folders
    from clawfeed.storage.sources.source_status import SourceStates

    async with existing_database(config) as database:
        everything = await SourceStates(database).states()
        folders = await Folders(database).list(private=private)
    sources = [each.source for each in everything if is_of_type(config.types, each, kind)]
    if not sources:
        raise NotFoundError(f"nothing to export: {why_none(everything, kind)}")
    shown = [source for source in sources if private or source.is_public]
    if not shown:
        raise NotFoundError("nothing to export: all are private; --private exports them too")
    return render_opml(shown, config.types, title="ClawFeed sources", folders=folders)
