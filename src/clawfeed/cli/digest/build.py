"""`clawfeed digest build`: an edition now, or only its selection."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from clawfeed.app.settings.config import Config
from clawfeed.cli.startup import load_settings
from clawfeed.cli.terminal import options
from clawfeed.cli.terminal.number_arguments import WholeNumber
from clawfeed.domain.editions.edition_period import EditionType

if TYPE_CHECKING:
    from clawfeed.app.wiring.editions import Editions
    from clawfeed.digest.driver.driver import StepReport
    from clawfeed.digest.preview import EditionPreview
    from clawfeed.domain.editions.edition import EditionTask
    from clawfeed.storage.database import Database
    from clawfeed.storage.digests.digests import StoredDigest

LONGEST_HOURS = 24 * 31
TYPES = click.Choice([str(kind) for kind in EditionType])


@click.command()
@click.option(
    "--type", "kind", type=TYPES, default="daily", show_default=True, help="Which edition."
)
@click.option("--user", "email", metavar="EMAIL", help="This reader's own, not everybody's.")
@click.option("--dry-run", is_flag=True, help="Show the selection with its scores; store nothing.")
@click.option(
    "--hours",
    type=WholeNumber(1, LONGEST_HOURS),
    default=24,
    show_default=True,
    help="With --dry-run: from what came in within so many hours.",
)
@click.option("--all", "everything", is_flag=True, help="With --dry-run: what was left out, too.")
@options.json_object
def build(
    *, kind: str, email: str | None, dry_run: bool, hours: int, everything: bool, as_json: bool
) -> None:
    """Make today's edition now, from where it stands to its end, and print it.

    There is one edition of each period, however often it is built: what is published is printed
    as it is. The same story told by several is one story; each says why it is in. What goes to
    channels is sent by `clawfeed run`, or by the next `clawfeed cron`.

    \b
    Example:
      clawfeed digest build
      clawfeed digest build --user anna@example.org --type weekly
      clawfeed digest build --dry-run --hours 168 --all --json
    """
    _require_sense(dry_run=dry_run)
    config = load_settings(tells_itself=True)
    if dry_run:
        _dry_run(config, email, timedelta(hours=hours), everything=everything, as_json=as_json)
    else:
        _build(config, EditionType(kind), email, as_json=as_json)


def _require_sense(*, dry_run: bool) -> None:
    """What would be heeded by nobody is wrong usage."""
    context = click.get_current_context()
    misplaced = {"kind": "--type"} if dry_run else {"hours": "--hours", "everything": "--all"}
    for name, option in misplaced.items():
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(
                f"--dry-run chooses by --hours: leave out {option}"
                if dry_run
                else f"{option} goes with --dry-run: add that, or leave it out"
            )


def _build(config: Config, kind: EditionType, email: str | None, *, as_json: bool) -> None:
    from clawfeed.app.processes.event_loop import run_async
    from clawfeed.cli.digest.show import print_edition

    made = run_async(make_edition(config, kind, email, _progress))
    print_edition(made, "json" if as_json else "text")


async def make_edition(
    config: Config,
    kind: EditionType,
    email: str | None,
    on_step: Callable[[StepReport], None],
) -> StoredDigest:
    """Today's edition of everybody or of one reader, made if it is not there; then it leaves.

    The channels of the settings come first: whoever is not there when an edition is written never
    gets it, for it is published once (S002-8).
    """
    from clawfeed.app.wiring.delivery import drain_once, sync_house_channels
    from clawfeed.app.wiring.editions import opened_editions
    from clawfeed.app.wiring.entry_points import existing_database
    from clawfeed.domain.errors import NotFoundError
    from clawfeed.storage.digests.digests import DigestStore

    async with (
        existing_database(config) as database,
        opened_editions(config, database) as editions,
    ):
        await sync_house_channels(config, database)
        task = await _task(editions, database, kind, email)
        if task is None:
            raise NotFoundError(await _why_none(editions, database, kind, email))
        if not task.is_over:
            task = (await editions.driver.run_to_end(task.id, on_step)).after
            await drain_once(config, database, editions.driver.advance)
        made = await DigestStore(database).of_task(task.id)
    if made is None and not task.is_over:
        raise NotFoundError(
            f"{task.title} is being made by somebody else just now: it is {task.state}, "
            "`clawfeed status` shows how far it is; try again in a minute"
        )
    if made is None:
        raise NotFoundError(
            f"{task.title} has nothing to tell: it is {task.state}. "
            "`clawfeed digest build --dry-run --all` shows what there is"
        )
    return made


async def _task(
    editions: Editions, database: Database, kind: EditionType, email: str | None
) -> EditionTask | None:
    from clawfeed.cli.person_arguments import reader_named
    from clawfeed.storage.editions.reader_queue import DueReader

    reader = await reader_named(database, email)
    if reader is None:
        return await editions.triggers.system_task(kind)
    return await editions.triggers.task_for(DueReader(id=reader, type=kind))


async def _why_none(
    editions: Editions, database: Database, kind: EditionType, email: str | None
) -> str:
    from clawfeed.cli.person_arguments import reader_named
    from clawfeed.digest.edition_admin import NOTHING_COLLECTED
    from clawfeed.domain.editions.edition_scope import MADE_FROM
    from clawfeed.storage.editions.edition_scopes import ReaderScopes
    from clawfeed.storage.sources.subscriptions import read_default_sources

    if kind in MADE_FROM:
        return (
            f"a {kind} edition is made from the {MADE_FROM[kind]} ones of the time before it, "
            f"and there are none: `clawfeed digest list --type {MADE_FROM[kind]}` shows which "
            f"there are, and the next {kind} edition is made from those"
        )
    reader = await reader_named(database, email)
    if reader is not None:
        scope = await ReaderScopes(database, editions.config.defaults).scope(reader)
        if not scope.sources:
            return (
                f"{email} follows nothing, so there is no edition to make: they follow the "
                "default content when they sign in, and more by POST /api/subscriptions"
            )
    elif not await read_default_sources(database, editions.config.default_content):
        return (
            "no source is followed by everybody, so there is no edition to make: "
            "`clawfeed source add URL` adds one"
        )
    return NOTHING_COLLECTED


def _progress(report: StepReport) -> None:
    click.echo(progress_line(report), err=True)


def progress_line(report: StepReport) -> str:
    """What one step did, for whoever watches."""
    from clawfeed.digest.driver.driver import action_of

    after = report.after
    batch = f", batch {after.batch_index}" if after.batch_index else ""
    return f"{after.title}: {action_of(report.step).replace('_', ' ')} -> {after.state}{batch}"


def _dry_run(
    config: Config, email: str | None, length: timedelta, *, everything: bool, as_json: bool
) -> None:
    from clawfeed.app.processes.event_loop import run_async
    from clawfeed.cli.digest.preview import preview_as_json, preview_lines
    from clawfeed.cli.terminal.printing import print_json

    preview = run_async(_preview(config, email, length))
    if as_json:
        print_json(preview_as_json(preview))
    else:
        for line in preview_lines(preview, everything=everything):
            click.echo(line)


async def _preview(config: Config, email: str | None, length: timedelta) -> EditionPreview:
    from clawfeed.app.clock import system_clock
    from clawfeed.app.wiring.editions import edition_config
    from clawfeed.app.wiring.entry_points import existing_database
    from clawfeed.cli.person_arguments import reader_named
    from clawfeed.digest.preview import EditionPreviewer

    async with existing_database(config) as database:
        reader = await reader_named(database, email)
        previewer = EditionPreviewer(database, edition_config(config), system_clock)
        return await previewer.preview(reader, length)
