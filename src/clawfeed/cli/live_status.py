"""The status, live: redrawn on a terminal, news as lines in a pipe."""

from __future__ import annotations

import asyncio
import shutil
import sys

import click

from clawfeed.app.clock import system_clock
from clawfeed.app.collector_status import current_status
from clawfeed.app.config import Config
from clawfeed.app.logging_setup import one_line
from clawfeed.cli.status_table import render
from clawfeed.cli.terminal_width import USUAL_SIZE, cut, terminal_width
from clawfeed.storage.database import Database

REDRAW_SECONDS = 1.0


class LiveStatus:
    """A workshop that shows, once a second, how the collector is doing."""

    name = "live status"

    def __init__(self, config: Config, database: Database) -> None:
        self._config, self._db = config, database
        self._stopping = asyncio.Event()
        self._is_live = sys.stdout.isatty()
        self._last_item = 0
        self._drawn = 0

    def stop(self) -> None:
        self._stopping.set()

    async def run(self) -> None:
        while not self._stopping.is_set():
            if self._is_live:
                await self.show()
            else:
                await self._print_news()
            try:
                async with asyncio.timeout(REDRAW_SECONDS):
                    await self._stopping.wait()
            except TimeoutError:
                continue

    async def show(self) -> None:
        """Draw the status over the last drawing, with the latest items below it."""
        now = system_clock()
        height = shutil.get_terminal_size(USUAL_SIZE).lines
        status = await current_status(self._config, self._db, now=now)
        news = await self._latest(4)
        rows = max(6, height - len(news) - 6) if self._is_live else None
        lines = [*render(status, now, rows=rows), "", click.style("Latest", bold=True), *news]
        up = f"\x1b[{self._drawn}A" if self._drawn and self._is_live else ""
        clear, clear_below = ("\x1b[K", "\x1b[J") if self._is_live else ("", "")
        click.echo(up + "".join(f"{line}{clear}\n" for line in lines) + clear_below, nl=False)
        self._drawn = len(lines)

    async def _latest(self, count: int) -> list[str]:
        rows = await self._db.read(
            "SELECT i.title, s.name FROM raw_items i JOIN sources s ON s.id = i.source_id "
            "ORDER BY i.id DESC LIMIT :count",
            {"count": count},
        )
        width = terminal_width()
        return [cut(f"  {row['name']}: {row['title']}", width) for row in rows]

    async def _print_news(self) -> None:
        """One line per poll since the last time, for pipes and logs."""
        rows = await self._db.read(
            "SELECT l.id, s.name, l.outcome, l.inserted, l.detail FROM fetch_log l "
            "JOIN sources s ON s.id = l.source_id WHERE l.id > :last ORDER BY l.id",
            {"last": self._last_item},
        )
        for row in rows:
            self._last_item = int(row["id"])
            said = f"{row['inserted']} new" if row["inserted"] else row["outcome"]
            detail = f" ({row['detail']})" if row["detail"] else ""
            click.echo(one_line(f"{row['name']}: {said}{detail}"))
