"""What a backtest says: a table with its footnotes, or one JSON object."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from clawfeed.cli.backtest.runner import Result
from clawfeed.cli.backtest.traces import Circumstances
from clawfeed.cli.terminal.plurals import counted
from clawfeed.domain.backtest.backtest import NEWCOMER_DAYS
from clawfeed.domain.backtest.peer_schedulers import HOURLY_BY_DEFAULT

HEAD = (
    f"{'policy':<12}{'polls/day':>10}{'mean':>8}{'median':>8}{'p90':>8}{'p99':>8}"
    f"{'/source':>9}{'worse':>7}{'hits':>7}{'lost':>8}"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """All that was found, and how. *pinned* are the sources that no rule may date."""

    results: Sequence[Result]
    pinned: Result | None
    beta: float
    circumstances: Circumstances
    runs_here: str | None  # `SCHEDULER_POLICY`, if it could be read


def as_json_text(report: Report) -> str:
    """For programs."""
    how = report.circumstances
    document = {
        "beta": report.beta,
        "window": how.window,
        "cold_start": how.is_cold,
        "hints": how.has_hints,
        "runs_here": report.runs_here,
        "results": [_row(one) for one in report.results],
        "pinned": _row(report.pinned) if report.pinned else None,
    }
    return json.dumps(document, indent=2)


def _row(one: Result) -> dict[str, object]:
    row = {"policy": one.policy, "price": one.price, **asdict(one.figures)}
    return {**row, "worse_than_an_hour": one.worse, "polls_asked": one.asked}


def as_table(report: Report) -> str:
    """For people: 91 columns, and what they need to know to believe it."""
    figures = report.results[0].figures
    sources = f"{counted(figures.sources, 'source')}, {counted(figures.items, 'item')}"
    lines = [f"{sources}; delays in minutes{_how(report.circumstances)}", "", HEAD]
    lines += [_line(one, is_ours=one.policy == report.runs_here) for one in report.results]
    if report.pinned:
        number = counted(report.pinned.figures.sources, "source")
        lines += ["", f"{number} at intervals of their own, apart from the others:"]
        lines.append(_line(report.pinned, is_ours=False))
    return "\n".join([*lines, "", *_footnotes(report)])


def _how(how: Circumstances) -> str:
    said = [f"documents of {how.window} items"]
    said += [f"just added, {NEWCOMER_DAYS} days"] * how.is_cold
    said += ["feeds' own wishes obeyed"] * how.has_hints
    return "; " + ", ".join(said)


def _line(one: Result, *, is_ours: bool) -> str:
    f, name = one.figures, one.policy + " *" * is_ours
    worse = "-" if one.worse is None else str(one.worse)
    return (
        f"{name:<12}{f.polls_per_day:>10.1f}{f.mean:>8.1f}{f.median:>8.1f}{f.p90:>8.1f}"
        f"{f.p99:>8.1f}{f.per_source:>9.1f}{worse:>7}{f.hit_rate:>7.0%}{f.lost_share:>8.2%}"
    )


def _footnotes(report: Report) -> list[str]:
    notes = [
        "/source: the mean of the sources' means; worse: sources that an hour for all serves",
        "better; lost: fell out of the document unseen, and is in no delay.",
    ]
    if report.runs_here:
        here = f"SCHEDULER_POLICY={report.runs_here} is what runs here today"
        is_shown = any(one.policy == report.runs_here for one in report.results)
        notes.append(f"* {here}." if is_shown else f"{here}; it has no line above.")
    asked = [one.policy for one in report.results if one.policy in HOURLY_BY_DEFAULT]
    if asked:
        notes.append(f"{' and '.join(asked)}: when asked to adapt; their default is fixed-60.")
    return notes + [_price_note(one) for one in report.results if one.price]


def _price_note(one: Result) -> str:
    note = f"price of a poll: {one.price:.1f} item-seconds"
    found = f"{one.figures.polls_per_day:.1f} polls a day"
    return f"{note}; it makes {found}, asked for were {one.asked:g}" if one.asked else note
