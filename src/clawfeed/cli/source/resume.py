"""`clawfeed source resume`."""

from __future__ import annotations

import click

from clawfeed.app.settings.config import Config
from clawfeed.cli.startup import load_settings
from clawfeed.cli.terminal import options
from clawfeed.cli.terminal.number_arguments import SOURCE_ID
from clawfeed.domain.ids import SourceId


@click.command()
@click.argument("ids", nargs=-1, type=SOURCE_ID, metavar="ID...")
@click.option("--all-failed", is_flag=True, help="Every source that was paused by its errors.")
@options.json_object
def resume(*, ids: tuple[int, ...], all_failed: bool, as_json: bool) -> None:
    """Take up paused sources: their errors are forgotten and they are due now.

    \b
    Example:
      clawfeed source resume 3 7
      clawfeed source resume --all-failed
    """
    from clawfeed.app.processes.event_loop import run_async
    from clawfeed.cli.terminal.printing import print_json

    if bool(ids) == all_failed:
        raise click.UsageError("Give the ids of sources, or --all-failed.")
    wanted = [SourceId(id_) for id_ in dict.fromkeys(ids)]
    resumed = run_async(_resume(load_settings(), wanted, all_failed=all_failed))
    if as_json:
        print_json({"resumed": resumed})
    elif resumed:
        click.echo("\n".join(f"resumed source {id_}" for id_ in resumed))
    else:
        click.echo("no source is paused by its errors")


async def _resume(config: Config, ids: list[SourceId], *, all_failed: bool) -> list[SourceId]:
    from clawfeed.app.clock import system_clock
    from clawfeed.app.wiring.entry_points import existing_database
    from clawfeed.storage.sources.source_resuming import resume_failed, resume_sources

    async with existing_database(config) as database:
        if all_failed:
            return await resume_failed(database, config.types, now=system_clock())
        await resume_sources(database, ids, config.types, now=system_clock())
        return ids
