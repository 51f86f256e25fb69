"""A database full of items, and a collector that goes on writing into it. For `bench_api`.

python -m bench.item_database build PATH COUNT
python -m bench.item_database write PATH SECONDS
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import random
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from clawfeed.collector.search_indexing import SearchIndexing
from clawfeed.storage.database import Database, Insert, Statement, Steps
from clawfeed.storage.drivers.connect import StorageConfig, open_database
from clawfeed.storage.drivers.sqlite_library import sqlite3
from clawfeed.storage.items.search import SearchIndex
from clawfeed.storage.migrate import migrate

SOURCES, FOLLOWED = 2_000, 100
PRIVATE_EVERY = 10  # each tenth source is somebody else's
KEPT = timedelta(days=30)
CHUNK = 20_000
# A busy day: ten polls a second that find something.
POLLS_PER_SECOND, ITEMS_PER_POLL = 10, 3
WRITTEN = "written while measuring"
COLUMNS = (
    "source_id", "title", "url", "author", "content", "fetched_at", "published_at", "dedup_key",
    "metadata",
)  # fmt: skip
Values = tuple[int, str, str, str, str, float, float, str, str]


class Writer:
    """Texts whose words are as unevenly common as words are; half of the sources are Chinese."""

    def __init__(self) -> None:
        dice = self._dice = random.Random(7)
        syllables = ["ka", "mo", "del", "ti", "re", "son", "par", "li", "vu", "ex", "an", "tor"]
        made = ["".join(dice.choices(syllables, k=dice.randint(1, 4))) for _ in range(30_000)]
        self._words = [*made[:50], "open", "model", "release", "security", *made[50:]]
        characters = (
            "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动"
        )
        made = ["".join(dice.choices(characters, k=dice.randint(2, 5))) for _ in range(9_000)]
        self._phrases = [*made[:50], "模型", "人工智能", "发布", "安全", *made[50:]]
        self._paragraphs = {
            False: [self._text(self._words, " ", 45) for _ in range(20_000)],
            True: [self._text(self._phrases, "，", 40) for _ in range(20_000)],
        }

    def item(self, number: int, source_id: int, at: float) -> Values:
        is_chinese = source_id % 2 == 1
        paragraphs = self._dice.choices(self._paragraphs[is_chinese], k=self._dice.randint(1, 6))
        title = f"{self._dice.choice(self._paragraphs[is_chinese])[:60]} {number}"
        url = f"https://source-{source_id}.example/articles/{number}"
        content = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
        metadata = f'{{"tags":["tag{number % 50}","news"],"score":{number % 500}}}'
        return source_id, title, url, "Ada Example", content, at, at - 900, url, metadata

    def _text(self, words: list[str], between: str, count: int) -> str:
        places = (int(self._dice.paretovariate(0.6)) - 1 for _ in range(count))
        return between.join(words[place % len(words)] for place in places)


async def build(path: Path, count: int) -> None:
    """One person (2) who follows some of the sources, and *count* items over a month, indexed."""
    database = await open_database(StorageConfig(url=f"sqlite:///{path}"))
    now = datetime.now(UTC)
    await migrate(database, now=now)
    await database.run(lambda: _people_and_sources(now.timestamp()))
    writer = Writer()
    for start in range(0, count, CHUNK):
        rows = list(_month(writer, range(start, min(start + CHUNK, count)), count, now))
        await database.run(lambda rows=rows: _items(rows))  # type: ignore[misc] # bound for this round
    started = time.perf_counter()
    index = SearchIndex(database)
    while await index.index_new(5_000):
        pass
    print(f"indexed {count / (time.perf_counter() - started):,.0f} items/s", file=sys.stderr)
    await database.run(lambda: iter_one("ANALYZE"))
    await database.close()
    with contextlib.closing(sqlite3.connect(path)) as connection:  # all in one file, to be moved
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _month(writer: Writer, numbers: range, count: int, now: datetime) -> Iterator[Values]:
    dice = random.Random(numbers.start)
    for number in numbers:
        at = (now - KEPT * (1 - number / count)).timestamp()
        # Squared: a few sources publish most of what there is.
        yield writer.item(number, 1 + int(SOURCES * dice.random() ** 2), at)


def _people_and_sources(at: float) -> Steps[None]:
    yield Insert(
        table="users",
        columns=("id", "email", "name", "slug", "role", "created_at", "updated_at"),
        rows=[(n, f"{n}@example.org", f"u{n}", f"u{n}", "user", at, at) for n in (1, 2, 3)],
    )
    columns = ("id", "name", "type", "identity", "is_public", "created_by", "created_at")
    yield Insert(
        table="sources",
        columns=(*columns, "updated_at"),
        rows=[
            (n, f"Source {n}", "rss", f"{n}", int(n % PRIVATE_EVERY > 0), 3, at, at)
            for n in range(1, SOURCES + 1)
        ],
    )
    yield Insert(
        table="user_subscriptions",
        columns=("user_id", "source_id", "created_at"),
        rows=[(2, n * SOURCES // FOLLOWED + 1, at) for n in range(FOLLOWED)],
    )


def _items(rows: list[Values]) -> Steps[None]:
    yield Insert(table="raw_items", columns=COLUMNS, rows=rows)


def iter_one(sql: str) -> Steps[None]:
    yield Statement(sql)


async def write(path: Path, seconds: float) -> None:
    """Store a poll's items, steadily, and index them, as a collector does; then remove them."""
    database = await open_database(StorageConfig(url=f"sqlite:///{path}"))
    indexing = SearchIndexing(SearchIndex(database))
    running = asyncio.create_task(indexing.run())
    print("writing", flush=True)
    await _poll(database, Writer(), time.perf_counter() + seconds)
    indexing.stop()
    await running
    await database.run(lambda: iter_one(f"DELETE FROM raw_items WHERE author = '{WRITTEN}'"))  # noqa: S608
    await database.close()


async def _poll(database: Database, writer: Writer, end: float) -> None:
    for number in itertools.count():
        if time.perf_counter() >= end:
            return
        at = datetime.now(UTC).timestamp()
        new = [writer.item(number, 1 + number % SOURCES, at) for _ in range(ITEMS_PER_POLL)]
        rows = [(*row[:3], WRITTEN, *row[4:7], f"{at}/{n}", row[8]) for n, row in enumerate(new)]
        await database.run(lambda rows=rows: _items(rows))  # type: ignore[misc] # bound for this round
        await asyncio.sleep(1 / POLLS_PER_SECOND)


if __name__ == "__main__":
    command, where, amount = sys.argv[1:]
    asyncio.run(
        build(Path(where), int(amount)) if command == "build" else write(Path(where), float(amount))
    )
