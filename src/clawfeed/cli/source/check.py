"""`clawfeed source check`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from datetime import timedelta
from time import monotonic
from typing import TYPE_CHECKING

import click

from clawfeed.app.settings.config import Config
from clawfeed.cli.source.arguments import (
    SourceArguments,
    UnreadAddressError,
    asked_for,
    meaning_of,
    place_of,
    way_out,
)
from clawfeed.cli.startup import load_settings
from clawfeed.cli.terminal import options
from clawfeed.cli.terminal.number_arguments import SOURCE_ID
from clawfeed.domain.errors import InvalidInputError, SourceError
from clawfeed.domain.ids import NOT_STORED, JsonValue, SourceId
from clawfeed.domain.sources.item import Draft, dedup_key
from clawfeed.domain.sources.source import Fetched, Hints, NotModified, Source

if TYPE_CHECKING:
    from clawfeed.app.wiring.fetching import SourceTools
    from clawfeed.storage.database import Database

# Enough to see what comes; the rest is counted.
ITEMS_SHOWN = 20
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Preview:
    """One poll that nobody stores, at *place*.

    *known* are the keys that a stored poll has seen before. An address that nobody could make
    sense of is a source without a type.
    """

    source: Source
    place: str
    result: Fetched | NotModified | SourceError
    known: frozenset[str]
    took: timedelta

    def drafts(self) -> tuple[Draft, ...]:
        return self.result.drafts if isinstance(self.result, Fetched) else ()

    def warnings(self) -> tuple[str, ...]:
        return self.result.warnings if isinstance(self.result, Fetched) else ()

    def hints(self) -> list[str]:
        if isinstance(self.result, SourceError):
            hint = way_out(self.result, self.place)
            return [hint] if hint else []
        return _hints(self.result.hints)

    def key(self, draft: Draft) -> str:
        return dedup_key(self.source.id, draft)


@click.command()
@click.argument("target", required=False, metavar="[ID|URL]")
@click.option("--type", "kind", help="Check this type, with --config.")
@click.option("--config", help="Its settings as a JSON object (with --type).")
@options.json_object
def check(*, target: str | None, kind: str | None, config: str | None, as_json: bool) -> None:
    """Poll a source once, store nothing, and show what it brings.

    Exit code 1, with the reason, if it cannot be read.

    \b
    Example:
      clawfeed source check 3
      clawfeed source check https://example.org/feed.xml
      clawfeed source check --type reddit --config '{"subreddit": "python"}'
    """
    from clawfeed.app.processes.event_loop import run_async
    from clawfeed.cli.terminal.printing import print_json

    settings = load_settings()
    asked = asked_for(target, kind, config)
    try:
        poll = run_async(_check(settings, asked))
    except UnreadAddressError as error:
        if not as_json:
            raise
        poll = _in_vain(asked.target or "", error.why)
    if as_json:
        print_json(_as_json(poll))
        sys.exit(int(isinstance(poll.result, SourceError)))
    if isinstance(poll.result, SourceError):
        name = f"source {poll.source.id}" if poll.source.id else "this source"
        why = f"{poll.result.detail} ({poll.result.reason})"
        raise InvalidInputError(" ".join((f"{name}: {why}", *poll.hints())))
    _print(poll, settings)


async def _check(config: Config, asked: SourceArguments) -> _Preview:

    from clawfeed.app.wiring.entry_points import trial_tools
    from clawfeed.storage.items.source_items import known_keys

    async with trial_tools(config) as (database, tools):
        source = await _source(asked, tools, database)
        started = monotonic()
        result = await _fetch(source, tools)
        took = timedelta(seconds=monotonic() - started)
        drafts = result.drafts if isinstance(result, Fetched) else ()
        keys = {dedup_key(source.id, draft) for draft in drafts}
        known = await known_keys(database, source.id, keys)
        return _Preview(
            source=source,
            place=place_of(source.type, source.config, tools),
            result=result,
            known=frozenset(known),
            took=took,
        )


def _in_vain(target: str, why: SourceError) -> _Preview:
    """The poll of an address that could not be read, so that nobody knows what it would be."""
    return _Preview(
        source=Source(id=NOT_STORED, type="", name="", config={"url": target}),
        place=target if "://" in target else f"https://{target}",
        result=why,
        known=frozenset(),
        took=timedelta(0),
    )


async def _source(asked: SourceArguments, tools: SourceTools, database: Database) -> Source:
    """The stored source that is meant, or one made up for this poll.

    Without its cursor: "nothing changed since yesterday" is no answer to a check.
    """
    from dataclasses import replace

    from clawfeed.sources.discovery.new_source import prepare, to_candidate
    from clawfeed.storage.source_changes.source_changes import identities
    from clawfeed.storage.sources.sources import SourceStore

    store = SourceStore(database)
    if asked.type is None and asked.target and asked.target.isdecimal():
        stored = await store.get(SourceId(SOURCE_ID(asked.target)))
        return replace(stored, cursor={})
    new = prepare(tools.fetchers, await meaning_of(asked, tools, poll=True))
    twin = await store.find_twin(identities(new, tools.types), new.created_by)
    return replace(twin, cursor={}) if twin else to_candidate(new)


async def _fetch(source: Source, tools: SourceTools) -> Fetched | NotModified | SourceError:
    import asyncio

    from clawfeed.collector.poll import LONGEST_POLL
    from clawfeed.domain.errors import Reason

    fetcher = tools.fetchers.get(source.type)
    if fetcher is None:
        return SourceError(Reason.MISCONFIGURED, tools.fetchers.why_absent(source.type))
    try:
        async with asyncio.timeout(LONGEST_POLL.total_seconds()):
            return await fetcher.fetch(source)
    except SourceError as error:
        return error
    except TimeoutError:
        limit = LONGEST_POLL.total_seconds()
        return SourceError(Reason.TIMED_OUT, f"not done after {limit:g} s")


def _print(poll: _Preview, settings: Config) -> None:
    from clawfeed.cli.source.source_label import label
    from clawfeed.cli.terminal.printing import warn

    source, drafts = poll.source, poll.drafts()
    click.echo(label(settings.types, source.type, source.name, source.config))
    new = sum(poll.key(draft) not in poll.known for draft in drafts)
    took = f"{poll.took.total_seconds():.2f} s"
    click.echo(f"{len(drafts)} items in {took}, {new} of them new")
    for draft in drafts[:ITEMS_SHOWN]:
        click.echo(_lines(poll, draft, settings.timezone))
    if len(drafts) > ITEMS_SHOWN:
        click.echo(f"  … and {len(drafts) - ITEMS_SHOWN} more")
    for hint in poll.hints():
        click.echo(f"hint: {hint}")
    for warning in poll.warnings():
        warn(warning)


def _lines(poll: _Preview, draft: Draft, timezone: str) -> str:
    """One item; its key only where it is not simply its address."""
    from clawfeed.app.processes.logging_setup import one_line
    from clawfeed.cli.terminal.times import local
    from clawfeed.cli.terminal.width import folded

    key = poll.key(draft)
    mark = "known" if key in poll.known else "new"
    date = local(draft.published_at, timezone) if draft.published_at else "no date"
    lines = [folded(one_line(draft.title), start=f"  {mark:<5}  {date:<16}  ")]
    if draft.url:
        lines.append(f"         {one_line(draft.url)}")
    if key != f"{poll.source.id}:{draft.url}":
        lines.append(f"         key {one_line(key)}")
    return "\n".join(lines)


def _hints(hints: Hints) -> list[str]:
    said: list[str] = []
    if hints.wait:
        said.append(f"the server asks for {hints.wait.total_seconds() / 60:g} min between polls")
    if hints.feed_wait:
        said.append(f"the feed asks for {hints.feed_wait.total_seconds() / 60:g} min between polls")
    if hints.skip_hours:
        said.append(f"it rests at {', '.join(map(str, sorted(hints.skip_hours)))} h UTC")
    if hints.skip_days:
        said.append(f"it rests on {', '.join(DAYS[day % 7] for day in sorted(hints.skip_days))}")
    if hints.moved_to:
        from clawfeed.domain.sources.source_secrets import mask_url

        said.append(f"it moved for good to {mask_url(hints.moved_to)}")
    return said


def _as_json(poll: _Preview) -> dict[str, JsonValue]:
    from clawfeed.domain.sources.source_secrets import mask_config

    source, error = poll.source, poll.result
    failure: dict[str, JsonValue] = {}
    if isinstance(error, SourceError):
        failure = {"reason": str(error.reason), "detail": error.detail, "status": error.status}
    return {
        "ok": not failure,
        **failure,
        "id": source.id or None,
        "type": source.type or None,
        "name": source.name,
        "config": mask_config(source.config),
        "seconds": round(poll.took.total_seconds(), 3),
        "count": len(poll.drafts()),
        "items": [_item(poll, draft) for draft in poll.drafts()[:ITEMS_SHOWN]],
        "hints": list(poll.hints()),
        "warnings": list(poll.warnings()),
    }


def _item(poll: _Preview, draft: Draft) -> JsonValue:
    from clawfeed.domain.moments import iso

    key = poll.key(draft)
    return {
        "title": draft.title,
        "url": draft.url,
        "published_at": iso(draft.published_at),
        "key": key,
        "known": key in poll.known,
    }
