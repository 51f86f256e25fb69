"""The status, live: redrawn on a terminal, news as lines in a pipe."""

from __future__ import annotations

import asyncio
import shutil
import sys

import click

from clawfeed.app.clock import system_clock
from clawfeed.app.config import Config
from clawfeed.app.status import current_status
from clawfeed.cli.screen import render
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
        height = shutil.get_terminal_size((110, 40)).lines
        status = await current_status(self._config, self._db, now=now)
        news = [f"  {line}" for line in await self._latest(4)]
        rows = max(6, height - len(news) - 6) if self._is_live else None
        lines = [*render(status, now, rows=rows), "", click.style("Latest", bold=True), *news]
        up = f"\x1b[{self._drawn}A" if self._drawn and self._is_live else ""
        clear = "\x1b[K" if self._is_live else ""
        click.echo(up + "\n".join(line + clear for line in lines))
        self._drawn = len(lines)

    async def _latest(self, count: int) -> list[str]:
        rows = await self._db.read(
            "SELECT i.title, s.name FROM raw_items i JOIN sources s ON s.id = i.source_id "
            "ORDER BY i.id DESC LIMIT :count",
            {"count": count},
        )
        width = shutil.get_terminal_size((110, 40)).columns - 8
        return [f"{row['name']}: {row['title']}"[:width] for row in rows]

    async def _print_news(self) -> None:
        """One line per look since the last time, for pipes and logs."""
        rows = await self._db.read(
            "SELECT l.id, s.name, l.outcome, l.inserted, l.detail FROM fetch_log l "
            "JOIN sources s ON s.id = l.source_id WHERE l.id > :last ORDER BY l.id",
            {"last": self._last_item},
        )
        for row in rows:
            self._last_item = int(row["id"])
            detail = f" ({row['detail']})" if row["detail"] else ""
            click.echo(f"{row['name']}: {row['outcome']}, {row['inserted']} new{detail}")
