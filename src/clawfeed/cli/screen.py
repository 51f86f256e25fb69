"""The collector's status as text: once for `status`, again and again for `demo`."""

from __future__ import annotations

import shutil
import unicodedata
from datetime import datetime

import click

from clawfeed.storage.source_admin import Status
from clawfeed.storage.status import CollectorStatus, SourceStatus

COLOURS = {
    Status.ACTIVE: "green",
    Status.NEVER_FETCHED: "cyan",
    Status.BACKING_OFF: "yellow",
    Status.AUTH_REQUIRED: "yellow",
    Status.PAUSED: "red",
    Status.PAUSED_BY_ERROR: "red",
}


def render(status: CollectorStatus, now: datetime, *, rows: int | None = None) -> list[str]:
    """Figures, then a line per source, cut to the terminal's width (and to *rows* lines)."""
    columns = shutil.get_terminal_size((110, 40)).columns
    lines = [_figures(status)]
    if status.x_reads:
        lines.append(f"X: {status.x_reads.used} of {status.x_reads.limit} reads used this month")
    lines.append("")
    lines += [_line(source, now, columns) for source in status.sources]
    if rows is not None and len(lines) > rows:
        hidden = len(lines) - rows + 1
        lines = [*lines[: rows - 1], click.style(f"… and {hidden} more", dim=True)]
    return lines


def _figures(status: CollectorStatus) -> str:
    stats = status.stats
    rate = "" if stats.success_rate is None else f" · {stats.success_rate:g} % fine"
    paused = f" · {stats.paused_sources} paused" if stats.paused_sources else ""
    return (
        click.style(f"{stats.total_sources} sources", bold=True)
        + f"{paused} · {stats.fetches_24h} looks · {stats.raw_items_24h} new items"
        + f" · {stats.errors_24h} errors in 24 h{rate}"
    )


def _line(source: SourceStatus, now: datetime, columns: int) -> str:
    state = click.style(f"{source.status:<15}", fg=COLOURS[source.status])
    name = _fit(source.standing.source.name, 26)
    when = f"{_when(source, now):>9}"
    start = f"{source.standing.source.id:>4} {state} {name} {source.items:>5} items  {when}  "
    used = 4 + 1 + 15 + 1 + 26 + 1 + 5 + 8 + 9 + 2
    return start + click.style(_fit(_why(source), max(10, columns - used - 1)).rstrip(), dim=True)


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
    error, because = source.standing.last_error, source.standing.because
    silent = "silent far beyond its own rhythm; " if source.standing.is_stale else ""
    return silent + (f"{error.message}; {because}" if error else because)


def _fit(text: str, width: int) -> str:
    """*text* in exactly *width* terminal cells; Chinese characters take two."""
    taken, out = 0, ""
    for character in text:
        cells = 2 if unicodedata.east_asian_width(character) in "WF" else 1
        if taken + cells > width - 1 and len(out) < len(text) - 1:
            out, taken = out + "…", taken + 1
            break
        out, taken = out + character, taken + cells
    return out + " " * (width - taken)
