"""`clawfeed items`: what was collected."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from clawfeed.app.settings.config import Config
from clawfeed.cli.startup import load_settings
from clawfeed.cli.terminal import options
from clawfeed.cli.terminal.number_arguments import SOURCE_ID
from clawfeed.domain.errors import InvalidInputError
from clawfeed.domain.ids import SourceId
from clawfeed.domain.people.user_names import normal_email
from clawfeed.domain.search_terms import query_terms
from clawfeed.domain.since_parameter import parse_since

if TYPE_CHECKING:
    from clawfeed.storage.items.items import ItemQuery, Page


@click.command()
@click.argument("words", nargs=-1, metavar="[WORD...]")
@click.option("--source", "source_id", type=SOURCE_ID, help="Only of this source.")
@click.option("--since", help="Only fetched since: a date, ISO 8601, or seconds since 1970.")
@click.option("--user", "email", metavar="EMAIL", help="What this person sees, private included.")
@options.limit
@options.json_object
def items(
    *,
    words: tuple[str, ...],
    source_id: int | None,
    since: str | None,
    email: str | None,
    limit: int,
    as_json: bool,
) -> None:
    """List what was collected, the newest first; with WORDs, only what holds all of them.

    Of public sources, unless --user names somebody. Times are in TIMEZONE; in JSON they are UTC.

    \b
    Example:
      clawfeed items
      clawfeed items storm warning --since 2026-11-18
      clawfeed items --source 3 --limit 100 --json | jq -r '.items[].url'
    """
    import orjson

    from clawfeed.app.processes.event_loop import run_async
    from clawfeed.cli.terminal.printing import print_json
    from clawfeed.storage.items.items import ItemQuery

    terms = query_terms(" ".join(words))
    if words and not terms:
        raise InvalidInputError("there is no word to search for: give a letter or digit")
    wanted = ItemQuery(
        user_id=None,
        limit=limit,
        source_id=None if source_id is None else SourceId(source_id),
        since=parse_since(since) if since else None,
        terms=terms,
    )
    config = load_settings()
    page = run_async(_read(config, wanted, normal_email(email) if email else None))
    found = orjson.loads(orjson.dumps(page.items))
    if as_json:
        print_json({"items": found})
        return
    for item in found:
        click.echo(_lines(item, config.timezone))
    if not found:
        click.echo(_nothing(wanted), err=True)
    elif page.next:
        click.echo(f"… and more: --limit shows up to {options.MOST_LISTED}", err=True)


async def _read(config: Config, wanted: ItemQuery, email: str | None) -> Page:
    from dataclasses import replace

    from clawfeed.app.wiring.entry_points import existing_database
    from clawfeed.cli.person_arguments import person_named
    from clawfeed.storage.items.items import ItemStore
    from clawfeed.storage.people.users import UserStore

    async with existing_database(config) as database:
        if email:
            reader = await person_named(UserStore(database), email)
            wanted = replace(wanted, user_id=reader.id)
        return await ItemStore(database).page(wanted)


def _nothing(wanted: ItemQuery) -> str:
    if wanted.terms or wanted.since or wanted.source_id is not None:
        return "no item fits"
    return "no items yet: `clawfeed collect` polls what is due, `clawfeed status` shows how it goes"


def _lines(item: dict[str, Any], timezone: str) -> str:
    """One item on one line, and its address on the next, for whoever clicks or copies it."""
    from clawfeed.app.processes.logging_setup import one_line
    from clawfeed.cli.terminal.times import local
    from clawfeed.cli.terminal.width import cut, terminal_width

    at = local(datetime.fromisoformat(item["published_at"] or item["fetched_at"]), timezone)
    title = item["title"] or item["url"] or "(no title)"
    head = cut(f"{at}  {item['source_name']}: {title}", terminal_width())
    return f"{head}\n{' ' * 18}{one_line(item['url'])}" if item["url"] else head
