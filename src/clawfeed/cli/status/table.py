"""The collector's status as text: once for `status`, again and again for `demo`.

What needs somebody comes first, and the figures last, where a long list leaves the eye.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import click

from clawfeed.cli.terminal.plurals import counted
from clawfeed.cli.terminal.times import ago, until
from clawfeed.cli.terminal.width import cut, fit, terminal_width
from clawfeed.domain.because import Because, Rule
from clawfeed.domain.sources.source_status import Status
from clawfeed.domain.wording.because_wording import render_because
from clawfeed.rendering.text_width import cells
from clawfeed.storage.operations.collector_status import CollectorStatus, SourceStatus

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
# What a person should look at, the gravest first. A pause that somebody chose is none.
TROUBLE = (Status.PAUSED_BY_ERROR, Status.AUTH_REQUIRED, Status.BACKING_OFF)
# It did not fail, and yet what is there does not come in.
KEPT_BACK = (Rule.SOURCE_QUOTA, Rule.PERSON_QUOTA, Rule.NO_FETCHER)


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


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusFilter:
    """Which sources are wanted; *type_names* are the names of one type, None means all."""

    type_names: frozenset[str] | None = None
    problems: bool = False
    due: bool = False

    def __call__(self, source: SourceStatus, now: datetime) -> bool:
        return (
            (self.type_names is None or source.state.source.type in self.type_names)
            and (not self.problems or is_problem(source))
            and (not self.due or is_due(source, now))
        )


def is_problem(source: SourceStatus) -> bool:
    return (
        source.status in TROUBLE
        or source.state.is_failing
        or source.state.is_stale
        or _is_kept_back(source)
    )


def _is_kept_back(source: SourceStatus) -> bool:
    """Whether it brings nothing, or not all, until somebody changes a setting."""
    because = source.state.because
    return source.state.source.is_active and because is not None and because.rule in KEPT_BACK


def is_due(source: SourceStatus, now: datetime) -> bool:
    at = source.next_fetch_at
    return source.state.source.is_active and (at is None or at <= now)


def chosen(status: CollectorStatus, wanted: StatusFilter, now: datetime) -> list[SourceStatus]:
    """The sources that *wanted* means: problems first, then as they were added."""
    return sorted(
        (source for source in status.sources if wanted(source, now)),
        key=lambda source: (_gravity(source), source.state.source.id),
    )


def _gravity(source: SourceStatus) -> int:
    if source.status in TROUBLE:
        return TROUBLE.index(source.status)
    return len(TROUBLE) if is_problem(source) else len(TROUBLE) + 1


def render(
    status: CollectorStatus,
    now: datetime,
    *,
    wanted: StatusFilter = StatusFilter(),  # noqa: B008 -- frozen
    rows: int | None = None,
) -> list[str]:
    """A line per source, then the figures, cut to the terminal's width (and to *rows* lines)."""
    width = terminal_width()
    figures = ["", *_figures(status, width)]
    if status.x_reads:
        reads = f"X: {status.x_reads.used} of {status.x_reads.limit} reads used this month"
        figures.append(cut(reads, width))
    figures.append(_pulse(status, now, width))
    sources = chosen(status, wanted, now)
    layout = _Layout.of(sources, width)
    lines = [_head(layout), *(_line(source, now, layout) for source in sources)]
    room = None if rows is None else max(rows - len(figures), 2)
    if room is not None and len(lines) > room:
        hidden = len(lines) - room + 1
        lines = [*lines[: room - 1], click.style(f"… and {hidden} more", dim=True)]
    return [*lines, *figures]


def _figures(status: CollectorStatus, width: int) -> list[str]:
    """The last day in numbers, on as many lines as it takes."""
    stats = status.stats
    parts = [counted(stats.total_sources, "source")]
    troubled = sum(map(is_problem, status.sources))
    if troubled:
        parts.append(f"{counted(troubled, 'problem')} (--problems)")
    if stats.paused_sources:
        parts.append(f"{stats.paused_sources} paused")
    parts.append(counted(stats.fetches_24h, "poll"))
    parts.append(counted(stats.raw_items_24h, "new item"))
    parts.append(f"{counted(stats.errors_24h, 'error')} in 24 h")
    if stats.success_rate is not None:
        parts.append(f"{stats.success_rate:g} % fine")
    first, *others = _folded(parts, width)
    return [first.replace(parts[0], click.style(parts[0], bold=True), 1), *others]


def _pulse(status: CollectorStatus, now: datetime, width: int) -> str:
    """Whether somebody collects (S000-22): every date above is in vain if nobody does."""
    alive = [each for each in status.collectors if each.is_alive]
    if alive:
        seen = ago(alive[0].seen_at, now)
        return cut(f"{counted(len(alive), 'collector')} alive, last seen {seen}", width)
    # The one seen last is first.
    last = [f", the last was seen {ago(each.seen_at, now)}" for each in status.collectors[:1]]
    text = f"no collector is alive{''.join(last)}: `clawfeed run` starts one"
    return click.style(cut(text, width), fg="yellow")


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
    return until(source.next_fetch_at, now)


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
