"""The status, live: redrawn on a terminal, news as lines in a pipe."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from datetime import timedelta

import click

from clawfeed.app.clock import system_clock
from clawfeed.app.processes.logging_setup import one_line
from clawfeed.app.settings.config import Config
from clawfeed.app.status.collector_status import current_status
from clawfeed.cli.status.table import render
from clawfeed.cli.terminal.width import DEFAULT_SIZE, cut, terminal_width
from clawfeed.rendering.text_width import cells
from clawfeed.runtime.stop import Stop, repeat
from clawfeed.storage.database import Database
from clawfeed.storage.items.recent_activity import polls_after, recent_items

REDRAW_EVERY = timedelta(seconds=1)


class LiveStatus:
    """A worker that shows, once a second, how the collector is doing.

    *head* stays above it on a terminal, and is said once elsewhere. What is told later stands
    below it, the last thing only; elsewhere it is a line like any other.
    """

    name = "live status"

    def __init__(self, config: Config, database: Database, head: Sequence[str] = ()) -> None:
        self._config, self._db, self._head = config, database, head
        self._told: tuple[str, ...] = ()
        self._stop = Stop()
        self._is_live = sys.stdout.isatty()
        self._last_poll = 0
        self._drawn = 0

    def stop(self) -> None:
        self._stop.ask()

    def tell(self, *lines: str) -> None:
        """Show *lines*, until there are others."""
        for line in lines:
            if not self._is_live and line not in self._told:
                click.echo(one_line(line))
        self._told = lines

    async def run(self) -> None:
        if not self._is_live:
            click.echo("".join(f"{line}\n" for line in self._head), nl=False)
        await repeat(self._round, self._stop)

    async def _round(self) -> timedelta:
        if self._is_live:
            await self.show()
        else:
            await self._print_news()
        return REDRAW_EVERY

    async def show(self) -> None:
        """Draw the status over the last drawing, with the latest items below it."""
        now = system_clock()
        height = shutil.get_terminal_size(DEFAULT_SIZE).lines
        status = await current_status(self._config, self._db, now=now)
        news = await self._latest(4)
        below = ["", click.style("Latest", bold=True), *news]
        width = terminal_width()
        told = [*(cut(line, width) for line in self._told), ""] if self._told else []
        above = [*self._head, *told] if self._is_live else []
        # The last line is left for the cursor: one more, and all of it would move up.
        rows = max(6, height - 1 - _height(above) - len(below)) if self._is_live else None
        table = render(status, now, rows=rows)
        lines = [*above, *table, *below]
        up = f"\x1b[{self._drawn}A" if self._drawn and self._is_live else ""
        clear, clear_below = ("\x1b[K", "\x1b[J") if self._is_live else ("", "")
        click.echo(up + "".join(f"{line}{clear}\n" for line in lines) + clear_below, nl=False)
        self._drawn = _height(above) + len(table) + len(below)

    async def _latest(self, count: int) -> list[str]:
        width = terminal_width()
        items = await recent_items(self._db, count)
        return [cut(f"  {item.source}: {item.title}", width) for item in items]

    async def _print_news(self) -> None:
        """One line per poll since the last time, for pipes and logs."""
        for poll in await polls_after(self._db, self._last_poll):
            self._last_poll = poll.id
            said = f"{poll.inserted} new" if poll.inserted else poll.outcome
            detail = f" ({poll.detail})" if poll.detail else ""
            click.echo(one_line(f"{poll.source}: {said}{detail}"))


def _height(lines: Sequence[str]) -> int:
    """How many rows of the terminal these take: a link is not cut, it wraps."""
    width = terminal_width() + 1
    return sum(max(1, -(-cells(line) // width)) for line in lines)
