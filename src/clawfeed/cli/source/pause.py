"""`clawfeed source pause` and `clawfeed source remove`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

import click

from clawfeed.app.settings.config import Config
from clawfeed.cli.startup import load_settings
from clawfeed.cli.terminal import options
from clawfeed.cli.terminal.number_arguments import SOURCE_ID
from clawfeed.domain.ids import SourceId

if TYPE_CHECKING:
    from clawfeed.storage.source_changes.source_changes import SourceChanges

    Change = Callable[[SourceChanges, SourceId], Awaitable[object]]


@click.command()
@click.argument("ids", nargs=-1, required=True, type=SOURCE_ID, metavar="ID...")
@options.json_object
def pause(*, ids: tuple[int, ...], as_json: bool) -> None:
    """Poll sources no more until `clawfeed source resume` takes them up again.

    \b
    Example:
      clawfeed source pause 3 7
    """

    async def change(changes: SourceChanges, source_id: SourceId) -> None:
        from clawfeed.app.clock import system_clock
        from clawfeed.storage.sources.visibility_conditions import OPERATOR

        await changes.pause(source_id, OPERATOR, _anything, now=system_clock())

    _change_all(ids, change, "paused", as_json=as_json)


@click.command()
@click.argument("ids", nargs=-1, required=True, type=SOURCE_ID, metavar="ID...")
@options.json_object
def remove(*, ids: tuple[int, ...], as_json: bool) -> None:
    """Give sources up, for everybody who follows them; their items go with time.

    \b
    Example:
      clawfeed source remove 3 7
    """

    async def change(changes: SourceChanges, source_id: SourceId) -> None:
        from clawfeed.app.clock import system_clock
        from clawfeed.storage.sources.visibility_conditions import OPERATOR

        await changes.delete(source_id, OPERATOR, _anything, now=system_clock())

    _change_all(ids, change, "removed", as_json=as_json)


def _anything(_row: object) -> None:
    """The rule for the operator: they may."""


def _change_all(ids: Sequence[int], change: Change, done: str, *, as_json: bool) -> None:
    from clawfeed.app.processes.event_loop import run_async
    from clawfeed.cli.terminal.printing import print_json

    wanted = [SourceId(id_) for id_ in dict.fromkeys(ids)]
    run_async(_change(load_settings(), wanted, change, done))
    if as_json:
        print_json({done: wanted})
    else:
        click.echo("\n".join(f"{done} source {id_}" for id_ in wanted))


async def _change(config: Config, ids: list[SourceId], change: Change, done: str) -> None:
    """All, or none if one of them is not there."""
    from clawfeed.app.wiring.entry_points import existing_database
    from clawfeed.domain.errors import NotFoundError
    from clawfeed.storage.source_changes.source_changes import SourceChanges
    from clawfeed.storage.sources.sources import SourceStore

    async with existing_database(config) as database:
        there = {each.id for each in await SourceStore(database).list()}
        missing = [str(id_) for id_ in ids if id_ not in there]
        if missing:
            raise NotFoundError(f"there is no source {', '.join(missing)}; nothing was {done}")
        changes = SourceChanges(database, config.types)
        for source_id in ids:
            await change(changes, source_id)
