"""`clawfeed source faults` and `source fix`: what is wrong with the data, and mending it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from clawfeed.app.settings.config import Config
from clawfeed.cli.startup import load_settings
from clawfeed.cli.terminal import options
from clawfeed.cli.terminal.number_arguments import SOURCE_ID
from clawfeed.domain.ids import SourceId

if TYPE_CHECKING:
    from clawfeed.domain.sources.source_repairs import FoundFault
    from clawfeed.storage.source_changes.source_merge import MergeCounts
    from clawfeed.storage.source_changes.source_repairs import RepairResult


@click.command()
@options.json_array
def faults(*, as_json: bool) -> None:
    """Show duplicates, configs of many handles and wrong names, and what would mend each.

    \b
    Example:
      clawfeed source faults
      clawfeed source fix --all --dry-run
    """
    from clawfeed.api.sources.source_faults import finding_as_json
    from clawfeed.app.processes.event_loop import run_async
    from clawfeed.app.processes.logging_setup import one_line
    from clawfeed.cli.terminal.printing import print_json

    found = run_async(_findings(load_settings()))
    if as_json:
        print_json([finding_as_json(each) for each in found])
        return
    for each in found:
        source = each.source
        click.echo(
            one_line(f"source {source.id} ({source.name}) {each.fault.text}{_way_out(each)}")
        )
    if not found:
        click.echo("no faults found")


@click.command()
@click.argument("ids", nargs=-1, type=SOURCE_ID, metavar="ID...")
@click.option("--all", "is_all", is_flag=True, help="Every fault whose repair is certain.")
@click.option("--dry-run", is_flag=True, help="Tell what would change, and change nothing.")
@options.json_object
def fix(*, ids: tuple[int, ...], is_all: bool, dry_run: bool, as_json: bool) -> None:
    """Mend data faults: merge duplicates, split many handles, rename to the handle.

    Items, marks, subscriptions and packs move to the source that stays, and nothing is told
    again. Sources that only look alike are merged if you name the one that shall go.

    \b
    Example:
      clawfeed source fix --all --dry-run
      clawfeed source fix 7
    """
    from clawfeed.api.sources.source_faults import repaired_as_json
    from clawfeed.app.processes.event_loop import run_async
    from clawfeed.app.processes.logging_setup import one_line
    from clawfeed.cli.terminal.printing import print_json

    if bool(ids) == is_all:
        raise click.UsageError("Give the ids of sources, or --all.")
    wanted = None if is_all else [SourceId(id_) for id_ in ids]
    done = run_async(_fix(load_settings(), wanted, dry_run=dry_run))
    if as_json:
        print_json({"dry_run": dry_run, "repairs": [repaired_as_json(each) for each in done]})
        return
    for each in done:
        click.echo(one_line(told(each, dry_run=dry_run)))
    if not done:
        click.echo("nothing to mend")


def told(done: RepairResult, *, dry_run: bool) -> str:
    """What a repair changed, in one line that leaves nothing out."""
    from clawfeed.domain.sources.source_repairs import RepairKind

    verb = "would be" if dry_run else "was"
    subject = f"source {done.source.id} ({done.source.name}) {verb}"
    match done.kind:
        case RepairKind.MERGE:
            into = f"source {done.into.id} ({done.into.name})" if done.into else ""
            return f"{subject} merged into {into}; moved: {_moved(done.moved)}"
        case RepairKind.SPLIT:
            return f"{subject} split; {_parts(done)}; moved: {_moved(done.moved)}"
        case RepairKind.RENAME:
            return f"{subject} renamed to {done.name}"


def _way_out(finding: FoundFault) -> str:
    if finding.repair is None:
        return "; edit it by hand"
    how = f"clawfeed source fix {finding.source.id}"
    return f"; {how}" if finding.repair.is_certain else f"; if they are one: {how}"


def _parts(done: RepairResult) -> str:
    groups = {"added": done.added, "followed already": done.found, "no handles": done.left_out}
    return "; ".join(f"{what}: {', '.join(names)}" for what, names in groups.items() if names)


def _moved(moved: MergeCounts) -> str:
    from clawfeed.cli.terminal.plurals import counted

    repeated = f" ({moved.repeated} more were there already)" if moved.repeated else ""
    parts = [
        counted(moved.items, "item") + repeated,
        counted(moved.marks, "mark"),
        counted(moved.subscriptions, "subscription"),
        counted(moved.packs, "place") + " in packs",
    ]
    return ", ".join(parts)


async def _findings(config: Config) -> list[FoundFault]:
    from clawfeed.app.wiring.entry_points import existing_database
    from clawfeed.domain.sources.source_repairs import findings_among
    from clawfeed.storage.sources.sources import SourceStore

    async with existing_database(config) as database:
        return findings_among(config.types, await SourceStore(database).list())


async def _fix(config: Config, ids: list[SourceId] | None, *, dry_run: bool) -> list[RepairResult]:
    from clawfeed.app.clock import system_clock
    from clawfeed.app.wiring.entry_points import existing_tools
    from clawfeed.app.wiring.fetching import repairs_with
    from clawfeed.auth.client_address import COMMAND_LINE
    from clawfeed.storage.source_changes.source_repairs import RepairScope

    async with existing_tools(config) as (database, tools):
        repairs = repairs_with(tools, database)
        scope = RepairScope(client=str(COMMAND_LINE))
        return await repairs.fix(ids, scope, dry_run=dry_run, now=system_clock())
