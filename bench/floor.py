"""The least that collecting can cost: aiohttp, fastfeedparser, one transaction per 50 feeds.

No politeness, no guard, no limits, no sanitizing, no schedule, no fence. Run by `bench_collect`.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import aiohttp
import fastfeedparser
import uvloop

from bench import real_feeds
from clawfeed.storage.drivers.sqlite_library import sqlite3

BATCH = 50
FIELDS = ("id", "title", "link", "author", "published")


class Floor:
    """All new, then (real feeds) with one new entry each, then all unchanged."""

    def __init__(self, session: aiohttp.ClientSession, database: sqlite3.Connection) -> None:
        self._session, self._database = session, database
        self._rows: list[tuple[str | None, ...]] = []
        self._polls: list[tuple[float, str]] = []
        self._waiting = 0
        self.etags: dict[str, str] = {}

    async def read(self, url: str) -> None:
        known = {"If-None-Match": self.etags[url]} if url in self.etags else {}
        async with self._session.get(url, headers=known) as response:
            assert response.status == 200
            body = await response.read()
            self.etags[url] = response.headers["ETag"]
        for entry in entries(body):
            content = entry.get("content") or [{"value": entry.get("description")}]
            self._rows.append((url, *map(entry.get, FIELDS), content[0]["value"]))
        self._waiting += 1
        if self._waiting >= BATCH:
            self.store()

    def store(self) -> None:
        self._database.execute("BEGIN IMMEDIATE")
        self._database.executemany(
            "INSERT INTO items VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING", self._rows
        )
        self._database.execute("COMMIT")
        self._rows.clear()
        self._waiting = 0

    async def unchanged(self, url: str) -> None:
        async with self._session.get(url, headers={"If-None-Match": self.etags[url]}) as response:
            assert response.status == 304
        self._polls.append((time.time(), url))
        if len(self._polls) >= BATCH:
            self.remember()

    def remember(self) -> None:
        """Write down when each was polled: without it, nobody knows when to poll again."""
        self._database.execute("BEGIN IMMEDIATE")
        self._database.executemany("UPDATE feeds SET polled_at = ? WHERE url = ?", self._polls)
        self._database.execute("COMMIT")
        self._polls.clear()


def entries(body: bytes) -> list[dict[str, Any]]:
    """What fastfeedparser finds; real feeds have some that it gives up on."""
    try:
        return list(fastfeedparser.parse(body)["entries"])
    except ValueError:
        assert real_feeds.folder()
        return []


async def side_by_side(
    ask: Callable[[str], Awaitable[None]], urls: list[str], concurrency: int
) -> None:
    queue = iter(urls)

    async def work() -> None:
        for url in queue:
            await ask(url)

    await asyncio.gather(*(work() for _ in range(concurrency)))


async def measure(url: str, feeds: int, concurrency: int, path: Path) -> dict[str, float]:
    urls = [f"{url}/f/{number}" for number in range(feeds)]
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("PRAGMA synchronous=FULL")
    database.execute(
        "CREATE TABLE items (feed, key, title, url, author, at, content, UNIQUE (feed, key))"
    )
    database.execute("CREATE TABLE feeds (url PRIMARY KEY, polled_at)")
    database.execute("BEGIN")
    database.executemany("INSERT INTO feeds VALUES (?, 0)", [(url,) for url in urls])
    database.execute("COMMIT")
    async with aiohttp.ClientSession() as session:
        floor = Floor(session, database)
        cold = changed = await timed_reads(floor, urls, concurrency)
        stored = database.execute("SELECT count(*) FROM items").fetchone()[0]
        if real_feeds.folder():
            await session.post(f"{url}/publish")
            changed = await timed_reads(floor, urls, concurrency)
        started = time.perf_counter()
        await side_by_side(floor.unchanged, urls, concurrency)
        floor.remember()
        unchanged = time.perf_counter() - started
    assert stored > 15 * feeds, stored
    database.close()
    return {"cold": feeds / cold, "changed": feeds / changed, "unchanged": feeds / unchanged}


async def timed_reads(floor: Floor, urls: list[str], concurrency: int) -> float:
    started = time.perf_counter()
    await side_by_side(floor.read, urls, concurrency)
    floor.store()
    return time.perf_counter() - started


def main() -> None:
    url, feeds, concurrency, figures = sys.argv[1:]
    path = Path(figures)
    found = uvloop.run(measure(url, int(feeds), int(concurrency), path.with_name("floor.db")))
    path.write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main()
