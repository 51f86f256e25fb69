"""`clawfeed source edit`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import click

from clawfeed.app.settings.config import Config
from clawfeed.cli.startup import load_settings
from clawfeed.cli.terminal import options
from clawfeed.cli.terminal.number_arguments import SOURCE_ID, WholeNumber
from clawfeed.domain.errors import InvalidInputError
from clawfeed.domain.ids import JsonValue, SourceId
from clawfeed.domain.schedule.interval import LONGEST_MINUTES
from clawfeed.domain.sources.source import LONGEST_SOURCE_NAME
from clawfeed.domain.sources.type_facts import OWN_INTERVAL, TypeFacts, require_shareable

if TYPE_CHECKING:
    from clawfeed.app.wiring.fetching import SourceTools
    from clawfeed.storage.source_changes.source_cadence import CadenceChoice
    from clawfeed.storage.sources.source_row import SourceRow
    from clawfeed.storage.sources.sources import NewSource


@dataclass(frozen=True, slots=True, kw_only=True)
class _Edit:
    """What shall be different; None and nothing stay as they are."""

    name: str | None
    is_public: bool | None
    settings: Mapping[str, JsonValue]
    left_out: frozenset[str]
    cadence: CadenceChoice | None

    def config(self, stored: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
        kept = {key: value for key, value in stored.items() if key not in self.left_out}
        return {**kept, **self.settings}


NO_EDIT = _Edit(name=None, is_public=None, settings={}, left_out=frozenset(), cadence=None)
SAY_WHAT = (
    "Say what to change: --name, --interval, --cadence, --set, --unset, --public or --private."
)


@click.command()
@click.argument("source_id", type=SOURCE_ID, metavar="ID")
@click.option("--name", help="What it is called.")
@click.option(
    "--interval",
    type=WholeNumber(0, LONGEST_MINUTES),
    help="Minutes between two polls; 0 leaves them to its type.",
)
@click.option(
    "--cadence",
    metavar="P0...P6|auto",
    help="How often it publishes, P0 (all day) to P6 (rarely); auto: what its history teaches.",
)
@click.option("--set", "pairs", multiple=True, metavar="KEY=VALUE", help="Set a key of its config.")
@click.option("--unset", "unset", multiple=True, metavar="KEY", help="Take a key out of it.")
@click.option("--public/--private", "is_public", default=None, help="Who may see it.")
@options.json_object
def edit(
    *,
    source_id: int,
    name: str | None,
    interval: int | None,
    cadence: str | None,
    pairs: tuple[str, ...],
    unset: tuple[str, ...],
    is_public: bool | None,
    as_json: bool,
) -> None:
    """Change a source; with another config or cadence it is polled at once.

    A VALUE is JSON where it can be read so (100, true, ["a"]), else a text.

    \b
    Example:
      clawfeed source edit 3 --name "Harbour news" --interval 30
      clawfeed source edit 3 --set url=https://example.org/new.xml
      clawfeed source edit 3 --cadence P4
      clawfeed source edit 5 --set min_score=200 --unset filter
    """
    from clawfeed.app.processes.event_loop import run_async
    from clawfeed.cli.source.source_label import label
    from clawfeed.cli.terminal.printing import print_json, warn
    from clawfeed.cli.terminal.width import folded

    settings, left_out = _config_changes(pairs, unset, interval)
    change = _Edit(
        name=name if name is None else _required_name(name),
        is_public=is_public,
        settings=settings,
        left_out=left_out,
        cadence=None if cadence is None else _cadence(cadence),
    )
    if change == NO_EDIT:
        raise click.UsageError(SAY_WHAT)
    config = load_settings()
    row, warnings = run_async(_edit(config, SourceId(source_id), change))
    for warning in warnings:
        warn(warning)
    if as_json:
        print_json(_edited_json(row, warnings))
    else:
        shown_as = label(config.types, row.type, row.name, row.settings())
        click.echo(folded(f"changed source {row.id}: {shown_as}"))


def _config_changes(
    pairs: Iterable[str], unset: Iterable[str], interval: int | None
) -> tuple[dict[str, JsonValue], frozenset[str]]:
    """What is set in its config, and what is taken out; an interval stands there, too."""
    settings, left_out = dict(map(_pair, pairs)), set(unset)
    if interval:
        settings[OWN_INTERVAL] = interval
    elif interval == 0:
        left_out.add(OWN_INTERVAL)
    return settings, frozenset(left_out)


def _required_name(text: str) -> str:
    if not _name(text):
        raise click.BadParameter("a name has at least one letter", param_hint="--name")
    return text


def _edited_json(row: SourceRow, warnings: Sequence[str]) -> dict[str, object]:
    from clawfeed.domain.sources.source_secrets import mask_config

    return {
        "id": row.id,
        "type": row.type,
        "name": row.name,
        "config": mask_config(row.settings()),
        "is_public": bool(row.is_public),
        "cadence": row.cadence,
        "is_cadence_set": bool(row.is_cadence_set),
        "warnings": warnings,
    }


def _cadence(text: str) -> CadenceChoice:
    from clawfeed.storage.source_changes.source_cadence import read_cadence_choice

    try:
        return read_cadence_choice(text)
    except InvalidInputError as error:
        raise click.BadParameter(str(error), param_hint="--cadence") from error


def _pair(text: str) -> tuple[str, JsonValue]:
    from clawfeed.sources.discovery.new_source import read_config

    key, sign, value = text.partition("=")
    if not sign or not key.strip():
        raise click.BadParameter(f"{text!r} is not KEY=VALUE", param_hint="--set")
    try:
        json.loads(value)
    except (ValueError, RecursionError):
        value = json.dumps(value)
    try:
        return next(iter(read_config(f"{{{json.dumps(key.strip())}: {value}}}").items()))
    except InvalidInputError as error:
        raise click.BadParameter(str(error), param_hint="--set") from error


async def _edit(config: Config, source_id: SourceId, change: _Edit) -> tuple[SourceRow, list[str]]:
    """The source as it is now, and a sentence if its cadence changes no date."""
    from clawfeed.app.clock import system_clock
    from clawfeed.app.settings.intervals import effective_intervals
    from clawfeed.app.wiring.entry_points import existing_tools
    from clawfeed.storage.source_changes.source_changes import SourceChanges, stored_row
    from clawfeed.storage.sources.sources import SourceStore
    from clawfeed.storage.sources.visibility_conditions import OPERATOR

    async with existing_tools(config) as (database, tools):
        changes = SourceChanges(database, tools.types)
        result = await changes.update(
            source_id,
            OPERATOR,
            lambda row: _planned(row, change, tools),
            now=system_clock(),
            cadence=change.cadence,
        )
        row = stored_row(result)
        intervals = await effective_intervals(config, database)
        interval = intervals.of(await SourceStore(database).get(row.id))
    if change.cadence in {None, "auto"} or not interval.is_pinned:
        return row, []
    return row, [f"it is polled every {interval.minutes:g} min all the same: intervals come first"]


def _planned(row: SourceRow, change: _Edit, tools: SourceTools) -> NewSource:
    """The source as it shall be, by the rules of the API; raises whatever is wrong with that."""
    from clawfeed.cli.source.arguments import refuse_blocked
    from clawfeed.cli.source.owner import PRIVATE_PLEASE
    from clawfeed.domain.sources.source_secrets import require_no_secret
    from clawfeed.sources.discovery.new_source import SourceRequest, prepare
    from clawfeed.storage.sources.sources import NewSource

    stored = row.settings()
    config = change.config(stored)
    is_public = _is_public_then(row, change, tools.types.facts(row.type))
    new = NewSource(
        type=row.type, name=row.name, config=stored, host=row.host, param_key=row.param_key
    )
    if config != stored:  # what stays as it is is not checked again
        new = prepare(tools.fetchers, SourceRequest(type=row.type, config=config, name=row.name))
        refuse_blocked(new, tools)
    if is_public and (config != stored or not row.is_public):
        require_no_secret(new.config, way_out=PRIVATE_PLEASE)
    return replace(new, name=_name(change.name) or row.name, is_public=is_public)


def _is_public_then(row: SourceRow, change: _Edit, facts: TypeFacts) -> bool:
    """Whether everybody will see it; refused if that is not theirs to see, or nobody would."""
    is_public = bool(row.is_public) if change.is_public is None else change.is_public
    if not is_public and row.created_by is None and row.is_public:
        raise InvalidInputError(
            f"source {row.id} is nobody's, so nobody would see it: remove it, and add it again "
            "with --private"
        )
    if is_public:
        require_shareable(facts, way_out="leave it private")
    return is_public


def _name(text: str | None) -> str:
    from clawfeed.sources.documents.text_cleaning import clean_text

    return clean_text(text, LONGEST_SOURCE_NAME) if text else ""
