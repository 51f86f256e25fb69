"""`clawfeed collect`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from clawfeed.app.settings.config import Config
from clawfeed.cli.startup import load_settings
from clawfeed.cli.terminal.number_arguments import SOURCE_ID, WholeNumber

if TYPE_CHECKING:
    from clawfeed.collector.poll import PollResult


@click.command()
@click.option("--loop", is_flag=True, help="Go on until stopped, polling what becomes due.")
@click.option("--source", "source_id", type=SOURCE_ID, help="Poll this source now, due or not.")
@click.option(
    "--workers",
    type=WholeNumber(1, 64),
    default=1,
    show_default=True,
    help="Collector processes side by side (PostgreSQL, or a SQLite that can share its file).",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON line per source on stdout.")
def collect(*, loop: bool, source_id: int | None, workers: int, as_json: bool) -> None:
    """Poll the sources that are due and store what is new.

    Without options: everything that is due, once. Exit code 1 with --source if that poll failed.

    \b
    Example:
      clawfeed collect
      clawfeed collect --source 3
      clawfeed collect --loop --workers 3
    """
    from clawfeed.app.processes.event_loop import run_async

    config = load_settings()
    if source_id is not None and (loop or workers > 1):
        raise click.UsageError("--source polls once, by itself: leave out --loop and --workers")
    if workers > 1:
        sys.exit(run_async(_many(config, workers, loop=loop, as_json=as_json)))
    if source_id is not None:
        sys.exit(run_async(_one(config, source_id, as_json=as_json)))
    work = _loop if loop else _once
    sys.exit(run_async(work(config, as_json=as_json)))


async def _loop(config: Config, *, as_json: bool) -> int:
    from clawfeed.app.processes.worker_group import Service
    from clawfeed.app.wiring.alarms import alarm_watcher
    from clawfeed.app.wiring.collector import announce
    from clawfeed.app.wiring.entry_points import opened_collector
    from clawfeed.cli.collect_progress import Progress
    from clawfeed.collector.poll_logging import PollLog

    log, progress = PollLog(), Progress(as_json=as_json)

    def tell(result: PollResult) -> None:
        log(result)
        if as_json:
            progress(result)

    async with opened_collector(config, tell) as (database, parts):
        await announce(config, database, parts.intervals)
        service = Service([*parts.workers, alarm_watcher(config, database, parts.tools.egress)])
        progress.when_unread = service.stop
        code = await service.run()
    progress.require_output()
    return code


async def _once(config: Config, *, as_json: bool) -> int:
    from clawfeed.app.clock import system_clock
    from clawfeed.app.collect_once import CollectOnce
    from clawfeed.app.processes.worker_group import Service
    from clawfeed.app.wiring.entry_points import opened_collector
    from clawfeed.cli.collect_progress import Progress
    from clawfeed.storage.operations.collector_status import waiting_for_turns

    progress = Progress(as_json=as_json)
    async with opened_collector(config, progress) as (database, parts):
        due = (await parts.schedule.overview(parts.poller.clock())).due
        service = Service([CollectOnce(parts.collector)])
        progress.when_unread = service.stop
        with progress.showing(due):
            code = await service.run()
        await parts.indexing.catch_up()
        await parts.housekeeping.do_round_if_due()
        progress.summarise(await waiting_for_turns(database), system_clock())
    progress.require_output()
    return code


async def _one(config: Config, source_id: int, *, as_json: bool) -> int:
    from clawfeed.app.collect_once import CollectSource
    from clawfeed.app.processes.worker_group import Service
    from clawfeed.app.wiring.entry_points import opened_collector
    from clawfeed.cli.collect_progress import Progress
    from clawfeed.domain.errors import UserError
    from clawfeed.domain.ids import SourceId
    from clawfeed.domain.sources.source import Failed

    progress = Progress(as_json=as_json, has_bar=False)
    async with opened_collector(config, progress, uses_queue=False) as (_, parts):
        poll = CollectSource(parts, SourceId(source_id))
        try:
            code = await Service([poll]).run()
        except* UserError as group:  # there is no such source, or it is being polled
            raise group.exceptions[0] from None
    if poll.result is None:  # told to stop, twice or for too long
        return code
    progress(poll.result)
    progress.require_output()
    return int(isinstance(poll.result.outcome, Failed))


async def _many(config: Config, workers: int, *, loop: bool, as_json: bool) -> int:
    from clawfeed.app.all_in_one import run_collectors

    arguments = ("collect", *(["--loop"] if loop else []), *(["--json"] if as_json else []))
    return await run_collectors(config, workers, arguments, again=loop)
