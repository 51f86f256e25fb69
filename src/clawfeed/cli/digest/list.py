"""`clawfeed digest list`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from clawfeed.app.settings.config import Config
from clawfeed.cli.startup import load_settings
from clawfeed.cli.terminal import options
from clawfeed.domain.editions.edition_period import EditionType

if TYPE_CHECKING:
    from clawfeed.storage.digests.digests import DigestHead

HEADER = ("ID", "TYPE", "PERIOD", "WHOSE", "MADE", "TITLE")


@click.command("list")
@click.option(
    "--type",
    "kind",
    type=click.Choice([str(kind) for kind in EditionType]),
    help="Only these; all without.",
)
@click.option("--user", "email", metavar="EMAIL", help="Also what was made for this reader.")
@options.limit
@options.json_array
def list_digests(*, kind: str | None, email: str | None, limit: int, as_json: bool) -> None:
    """List the finished editions, the newest first: everybody's, with --user a reader's own too.

    Times are in TIMEZONE; in JSON they are UTC.

    \b
    Example:
      clawfeed digest list
      clawfeed digest list --type weekly --json
    """
    from clawfeed.api.editions.digest_json import head_as_json
    from clawfeed.app.processes.event_loop import run_async
    from clawfeed.cli.terminal.printing import print_json
    from clawfeed.cli.terminal.tables import table
    from clawfeed.cli.terminal.times import local

    config = load_settings()
    heads = run_async(_read(config, EditionType(kind) if kind else None, email, limit))
    if as_json:
        print_json([head_as_json(head) for head in heads])
    elif heads:
        rows = [
            (
                str(head.id),
                str(head.type),
                head.period,
                "everybody's" if head.is_systems else "own",
                local(head.created_at, config.timezone),
                head.title,
            )
            for head in heads
        ]
        click.echo(table(HEADER, rows, shrink=("TITLE",), drop=("MADE", "WHOSE")))
    else:
        click.echo("no editions yet; clawfeed digest build makes one", err=True)


async def _read(
    config: Config, kind: EditionType | None, email: str | None, limit: int
) -> list[DigestHead]:
    from clawfeed.app.wiring.entry_points import existing_database
    from clawfeed.cli.person_arguments import reader_named
    from clawfeed.storage.digests.digests import DigestStore

    async with existing_database(config) as database:
        reader = await reader_named(database, email)
        return await DigestStore(database).list(reader, kind=kind, limit=limit)
