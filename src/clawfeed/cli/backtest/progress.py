"""How far a backtest is: one line on a terminal that is drawn over, nothing elsewhere."""

from __future__ import annotations

import sys
import time

import click

from clawfeed.cli.collect_progress import REDRAW_SECONDS
from clawfeed.cli.terminal.width import cut, terminal_width


def is_watched() -> bool:
    """Whether a person sees both what we print and what we draw."""
    return sys.stdout.isatty() and sys.stderr.isatty()


class BacktestProgress:
    """Call it with the rule and how many sources are done; it is quiet unless *is_shown*."""

    def __init__(self, *, is_shown: bool) -> None:
        self._is_shown = is_shown
        self._drawn = 0.0
        self._started = time.monotonic()

    def __call__(self, what: str, done: int, total: int) -> None:
        now = time.monotonic()
        if self._is_shown and (done == total or now - self._drawn > REDRAW_SECONDS):
            self._drawn = now
            text = f"{what}: {done} of {total} sources · {now - self._started:.0f} s"
            click.echo(f"\r{cut(text, terminal_width())}\x1b[K", nl=False, err=True)

    def clear(self) -> None:
        """Leave the line to what is printed next."""
        if self._is_shown:
            click.echo("\r\x1b[K", nl=False, err=True)
