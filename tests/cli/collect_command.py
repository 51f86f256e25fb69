"""A fresh SQLite database that follows simulated feeds, and the command that works on it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from subprocess import CompletedProcess
from typing import IO

from clawfeed.app.clock import system_clock
from clawfeed.storage.sources.sources import NewSource, SourceStore
from tests.end_to_end.fleet import Fleet, opened
from tests.support.processes import run_clawfeed
from tests.support.terminals import Seen, run_on_terminal


@dataclass
class CollectCommand:
    """A fresh SQLite database that follows three simulated feeds, and the command."""

    fleet: Fleet
    url: str
    folder: Path

    async def run(self, *arguments: str, **settings: str) -> CompletedProcess[str]:
        environment = self.fleet.environment(self.url, **settings)
        return await asyncio.to_thread(run_clawfeed, *arguments, cwd=self.folder, env=environment)

    async def see(self, *arguments: str, stdout: IO[bytes] | None = None) -> Seen:
        """The same on a terminal of 80 columns; *stdout* may lead elsewhere."""
        environment = self.fleet.environment(self.url, LOG_LEVEL="warning")
        return await asyncio.to_thread(
            run_on_terminal, *arguments, cwd=self.folder, env=environment, stdout=stdout
        )

    async def add_unreadable(self) -> None:
        """A source of a type that nobody can read."""
        async with opened(self.url) as database:
            new = NewSource(type="smoke_signals", name="Far hills", config={}, host="hills")
            await SourceStore(database).add(new, now=system_clock())
