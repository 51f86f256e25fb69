"""`clawfeed source import`."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from clawfeed.app.settings.config import Config
from clawfeed.cli.source.arguments import place_of, way_out
from clawfeed.cli.source.import_owners import ImportOwners, follow_imported, owners_of
from clawfeed.cli.startup import load_settings
from clawfeed.cli.terminal import options
from clawfeed.cli.terminal.plurals import counted
from clawfeed.domain.errors import (
    EgressError,
    InvalidInputError,
    SourceError,
    UserError,
)
from clawfeed.domain.ids import NOT_STORED, JsonValue, SourceId

if TYPE_CHECKING:
    from clawfeed.app.wiring.fetching import SourceTools
    from clawfeed.domain.sources.source_faults import Lookalikes
    from clawfeed.sources.documents.opml import OpmlDocument, Outline
    from clawfeed.storage.database import Database
    from clawfeed.storage.sources.sources import NewSource


@dataclass(slots=True)
class _Import:
    """What became of each entry of a list: it, and its id or the reason why it has none."""

    owners: ImportOwners
    without_feed: int
    added: list[tuple[str, int]] = field(default_factory=list)
    already_there: list[tuple[str, str]] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)
    packs: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@click.command("import")
@click.argument("place", metavar="FILE|-|URL")
@click.option("--private", is_flag=True, help="All for one person alone; secrets are allowed then.")
@click.option(
    "--user", "owner", metavar="EMAIL", help="Whose private ones are; default: the first admin's."
)
@options.json_object
def import_opml(*, place: str, private: bool, owner: str | None, as_json: bool) -> None:
    """Follow all feeds of an OPML list: a file, standard input (-) or an address.

    Its folders become packs that everybody may install, each with the sources that stand in it.
    What is private, and somebody's own X, is --user's; the first admin follows the rest. The feeds
    are not polled now. Exit code 0 if the list could be read.

    \b
    Example:
      clawfeed source import subscriptions.opml
      clawfeed source import https://example.org/blogroll.opml
      clawfeed source import annas.opml --private --user anna@example.org
    """
    from clawfeed.app.processes.event_loop import run_async
    from clawfeed.app.processes.logging_setup import one_line
    from clawfeed.cli.terminal.printing import print_json, warn
    from clawfeed.cli.terminal.width import folded

    if not place.strip():
        raise click.UsageError("Give a file, - for standard input, or an address.")
    done = run_async(_import(load_settings(), place, owner, private=private))
    for note in done.notes:
        warn(note)
    if as_json:
        print_json(
            {
                "added": [{"id": id_, "source": shown} for shown, id_ in done.added],
                "already_there": _with_reasons(done.already_there),
                "refused": _with_reasons(done.refused),
                "without_feed": done.without_feed,
                "packs": done.packs,
            }
        )
        return
    for shown, why in done.already_there:
        click.echo(folded(f"already there: {shown} {one_line(why)}"))
    for shown, why in done.refused:
        click.echo(folded(f"refused: {shown}: {one_line(why)}"))
    counts = f"{len(done.added)} added, {len(done.already_there)} already there"
    left_out = f", {done.without_feed} without a feed left out" if done.without_feed else ""
    filed = f", {counted(len(done.packs), 'pack')} filled" if done.packs else ""
    click.echo(f"{counts}, {len(done.refused)} refused{left_out}{filed}")


def _with_reasons(entries: list[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"source": shown, "reason": why} for shown, why in entries]


async def _import(config: Config, place: str, email: str | None, *, private: bool) -> _Import:
    from clawfeed.app.wiring.entry_points import opened_tools
    from clawfeed.sources.discovery.opml import read_opml

    async with opened_tools(config) as (database, tools):
        try:
            document = await read_opml(tools.parse, await _read(place, tools))
        except SourceError as error:
            sentence = f"{_name_of(place)} cannot be read: {error.detail}"
            raise InvalidInputError(f"{sentence} {way_out(error, place)}".rstrip()) from error
        owners = await owners_of(document, tools.types, database, email=email, private=private)
        done = _Import(owners=owners, without_feed=document.without_feed)
        await _add_all(document, tools, database, done)
        return done


def _name_of(place: str) -> str:
    from clawfeed.domain.sources.source_secrets import mask_url

    return "standard input" if place == "-" else mask_url(place)


async def _read(place: str, tools: SourceTools) -> bytes:
    is_address = place.lower().startswith(("http://", "https://"))
    return await _download(place, tools) if is_address else _read_file(place)


def _read_file(place: str) -> bytes:
    """The bytes of a file, one more than allowed at most: the reader says what is too many."""
    from clawfeed.sources.documents.opml import LARGEST_DOCUMENT

    try:
        if place == "-":
            return sys.stdin.buffer.read(LARGEST_DOCUMENT + 1)
        with Path(place).open("rb") as file:
            return file.read(LARGEST_DOCUMENT + 1)
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "no such name"
        raise InvalidInputError(f"{_name_of(place)} cannot be read: {why}") from error


async def _download(url: str, tools: SourceTools) -> bytes:
    from clawfeed.app.clock import system_clock
    from clawfeed.egress.request_and_response import Request
    from clawfeed.egress.response_limits import Limits
    from clawfeed.sources.documents.opml import LARGEST_DOCUMENT
    from clawfeed.sources.fetchers.response_outcomes import ask

    request = Request(url=url, limits=tools.limits(Limits(body=LARGEST_DOCUMENT)))
    return (await ask(tools.egress, request, now=system_clock())).body


async def _add_all(
    document: OpmlDocument, tools: SourceTools, database: Database, done: _Import
) -> None:
    from clawfeed.app.clock import system_clock
    from clawfeed.cli.source.source_label import label
    from clawfeed.domain.sources.source_faults import Lookalikes
    from clawfeed.storage.sources.sources import SourceStore

    store = SourceStore(database)
    others = Lookalikes(tools.types, await store.list())
    asked = (_new_source(outline, tools, others, done) for outline in document.outlines)
    new = [each for each in asked if each]
    ids = await store.add_many(new, now=system_clock())
    for each in new:
        shown = label(tools.types, each.type, each.name, each.config)
        if each.identity in ids:
            done.added.append((shown, ids[each.identity]))
        else:
            done.already_there.append((shown, "was added by somebody else just now"))
    done.notes += await follow_imported(new, ids, database)
    done.packs += await _fill_packs(document, tools, database)


async def _fill_packs(document: OpmlDocument, tools: SourceTools, database: Database) -> list[str]:
    """Put what stands in a folder into the pack of its name, whether it was new or not."""
    from clawfeed.app.clock import system_clock
    from clawfeed.domain.sources.source_faults import Lookalikes
    from clawfeed.storage.sources.imported_folders import Folders
    from clawfeed.storage.sources.sources import SourceStore

    filed = [outline for outline in document.outlines if outline.folder]
    if not filed:
        return []
    others = Lookalikes(tools.types, await SourceStore(database).list())
    contents: dict[str, list[SourceId]] = {}
    for outline in filed:
        if stored := _stored_as(outline, tools, others):
            contents.setdefault(outline.folder, []).append(stored)
    await Folders(database).fill(contents, now=system_clock())
    return sorted(contents)


def _stored_as(outline: Outline, tools: SourceTools, others: Lookalikes) -> SourceId | None:
    """The source that *outline* asks for, or the one it would repeat; None if it was refused."""
    from clawfeed.sources.discovery.new_source import prepare, to_candidate
    from clawfeed.sources.discovery.opml import to_wanted

    try:
        new = prepare(tools.fetchers, to_wanted(outline, tools.types))
    except UserError:
        return None
    # As a private one it is compared with all that an import may have stored.
    twin = others.fault_of(replace(to_candidate(new), is_public=False))
    return twin.twin if twin else None


def _new_source(
    outline: Outline, tools: SourceTools, others: Lookalikes, done: _Import
) -> NewSource | None:
    """The source to store for *outline*, or None and a line in *done* that says why not."""
    from clawfeed.cli.source.source_label import label
    from clawfeed.domain.sources.source_secrets import require_no_secret
    from clawfeed.sources.discovery.new_source import prepare, to_candidate
    from clawfeed.sources.discovery.opml import to_wanted

    try:
        wanted = to_wanted(outline, tools.types)
        owner = done.owners.of(wanted, tools.types.facts(wanted.type))
        new = replace(prepare(tools.fetchers, wanted), is_public=owner is None, created_by=owner)
        if new.is_public:
            require_no_secret(new.config, way_out="import it with --private")
        if place := place_of(new.type, new.config, tools):
            tools.egress.guard.check_url(place)  # what it refuses now, it would refuse always (T8)
    except (UserError, EgressError) as error:
        done.refused.append((_label_of(outline, tools), str(error)))
        return None
    candidate = to_candidate(new)
    repeated = others.fault_of(candidate)
    if repeated:
        why = "is in the list twice" if repeated.twin == NOT_STORED else repeated.text
        shown = label(tools.types, new.type, new.name, new.config)
        done.already_there.append((shown, why))
        return None
    others.add(candidate)
    return new


def _label_of(outline: Outline, tools: SourceTools) -> str:
    from clawfeed.cli.source.source_label import label
    from clawfeed.sources.source_types.feed import RSS

    config = _config_of(outline, tools)
    return label(tools.types, outline.type or RSS.name, outline.name, config)


def _config_of(outline: Outline, tools: SourceTools) -> dict[str, JsonValue]:
    """What an outline asks for, as far as it can be read."""
    from clawfeed.sources.discovery.new_source import read_config
    from clawfeed.sources.discovery.opml import address_of

    if not outline.config:
        address = address_of(outline, tools.types)
        return {"url": address} if address else {}
    try:
        return read_config(outline.config)
    except InvalidInputError:
        return {}
