"""The collector's status as text: once for `status`, again and again for `demo`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import click

from clawfeed.cli.plurals import counted
from clawfeed.cli.terminal_width import cells, cut, fit, terminal_width
from clawfeed.domain.because import Because, Rule
from clawfeed.domain.because_wording import render_because
from clawfeed.domain.source_status import Status
from clawfeed.storage.collector_status import CollectorStatus, SourceStatus

COLOURS = {
    Status.OK: "green",
    Status.NEVER_FETCHED: "cyan",
    Status.BACKING_OFF: "yellow",
    Status.AUTH_REQUIRED: "yellow",
    Status.PAUSED: "red",
    Status.PAUSED_BY_ERROR: "red",
}
STATE, WHEN = 15, 11
LONGEST_NAME = 26
# A reason cut shorter than this says nothing: its place goes to the name.
SHORTEST_WHY = 14


@dataclass(frozen=True, slots=True, kw_only=True)
class _Layout:
    """How many cells each column of the table gets; a *why* of 0 is not shown."""

    id: int
    name: int
    items: int
    why: int

    @classmethod
    def of(cls, sources: list[SourceStatus], width: int) -> _Layout:
        ids = max([4, *(len(str(each.state.source.id)) for each in sources)])
        items = max([5, *(len(str(each.items)) for each in sources)])
        room = width - (ids + 1 + STATE + 1 + 1 + items + WHEN)
        name = min(LONGEST_NAME, (room - 2) // 2)
        why = room - 2 - name
        if why < SHORTEST_WHY:
            name, why = max(1, min(LONGEST_NAME, room)), 0
        return cls(id=ids, name=name, items=items, why=why)


def render(status: CollectorStatus, now: datetime, *, rows: int | None = None) -> list[str]:
    """Figures, then a line per source, cut to the terminal's width (and to *rows* lines)."""
    width = terminal_width()
    lines = _figures(status, width)
    if status.x_reads:
        reads = f"X: {status.x_reads.used} of {status.x_reads.limit} reads used this month"
        lines.append(cut(reads, width))
    layout = _Layout.of(status.sources, width)
    lines += ["", _head(layout)]
    lines += [_line(source, now, layout) for source in status.sources]
    if rows is not None and len(lines) > rows:
        hidden = len(lines) - rows + 1
        lines = [*lines[: rows - 1], click.style(f"… and {hidden} more", dim=True)]
    return lines


def _figures(status: CollectorStatus, width: int) -> list[str]:
    """The last day in numbers, on as many lines as it takes."""
    stats = status.stats
    parts = [counted(stats.total_sources, "source")]
    if stats.paused_sources:
        parts.append(f"{stats.paused_sources} paused")
    parts.append(counted(stats.fetches_24h, "poll"))
    parts.append(counted(stats.raw_items_24h, "new item"))
    parts.append(f"{counted(stats.errors_24h, 'error')} in 24 h")
    if stats.success_rate is not None:
        parts.append(f"{stats.success_rate:g} % fine")
    first, *others = _folded(parts, width)
    return [first.replace(parts[0], click.style(parts[0], bold=True), 1), *others]


def _folded(parts: list[str], width: int) -> list[str]:
    lines = [parts[0]]
    for part in parts[1:]:
        longer = f"{lines[-1]} · {part}"
        if cells(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(part)
    return lines


def _head(layout: _Layout) -> str:
    start = f"{'id':>{layout.id}} {'status':<{STATE}} {fit('name', layout.name)}"
    head = f"{start} {'items':>{layout.items}}{'next poll':>{WHEN}}  {'why' if layout.why else ''}"
    return click.style(head.rstrip(), dim=True)


def _line(source: SourceStatus, now: datetime, layout: _Layout) -> str:
    state = click.style(f"{source.status:<{STATE}}", fg=COLOURS[source.status])
    name = fit(source.state.source.name, layout.name)
    start = f"{source.state.source.id:>{layout.id}} {state} {name}"
    line = f"{start} {source.items:>{layout.items}}{_when(source, now):>{WHEN}}"
    why = cut(_why(source), layout.why)
    return f"{line}  {click.style(why, dim=True)}" if why else line


def _when(source: SourceStatus, now: datetime) -> str:
    if source.next_fetch_at is None:
        return "now" if source.status is Status.NEVER_FETCHED else "–"
    seconds = (source.next_fetch_at - now).total_seconds()
    if seconds <= 0:
        return "now"
    if seconds < 120:
        return f"in {seconds:.0f} s"
    return f"in {seconds / 60:.0f} min" if seconds < 7200 else f"in {seconds / 3600:.0f} h"


def _why(source: SourceStatus) -> str:
    silent = "silent far beyond its own rhythm; " if source.state.is_stale else ""
    because = source.state.because
    if because is None and source.status is Status.NEVER_FETCHED:
        because = Because(Rule.NEVER_POLLED)
    reason, error = render_because(because), source.state.last_error
    # An old error is not why somebody paused it.
    if error is None or source.status is Status.PAUSED:
        return silent + reason
    return f"{silent}{error.message.removesuffix('.')}; {reason}"
