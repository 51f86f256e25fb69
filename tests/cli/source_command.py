"""A directory with a database, and `clawfeed source` run in it."""

from __future__ import annotations

import asyncio
import json
import subprocess
from pathlib import Path
from typing import Any

from clawfeed.domain.ids import JsonValue
from clawfeed.storage.drivers.connect import StorageConfig, open_database
from clawfeed.storage.drivers.sqlite_library import sqlite3
from clawfeed.storage.sources.sources import NewSource, SourceStore
from tests.support.clocks import NOON
from tests.support.databases import migrated
from tests.support.in_process import run_here


class SourceCommand:
    """A directory with a database, and the command run in it."""

    def __init__(self, folder: Path, env: dict[str, str]) -> None:
        self.folder = folder
        self.env = {"LOG_LEVEL": "warning", **env}

    def __call__(self, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
        return run_here("source", *arguments, cwd=self.folder, env={**self.env, **env})

    def json(self, *arguments: str) -> Any:
        done = self(*arguments, "--json")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    @property
    def path(self) -> Path:
        return self.folder / "data" / "clawfeed.db"

    def follow(self, *sources: NewSource) -> None:
        """Store *sources* without the command."""
        self.path.parent.mkdir(exist_ok=True)
        asyncio.run(self._follow(sources))

    async def _follow(self, sources: tuple[NewSource, ...]) -> None:
        url = f"sqlite:///{self.path}"
        await migrated(url)
        database = await open_database(StorageConfig(url=url))
        for each in sources:
            await SourceStore(database).add(each, now=NOON)
        await database.close()

    def sql(self, statement: str) -> list[tuple[Any, ...]]:
        with sqlite3.connect(self.path) as connection:
            rows: list[tuple[Any, ...]] = connection.execute(statement).fetchall()
        connection.close()
        return rows


def feed(number: int, **more: JsonValue) -> NewSource:
    config = {"url": f"https://{number}.example/feed", **more}
    return NewSource(type="rss", name=f"Feed {number}", config=config)
