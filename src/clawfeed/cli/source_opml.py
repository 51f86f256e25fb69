"""`clawfeed source import` and `clawfeed source export`."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clawfeed.app.config import Config
from clawfeed.cli.settings import load_settings
from clawfeed.domain.errors import EgressError, InvalidInputError, UserError

if TYPE_CHECKING:
    from clawfeed.app.fetching import SourceTools
    from clawfeed.domain.source_faults import Lookalikes
    from clawfeed.sources.opml import Written
    from clawfeed.sources.opml_document import Outline
    from clawfeed.storage.database import Database
    from clawfeed.storage.sources import NewSource


@dataclass(slots=True)
class _Import:
    """What became of each entry of a list: it, and its id or the reason why it has none."""

    added: list[tuple[str, int]] = field(default_factory=list)
    already_there: list[tuple[str, str]] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)


@click.command("import")
@click.argument("place", metavar="FILE|-|URL")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")
def import_opml(*, place: str, as_json: bool) -> None:
    r"""Follow all feeds of an OPML list: a file, standard input (-) or an address.

    The feeds are not looked at now. Exit code 0 if the list could be read.

    \b
    Example:
      clawfeed source import subscriptions.opml
      clawfeed source import https://example.org/blogroll.opml
    """
    from clawfeed.app.logs import one_line
    from clawfeed.app.running import run_async
    from clawfeed.cli.source_texts import print_json

    done = run_async(_import(load_settings(), place))
    if as_json:
        print_json(
            {
                "added": [{"id": id_, "source": shown} for shown, id_ in done.added],
                "already_there": _with_reasons(done.already_there),
                "refused": _with_reasons(done.refused),
            }
        )
        return
    for shown, why in done.already_there:
        click.echo(f"already there: {shown} {one_line(why)}")
    for shown, why in done.refused:
        click.echo(f"refused: {shown}: {one_line(why)}")
    counts = f"{len(done.added)} added, {len(done.already_there)} already there"
    click.echo(f"{counts}, {len(done.refused)} refused")


def _with_reasons(entries: list[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"source": shown, "reason": why} for shown, why in entries]


@click.command("export")
@click.option("--type", "kind", help="Only this type.")
@click.option("--private", is_flag=True, help="Private sources too.")
def export_opml(*, kind: str | None, private: bool) -> None:
    r"""Write the sources as an OPML 2.0 list to standard output.

    Other readers understand the feeds; `clawfeed source import` understands all of it. Secrets
    are left out: headers, and sources whose address holds one.

    \b
    Example:
      clawfeed source export > sources.opml
    """
    from clawfeed.app.running import run_async
    from clawfeed.cli.source_texts import warn

    written = run_async(_export(load_settings(), kind, private=private))
    for note in written.notes:
        warn(note)
    click.echo(written.document.encode(), nl=False)


async def _import(config: Config, place: str) -> _Import:

    from clawfeed.app.fetching import opened_sources
    from clawfeed.app.wiring import opened_database
    from clawfeed.sources.opml import read_opml

    async with (
        opened_database(config) as database,
        opened_sources(config, database) as tools,
    ):
        outlines = await read_opml(tools.parse, await _read(place, tools))
        return await _add_all(outlines, tools, database)


async def _read(place: str, tools: SourceTools) -> bytes:
    is_address = place.lower().startswith(("http://", "https://"))
    return await _download(place, tools) if is_address else _read_file(place)


def _read_file(place: str) -> bytes:
    """The bytes of a file, one more than allowed at most: the reader says what is too many."""
    from clawfeed.sources.opml_document import LARGEST

    try:
        if place == "-":
            return sys.stdin.buffer.read(LARGEST + 1)
        with Path(place).open("rb") as file:
            return file.read(LARGEST + 1)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "no such name"
        raise InvalidInputError(f"{place} cannot be read: {why}") from error


async def _download(url: str, tools: SourceTools) -> bytes:
    from clawfeed.app.clock import system_clock
    from clawfeed.egress.limits import Limits
    from clawfeed.egress.message import Request
    from clawfeed.sources.answers import ask
    from clawfeed.sources.opml_document import LARGEST

    request = Request(url=url, limits=Limits(body=LARGEST))
    return (await ask(tools.egress, request, now=system_clock())).body


async def _add_all(outlines: list[Outline], tools: SourceTools, database: Database) -> _Import:
    from clawfeed.app.clock import system_clock
    from clawfeed.cli.source_texts import label
    from clawfeed.domain.source_faults import Lookalikes
    from clawfeed.storage.source_admin import SourceAdmin
    from clawfeed.storage.sources import SourceStore

    done = _Import()
    others = Lookalikes(await SourceStore(database).list())
    new = [each for outline in outlines if (each := _new_source(outline, tools, others, done))]
    ids = await SourceAdmin(database).add_many(new, now=system_clock())
    for each in new:
        shown = label(each.type, each.name, each.config)
        if each.identity in ids:
            done.added.append((shown, ids[each.identity]))
        else:
            done.already_there.append((shown, "was added by somebody else just now"))
    return done


def _new_source(
    outline: Outline, tools: SourceTools, others: Lookalikes, done: _Import
) -> NewSource | None:
    """The source to store for *outline*, or None and a line in *done* that says why not."""
    from clawfeed.cli.source_texts import label
    from clawfeed.sources.adding import NOT_STORED, prepare, to_candidate
    from clawfeed.sources.opml import to_wanted

    try:
        new = prepare(tools.fetchers, to_wanted(outline))
        _refuse_blocked(new, tools)
    except (UserError, EgressError) as error:
        shown = label(outline.type or "rss", outline.name, {"url": outline.address})
        done.refused.append((shown, str(error)))
        return None
    candidate = to_candidate(new)
    repeated = others.fault_of(candidate)
    if repeated:
        why = "is in the list twice" if repeated.twin == NOT_STORED else repeated.text
        done.already_there.append((label(new.type, new.name, new.config), why))
        return None
    others.add(candidate)
    return new


def _refuse_blocked(new: NewSource, tools: SourceTools) -> None:
    """Refuse now what the guard would refuse at every look; asks no DNS (T8)."""
    fetcher = tools.fetchers.get(new.type)
    place = fetcher.place(new.config) if fetcher else ""
    if place:
        tools.egress.guard.check_url(place)


async def _export(config: Config, kind: str | None, *, private: bool) -> Written:
    from clawfeed.app.wiring import opened_database
    from clawfeed.sources.opml import render_opml
    from clawfeed.storage.source_admin import SourceAdmin

    async with opened_database(config) as database:
        standings = await SourceAdmin(database).standings(kind)
    sources = (standing.source for standing in standings)
    shown = [source for source in sources if private or source.is_public]
    return render_opml(shown, title="ClawFeed sources")
