"""What `collect` shows: a live bar on a terminal, plain lines in a pipe."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import assert_never

import click

from clawfeed.collector.poll import Result
from clawfeed.domain.source import Failed, Fetched, NotModified, Skipped

BAR_WIDTH = 24
# Faster than this a terminal only flickers.
REDRAW_SECONDS = 0.05


class Progress:
    """Call it with each result; it draws, prints or counts."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self._is_live = sys.stderr.isatty() and not as_json
        self._total = self._done = self._new = self._failed = self._skipped = 0
        self._started = self._drawn = time.monotonic()

    def __call__(self, result: Result) -> None:
        self._done += 1
        self._new += result.inserted
        self._failed += _has_failed(result)
        self._skipped += isinstance(result.outcome, Skipped)
        if self._as_json:
            self._print(json.dumps(_as_dict(result), ensure_ascii=False))
        elif not self._is_live:
            self._print(_line(result))
        elif time.monotonic() - self._drawn > REDRAW_SECONDS:
            self._draw()

    def _print(self, line: str) -> None:
        # Not click.echo: it asks anew for every line whether this is a terminal.
        sys.stdout.write(line + "\n")
        sys.stdout.flush()

    @contextmanager
    def showing(self, total: int) -> Iterator[None]:
        """The bar, if this is a terminal, while the body runs; *total* sources are expected."""
        self._total = total
        if self._is_live and total:
            self._draw()
        yield
        if self._is_live and total:
            self._draw()
            click.echo(err=True)

    def summarise(self) -> None:
        """One last line on stderr."""
        if self._done:
            seconds = time.monotonic() - self._started
            skipped = f", {self._skipped} skipped" if self._skipped else ""
            text = f"{_count(self._done, 'source')} looked at in {seconds:.1f} s: "
            text += f"{self._new} new, {self._failed} failed{skipped}"
        else:
            text = "nothing is due"
        click.echo(text, err=True)

    def _draw(self) -> None:
        self._drawn = time.monotonic()
        total = max(self._total, self._done)
        filled = BAR_WIDTH * self._done // total if total else BAR_WIDTH
        bar = "█" * filled + "░" * (BAR_WIDTH - filled)
        text = f"\r{bar} {self._done}/{total} sources · {self._new} new · {self._failed} failed"
        click.echo(f"{text} · {self._eta(total)}\x1b[K", nl=False, err=True)

    def _eta(self, total: int) -> str:
        if not self._done:
            return "starting"
        spent = time.monotonic() - self._started
        left = spent / self._done * (total - self._done)
        return f"{left:.0f} s left" if self._done < total else f"{spent:.1f} s"


def _line(result: Result) -> str:
    name = result.source.name
    return f"{result.source.id:>5}  {name}: {_said(result)}; next: {_next(result)}"


def _said(result: Result) -> str:
    match result.outcome:
        case Fetched(drafts=drafts):
            return f"{result.inserted} new of {_count(len(drafts), 'item')}"
        case NotModified():
            return "not modified"
        case Failed(is_postponed=True, detail=detail):
            return f"postponed: {detail}"
        case Failed(reason=reason, detail=detail):
            return f"failed ({reason}): {detail}"
        case Skipped(why=why):
            return f"skipped: {why}"
        case _:
            assert_never(result.outcome)


def _next(result: Result) -> str:
    look = result.verdict.next_look
    at = f"{look.at:%Y-%m-%d %H:%M} UTC, " if look.at else ""
    return f"{at}{look.because}"


def _as_dict(result: Result) -> dict[str, object]:
    look = result.verdict.next_look
    failed = result.outcome if isinstance(result.outcome, Failed) else None
    return {
        "id": result.source.id,
        "name": result.source.name,
        "type": result.source.type,
        "result": _RESULTS[type(result.outcome)]
        if not failed or _has_failed(result)
        else "postponed",
        "new": result.inserted,
        "error": failed.detail if failed else None,
        "reason": str(failed.reason) if failed else _why_skipped(result),
        "next_fetch_at": look.at.isoformat().replace("+00:00", "Z") if look.at else None,
        "because": look.because,
        "seconds": round(result.duration.total_seconds(), 3),
    }


_RESULTS: dict[type, str] = {
    Fetched: "fetched",
    NotModified: "not_modified",
    Failed: "failed",
    Skipped: "skipped",
}


def _has_failed(result: Result) -> bool:
    return isinstance(result.outcome, Failed) and not result.outcome.is_postponed


def _why_skipped(result: Result) -> str | None:
    return result.outcome.why if isinstance(result.outcome, Skipped) else None


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
