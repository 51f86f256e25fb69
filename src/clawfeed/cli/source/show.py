"""`clawfeed source show`: one source, and why it brings what it brings, in one place."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import click

from clawfeed.app.settings.config import Config
from clawfeed.cli.startup import load_settings
from clawfeed.cli.terminal import options
from clawfeed.cli.terminal.number_arguments import SOURCE_ID
from clawfeed.domain.ids import JsonValue, SourceId
from clawfeed.domain.sources.source_status import Status
from clawfeed.domain.sources.type_facts import OWN_INTERVAL

if TYPE_CHECKING:
    from clawfeed.domain.schedule.interval import Interval
    from clawfeed.domain.sources.source_faults import SourceFault
    from clawfeed.storage.items.source_items import StoredItems
    from clawfeed.storage.polling.poll_history import PollRow
    from clawfeed.storage.sources.source_status import SourceState

POLLS_SHOWN = 8
# Due for longer than this, it is not its turn that it waits for.
OVERDUE_AFTER = timedelta(minutes=10)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shown:
    """A source and all that explains it."""

    state: SourceState
    interval: Interval
    items: StoredItems
    polls: list[PollRow]
    faults: list[SourceFault]


@click.command()
@click.argument("source_id", type=SOURCE_ID, metavar="ID")
@options.json_object
def show(*, source_id: int, as_json: bool) -> None:
    """Show one source: how it is doing, why nothing new came, when next and why, its last polls.

    Times are in TIMEZONE; in JSON they are UTC. Secrets are masked.

    \b
    Example:
      clawfeed source show 3
    """
    from clawfeed.app.clock import system_clock
    from clawfeed.app.processes.event_loop import run_async
    from clawfeed.cli.terminal.printing import print_json

    config, now = load_settings(), system_clock()
    shown = run_async(_read(config, SourceId(source_id)))
    if as_json:
        print_json(_as_json(shown, now))
    else:
        click.echo("\n".join(_lines(shown, config, now)))


async def _read(config: Config, source_id: SourceId) -> _Shown:
    from clawfeed.app.settings.intervals import effective_intervals
    from clawfeed.app.settings.plugin_sources import source_types
    from clawfeed.app.wiring.entry_points import existing_database
    from clawfeed.domain.sources.source_faults import faults_among
    from clawfeed.storage.items.source_items import stored_items
    from clawfeed.storage.polling.poll_history import latest_polls
    from clawfeed.storage.sources.source_status import SourceStates
    from clawfeed.storage.sources.sources import SourceStore

    types = source_types(config)
    async with existing_database(config) as database:
        state = await SourceStates(database).state(source_id)
        found = faults_among(types, await SourceStore(database).list())
        return _Shown(
            state=state,
            interval=(await effective_intervals(config, database)).of(state.source),
            items=await stored_items(database, source_id),
            polls=await latest_polls(database, source_id, limit=POLLS_SHOWN),
            faults=[fault for source, fault in found if source.id == source_id],
        )


def _lines(shown: _Shown, config: Config, now: datetime) -> list[str]:
    from clawfeed.cli.source.source_label import label
    from clawfeed.cli.terminal.width import cut, folded, terminal_width

    source = shown.state.source
    head = f"source {source.id}: {label(config.types, source.type, source.name, source.config)}"
    pairs = [(name, text) for name, text in _facts(shown, config, now) if text]
    facts = [folded(text, start=f"  {name:<10} ") for name, text in pairs]
    lines = [folded(head), *facts]
    if shown.polls:
        lines += ["", "last polls"]
        # A poll's words may be a stranger's; the line is cut, `--json` has all of it.
        lines += [cut(_poll_line(poll, config.timezone), terminal_width()) for poll in shown.polls]
    return lines


def _facts(shown: _Shown, config: Config, now: datetime) -> list[tuple[str, str]]:
    from clawfeed.cli.terminal.times import ago, local

    state, source = shown.state, shown.state.source
    last = shown.items.last_at
    newest = f", the last {ago(last, now)} ({local(last, config.timezone)})" if last else ""
    return [
        ("status", f"{state.status(now)}, {'public' if source.is_public else 'private'}"),
        ("news", why_nothing_new(state, last, now)),
        ("next poll", _next_poll(state, config, now)),
        ("interval", _interval(shown)),
        ("cadence", _cadence(shown)),
        ("items", f"{shown.items.count} kept{newest}"),
        *(("odd", f"this source {fault.text}") for fault in shown.faults),
    ]


def why_nothing_new(state: SourceState, last_new: datetime | None, now: datetime) -> str:
    """In one sentence: whether it brings something, and if not, what stands in the way."""
    from clawfeed.cli.terminal.times import ago

    obstacle = _failure(state, now) or _no_collector(state, now)
    if obstacle or state.polled_at is None:
        return f"none: {obstacle or 'it was never polled; `clawfeed run` does that first of all'}"
    polled = ago(state.polled_at, now)
    if last_new is None:
        return f"none: polls go well, the last {polled}, but bring no items"
    silent = "; it is silent far beyond its own rhythm" if state.is_stale else ""
    return f"the last new item came {ago(last_new, now)}, the last poll was {polled}{silent}"


def _failure(state: SourceState, now: datetime) -> str:
    from clawfeed.app.processes.logging_setup import one_line
    from clawfeed.cli.terminal.plurals import counted

    status, error = state.status(now), state.last_error
    resume = f"`clawfeed source resume {state.source.id}` takes it up again"
    if status is Status.PAUSED:
        return f"somebody paused it; {resume}"
    said = one_line(error.message).removesuffix(".") if error else "nobody wrote down why"
    failed = f"{counted(state.errors, 'poll')} in a row failed ({said})"
    if status is Status.PAUSED_BY_ERROR:
        return f"it was paused because {failed}; {resume}"
    return failed if state.errors or status is Status.AUTH_REQUIRED else ""


def _no_collector(state: SourceState, now: datetime) -> str:
    from clawfeed.cli.terminal.times import span

    if state.next_poll is None or now - state.next_poll < OVERDUE_AFTER:
        return ""
    late = span(now - state.next_poll)
    return f"it has been due for {late}, so no collector seems to run: start `clawfeed run`"


def _next_poll(state: SourceState, config: Config, now: datetime) -> str:
    from clawfeed.cli.terminal.times import local, until
    from clawfeed.domain.wording.because_wording import render_because

    if not state.source.is_active:
        return "none while it is paused"
    at = state.next_poll
    when = f"{until(at, now)} ({local(at, config.timezone)})" if at and at > now else "now"
    because = render_because(state.because)
    return f"{when}: {because}" if because else when


def _interval(shown: _Shown) -> str:
    own = shown.state.source.config.get(OWN_INTERVAL)
    whose = "its own" if own else shown.interval.setting or "its type's"
    return f"{shown.interval.minutes} min ({whose})"


def _cadence(shown: _Shown) -> str:
    """Its class, who chose that, and whether its dates go by it (settled question 1)."""
    if not shown.state.cadence:
        return ""
    chosen = "set by hand" if shown.state.is_cadence_set else "learned"
    idle = "; its interval comes first" if shown.interval.is_pinned else ""
    return f"{shown.state.cadence}, {chosen}{idle}"


def _poll_line(poll: PollRow, timezone: str) -> str:
    from clawfeed.cli.terminal.plurals import counted
    from clawfeed.cli.terminal.times import local
    from clawfeed.storage.timestamps import moment

    said = poll.outcome.replace("_", " ")
    if poll.inserted:
        said = counted(poll.inserted, "new item")
    detail = f": {poll.detail}" if poll.detail else ""
    took = f"{max(0.0, poll.finished_at - poll.started_at):.1f} s"
    return f"  {local(moment(poll.started_at), timezone)}  {took:>7}  {said}{detail}"


def _as_json(shown: _Shown, now: datetime) -> dict[str, JsonValue | object]:
    from clawfeed.api.sources.source_json import faults_as_json, poll_as_json
    from clawfeed.cli.source.list import state_as_json
    from clawfeed.domain.moments import iso

    return {
        **state_as_json(shown.state, now),
        "news": why_nothing_new(shown.state, shown.items.last_at, now),
        "interval_minutes": shown.interval.minutes,
        "cadence": shown.state.cadence,
        "is_cadence_set": shown.state.is_cadence_set,
        "items": shown.items.count,
        "last_item_at": iso(shown.items.last_at),
        "faults": faults_as_json(shown.faults),
        "polls": [poll_as_json(poll) for poll in shown.polls],
    }
