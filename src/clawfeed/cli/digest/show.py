"""`clawfeed digest show`: one edition, in the form one likes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from clawfeed.app.settings.config import Config
from clawfeed.cli.startup import load_settings
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.ids import DigestId

if TYPE_CHECKING:
    from clawfeed.storage.database import Database
    from clawfeed.storage.digests.digests import StoredDigest

FORMATS = click.Choice(["text", "markdown", "html", "json"])
LATEST_DIGEST = "latest"


@click.command()
@click.argument("which", metavar="[ID|latest]", default=LATEST_DIGEST)
@click.option(
    "--type",
    "kind",
    type=click.Choice([str(kind) for kind in EditionType]),
    default="daily",
    show_default=True,
    help="Of `latest`: which edition.",
)
@click.option("--user", "email", metavar="EMAIL", help="Also what was made for this reader.")
@click.option(
    "--format", "form", type=FORMATS, default="text", show_default=True, help="In which form."
)
def show(*, which: str, kind: str, email: str | None, form: str) -> None:
    """Print an edition: everybody's, or with --user a reader's own.

    \b
    Example:
      clawfeed digest show
      clawfeed digest show 12 --format markdown > edition.md
      clawfeed digest show latest --user anna@example.org --format json
    """
    from clawfeed.app.processes.event_loop import run_async

    found = run_async(_read(load_settings(), which, EditionType(kind), email))
    print_edition(found, form)


def print_edition(digest: StoredDigest, form: str) -> None:
    """*digest* on stdout; as text as wide as the terminal, at most as wide as one reads well."""
    from clawfeed.api.editions.digest_json import digest_as_json
    from clawfeed.cli.terminal.printing import print_json
    from clawfeed.cli.terminal.width import terminal_width
    from clawfeed.rendering.html_edition import render_html_page
    from clawfeed.rendering.markdown import render_markdown
    from clawfeed.rendering.plain_text import WELL_READ, render_text

    content = digest.content
    match form:
        case "json":
            print_json(digest_as_json(digest))
        case "markdown":
            click.echo(render_markdown(content), nl=False)
        case "html":
            click.echo(render_html_page(content, styles=()), nl=False)
        case _:
            click.echo(render_text(content, min(terminal_width(), WELL_READ)), nl=False)


async def _read(config: Config, which: str, kind: EditionType, email: str | None) -> StoredDigest:
    from clawfeed.app.wiring.entry_points import existing_database

    async with existing_database(config) as database:
        return await find_edition(database, which, kind, email)


async def find_edition(
    database: Database, which: str, kind: EditionType, email: str | None
) -> StoredDigest:
    """The edition of this id, or the latest; what is a reader's own only for that reader."""
    from clawfeed.app.clock import system_clock
    from clawfeed.cli.person_arguments import reader_named
    from clawfeed.domain.errors import NotFoundError
    from clawfeed.storage.digests.digests import DigestStore
    from clawfeed.storage.digests.newest_digest import newest_digest

    store = DigestStore(database)
    reader = await reader_named(database, email)
    if which != LATEST_DIGEST:
        found = await store.get(_digest_id(which), reader)
        missing = f"there is no edition {which} that "
        missing += f"{email} may read" if email else "is everybody's; --user EMAIL shows a reader's"
    else:
        found = await newest_digest(store, reader, kind, now=system_clock())
        missing = f"there is no {kind} edition yet: `clawfeed digest build` makes one"
    if found is None:
        raise NotFoundError(missing)
    return found


def _digest_id(text: str) -> DigestId:
    from clawfeed.cli.terminal.number_arguments import LARGEST_ID

    number = int(text) if text.isascii() and text.isdigit() and len(text) < 20 else 0
    if not 1 <= number <= LARGEST_ID:
        raise click.UsageError(
            f"{text!r} is neither `latest` nor the id of an edition: "
            "`clawfeed digest list` has them"
        )
    return DigestId(number)
