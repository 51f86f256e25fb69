"""`clawfeed source list`."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import click

from clawfeed.app.settings.config import Config
from clawfeed.cli.startup import load_settings
from clawfeed.cli.terminal import options
from clawfeed.domain.ids import JsonValue

if TYPE_CHECKING:
    from clawfeed.domain.sources.type_facts import KnownTypes, TypeFacts
    from clawfeed.storage.sources.last_error import LastError
    from clawfeed.storage.sources.source_status import SourceState

TABLE_HEADER = ("ID", "TYPE", "NAME", "STATUS", "LAST POLL", "NEXT POLL", "BECAUSE", "ERRORS")
SHRINKING_COLUMNS = ("BECAUSE", "NAME", "TYPE", "STATUS")
# `status` and `source show` have them too.
DROPPED_COLUMNS = ("BECAUSE", "LAST POLL", "ERRORS")


@click.command("list")
@click.option("--type", "kind", help="Only this type.")
@click.option("--failing", is_flag=True, help="Only those with errors, and the last one of each.")
@click.option("--faults", is_flag=True, help="Duplicates, odd configs and wrong names instead.")
@options.json_array
def list_sources(*, kind: str | None, failing: bool, faults: bool, as_json: bool) -> None:
    """Show what is followed, and how each source is doing.

    Times are in TIMEZONE; in JSON they are UTC. Secrets in configs are masked.

    \b
    Example:
      clawfeed source list --failing
      clawfeed source list --faults
      clawfeed source list --json
    """
    from clawfeed.app.clock import system_clock
    from clawfeed.app.processes.event_loop import run_async

    config = load_settings()
    everything = run_async(_states(config))
    of_type = [state for state in everything if is_of_type(config.types, state, kind)]
    states = [state for state in of_type if state.is_failing or not failing]
    if not of_type and not as_json:
        click.echo(why_none(everything, kind), err=True)
    elif faults:
        _print_faults(config.types, states, as_json=as_json)
    elif as_json:
        _print_json(states, system_clock())
    elif states:
        _print_table(states, system_clock(), config.timezone, with_errors=failing)
    else:
        click.echo(f"no source {f'of type {kind} ' if kind else ''}fails", err=True)


def is_of_type(types: KnownTypes[TypeFacts], state: SourceState, kind: str | None) -> bool:
    """Whether `--type` means this one; an alias and its type are one, and None means all."""
    return kind is None or types.key(state.source.type) == types.key(kind)


def why_none(everything: list[SourceState], kind: str | None) -> str:
    """Why nothing is left of *everything* that is followed."""
    from clawfeed.sources.config.checks import quote

    there_are = sorted({state.source.type for state in everything})
    if not there_are:
        return "no sources; clawfeed source add URL adds one"
    return f"no source of type {quote(kind or '')}; there are {', '.join(there_are)}"


async def _states(config: Config) -> list[SourceState]:
    from clawfeed.app.wiring.entry_points import existing_database
    from clawfeed.storage.sources.source_status import SourceStates

    async with existing_database(config) as database:
        return await SourceStates(database).states()


def _print_table(
    states: list[SourceState], now: datetime, timezone: str, *, with_errors: bool
) -> None:
    from clawfeed.cli.terminal.tables import table

    rows = [_row(state, now, timezone) for state in states]
    head, *lines = table(TABLE_HEADER, rows, shrink=SHRINKING_COLUMNS, drop=DROPPED_COLUMNS).split(
        "\n"
    )
    click.echo(head)
    for state, line in zip(states, lines, strict=True):
        click.echo(line)
        if with_errors and state.last_error:
            click.echo(f"    {_shown_error(state.last_error)}")


def _shown_error(error: LastError) -> str:
    """In full: it is what somebody who asks for failures wants to read."""
    from clawfeed.app.processes.logging_setup import one_line

    reason = f" ({error.reason})" if error.reason else ""
    return one_line(f"{error.message}{reason}")


def _row(state: SourceState, now: datetime, timezone: str) -> tuple[str, ...]:
    from clawfeed.cli.terminal.times import local
    from clawfeed.domain.wording.because_wording import render_because

    source = state.source
    next_poll = "-"
    if source.is_active:
        at = state.next_poll
        next_poll = local(at, timezone) if at and at > now else "now"
    return (
        str(source.id),
        source.type,
        source.name,
        state.status(now),
        local(state.polled_at, timezone) if state.polled_at else "-",
        next_poll,
        render_because(state.because) or "-",
        str(state.errors),
    )


def _print_json(states: list[SourceState], now: datetime) -> None:
    from clawfeed.cli.terminal.printing import print_json

    print_json([state_as_json(state, now) for state in states])


def state_as_json(state: SourceState, now: datetime) -> dict[str, JsonValue]:
    """A source for programs, its secrets masked."""
    from clawfeed.domain.moments import iso
    from clawfeed.domain.sources.source_secrets import mask_config
    from clawfeed.domain.wording.because_wording import render_because

    source, error = state.source, state.last_error
    return {
        "id": source.id,
        "type": source.type,
        "name": source.name,
        "config": mask_config(source.config),
        "status": str(state.status(now)),
        "is_active": source.is_active,
        "is_public": source.is_public,
        "last_fetched_at": iso(source.last_fetched_at),
        "last_poll": iso(state.polled_at),
        "next_poll": iso(state.next_poll),
        "because": render_because(state.because),
        "because_code": str(state.because.rule) if state.because else None,
        "errors": state.errors,
        "last_error": None
        if error is None
        else {"message": error.message, "at": error.at or None, "reason": error.reason},
    }


def _print_faults(
    types: KnownTypes[TypeFacts], states: list[SourceState], *, as_json: bool
) -> None:
    """S001-17, over all that is followed."""
    from clawfeed.app.processes.logging_setup import one_line
    from clawfeed.cli.terminal.printing import print_json
    from clawfeed.domain.sources.source_faults import faults_among

    found = faults_among(types, (state.source for state in states))
    if as_json:
        print_json(
            [
                {"id": source.id, "fault": fault.kind, "text": fault.text, "twin": fault.twin}
                for source, fault in found
            ]
        )
        return
    for source, fault in found:
        click.echo(one_line(f"source {source.id} ({source.name}) {fault.text}"))
    if not found:
        click.echo("no faults found")
