"""What `collect` shows: a live bar on a terminal, plain lines in a pipe."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import assert_never

import click

from clawfeed.app.processes.logging_setup import one_line
from clawfeed.cli.terminal.plurals import counted
from clawfeed.cli.terminal.standard_streams import silence_stdout
from clawfeed.cli.terminal.width import cut, terminal_width
from clawfeed.collector.poll import PollResult
from clawfeed.domain.because import Rule
from clawfeed.domain.moments import iso
from clawfeed.domain.sources.source import Failed, Fetched, NotModified, Outcome, Postponed, Skipped
from clawfeed.domain.wording.because_wording import render_because
from clawfeed.storage.operations.collector_status import HostWaiters

BAR_WIDTH = 24
# Faster than this a terminal only flickers.
REDRAW_SECONDS = 0.05


class Progress:
    """Call it with each result; it draws, prints or counts.

    The bar is for people: it is drawn only where stdout and stderr are both a terminal, and what
    did not go well is then printed above it. If whoever reads our lines leaves, *when_unread* is
    called and nothing more is printed; the same if what they should read cannot be written.
    """

    def __init__(self, *, as_json: bool, has_bar: bool = True) -> None:
        self._as_json = as_json
        is_terminal = sys.stdout.isatty() and sys.stderr.isatty()
        self._is_live = has_bar and is_terminal and not as_json
        self._total = self._done = self._new = 0
        self._failed = self._postponed = self._skipped = 0
        self._started = self._drawn = time.monotonic()
        self._is_read = True
        self._unwritten: OSError | None = None
        self.when_unread: Callable[[], None] = lambda: None

    def __call__(self, result: PollResult) -> None:
        self._count(result)
        if self._as_json:
            self._print(json.dumps(_as_dict(result), ensure_ascii=False))
        elif not self._is_live:
            self._print(_line(result))
        elif not isinstance(result.outcome, Fetched | NotModified):
            self._print_above_the_bar(_line(result))
        elif time.monotonic() - self._drawn > REDRAW_SECONDS:
            self._draw()

    def _count(self, result: PollResult) -> None:
        self._done += 1
        self._new += result.inserted
        self._failed += isinstance(result.outcome, Failed)
        self._postponed += isinstance(result.outcome, Postponed)
        self._skipped += isinstance(result.outcome, Skipped)

    def _print(self, line: str) -> None:
        if not self._is_read:
            return
        try:
            # Not click.echo: it asks anew for every line whether this is a terminal.
            sys.stdout.write(line + "\n")
            sys.stdout.flush()
        except OSError as error:
            # Here and not at the top: a poll whose result cannot be printed did not fail.
            self._is_read = False
            if not isinstance(error, BrokenPipeError):
                self._unwritten = error
            silence_stdout()
            self.when_unread()

    def require_output(self) -> None:
        """Raise what a full disk said; a reader who left was no failure."""
        if self._unwritten:
            raise self._unwritten

    def _print_above_the_bar(self, line: str) -> None:
        click.echo("\r\x1b[K", nl=False, err=True)
        self._print(line)
        self._draw()

    @contextmanager
    def showing(self, total: int) -> Iterator[None]:
        """The bar, if this is a terminal, while the body runs; *total* sources are expected."""
        self._total = total
        if self._is_live and total:
            self._draw()
        yield
        if self._is_live and (total or self._done):
            self._draw()
            click.echo(err=True)

    def summarise(self, waiting: HostWaiters | None, now: datetime) -> None:
        """One last line on stderr; *waiting* are those whose host was not free."""
        parts = [self._summary()] if self._done else []
        if waiting:
            parts.append(_turns(waiting, now))
        click.echo("; ".join(parts) or "nothing is due", err=True)

    def _summary(self) -> str:
        seconds = time.monotonic() - self._started
        text = f"{counted(self._done, 'source')} polled in {seconds:.1f} s: "
        text += f"{self._new} new, {self._failed} failed"
        for number, what in ((self._postponed, "postponed"), (self._skipped, "skipped")):
            text += f", {number} {what}" if number else ""
        return text

    def _draw(self) -> None:
        self._drawn = time.monotonic()
        total = max(self._total, self._done)
        filled = BAR_WIDTH * self._done // total if total else BAR_WIDTH
        bar = "█" * filled + "░" * (BAR_WIDTH - filled)
        sources = f"{self._done}/{counted(total, 'source')}"
        text = f"{bar} {sources} · {self._new} new · {self._failed} failed · {self._eta(total)}"
        click.echo(f"\r{cut(text, terminal_width())}\x1b[K", nl=False, err=True)

    def _eta(self, total: int) -> str:
        if not self._done:
            return "starting"
        spent = time.monotonic() - self._started
        left = spent / self._done * (total - self._done)
        return f"{left:.0f} s left" if self._done < total else f"{spent:.1f} s"


def _turns(waiting: HostWaiters, now: datetime) -> str:
    seconds = (waiting.first_at - now).total_seconds()
    wait = "waits for its turn" if waiting.count == 1 else "wait for their turn"
    first = "" if waiting.count == 1 else "the first "
    when = f"in {seconds:.0f} s" if seconds > 0 else "now"
    return f"{waiting.count} {wait}, {first}{when}"


def _line(result: PollResult) -> str:
    # What was said may be a sentence; its full stop would stand before our semicolon.
    said = _said(result).removesuffix(".")
    text = f"{result.source.name}: {said}; next: {_next(result)}"
    return f"{result.source.id:>5}  {one_line(text)}"


def _said(result: PollResult) -> str:
    match result.outcome:
        case Fetched(drafts=drafts):
            return f"{result.inserted} new of {counted(len(drafts), 'item')}"
        case NotModified():
            return "not modified"
        case Postponed(detail=detail):
            return f"postponed: {detail}"
        case Failed(reason=reason, detail=detail):
            return f"failed ({reason}): {detail}"
        case Skipped(why=why):
            return f"skipped: {why}"
        case _:
            assert_never(result.outcome)


def _next(result: PollResult) -> str:
    poll = result.decision.next_poll
    at = f"{poll.at:%Y-%m-%d %H:%M} UTC, " if poll.at else ""
    return f"{at}{render_because(poll.because)}"


def _as_dict(result: PollResult) -> dict[str, object]:
    poll = result.decision.next_poll
    outcome = result.outcome
    return {
        "id": result.source.id,
        "name": result.source.name,
        "type": result.source.type,
        "result": _RESULTS[type(outcome)],
        "new": result.inserted,
        "error": outcome.detail if isinstance(outcome, Failed | Postponed) else None,
        "reason": _reason(outcome),
        "next_fetch_at": iso(poll.at),
        "because": render_because(poll.because),
        "because_code": str(poll.because.rule),
        "because_parameters": dict(poll.because.parameters),
        "seconds": round(result.duration.total_seconds(), 3),
    }


_RESULTS: dict[type, str] = {
    Fetched: "fetched",
    NotModified: "not_modified",
    Failed: "failed",
    Postponed: "postponed",
    Skipped: "skipped",
}


def _reason(outcome: Outcome) -> str | None:
    """The code of what kept us from an answer; None if one came."""
    match outcome:
        case Failed(reason=reason):
            return str(reason)
        case Postponed(because=because):
            return str(because.rule)
        case Skipped():
            return str(Rule.NO_FETCHER)
        case Fetched() | NotModified():
            return None
        case _:
            assert_never(outcome)
