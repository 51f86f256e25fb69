"""Due-lag of good sources with 60 slow ones beside them, as a ratio to none.

Ten feeds that answer at once and are due every minute; then the same with 60 others, due every
minute too, that answer after 9 s: more than five slots can do. How late is each poll of the ten?
The first polls do not count: nobody knows yet who is slow. Both runs are the collector as
`clawfeed collect --loop` runs it, on a fresh SQLite file.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

from bench.report import report
from clawfeed.app.clock import system_clock
from clawfeed.app.settings.config_loading import load_config
from clawfeed.app.wiring.collector import opened_parts
from clawfeed.app.wiring.entry_points import opened_database
from clawfeed.simulator import fleet, serve
from clawfeed.storage.database import Database
from clawfeed.storage.sources.sources import NewSource, SourceStore

QUICK = "--quick" in sys.argv
GOOD, SLOW = 10, 60
HOLD = timedelta(seconds=9)
# The slow ones are known after two minutes: 60 first polls of 9 s in four slots.
SECONDS = 200 if QUICK else 400
KNOWN_AFTER = 150


@asynccontextmanager
async def followed(database: Database, size: int, hold: timedelta) -> AsyncIterator[str]:
    """Feeds that answer after *hold*, followed every minute; yields their host."""
    async with serve(fleet(size, seed=7, clock=system_clock, hold=hold)) as origin:
        host = urlsplit(origin.url).netloc
        for number in range(size):
            config = {"url": f"{origin.url}/f/{number}", "fetch_interval_minutes": 1}
            new = NewSource(type="rss", name=f"{host} {number}", config=config, host=host)
            await SourceStore(database).add(new, now=system_clock())
        yield host


async def lags(slow: int, folder: Path) -> list[float]:
    """How many seconds late the polls of the good ones began."""
    settings = {
        "DATABASE_URL": f"sqlite:///{folder}/fair.db",
        "EGRESS_ALLOW": "127.0.0.0/8",
        "HOST_CONCURRENCY": "100",
        "HOST_SPACING_MS": "0",
        "SCHEDULER_POLICY": "fixed",
        "STARTER_PACK": "false",
        "FETCH_TIMEOUT_SECONDS": "15",
    }
    config = load_config({**os.environ, **settings}, directory=folder)
    async with AsyncExitStack() as stack:
        database = await stack.enter_async_context(opened_database(config))
        good = await stack.enter_async_context(followed(database, GOOD, timedelta(0)))
        if slow:
            await stack.enter_async_context(followed(database, slow, HOLD))
        parts = await stack.enter_async_context(opened_parts(config, database, lambda _: None))
        running = asyncio.create_task(parts.collector.run())
        began = system_clock().timestamp()
        await asyncio.sleep(SECONDS)
        parts.collector.stop()
        await running
        rows = await database.read(
            "SELECT l.started_at - l.planned_at AS lag FROM fetch_log l "
            "JOIN sources s ON s.id = l.source_id "
            "WHERE s.host = :host AND l.planned_at > :known",
            {"host": good, "known": began + KNOWN_AFTER},
        )
        return [float(row["lag"]) for row in rows]


def measured(slow: int) -> list[float]:
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(lags(slow, Path(folder)))


def main() -> None:
    alone, beside = measured(0), measured(SLOW)
    figures: dict[str, float | str] = {
        "polls counted: alone": len(alone),
        "polls counted: beside 60 slow ones": len(beside),
        "due-lag of good sources, s: alone": statistics.mean(alone),
        "due-lag of good sources, s: beside 60 slow ones": statistics.mean(beside),
        "the longest, s: alone": max(alone),
        "the longest, s: beside 60 slow ones": max(beside),
        "due-lag: beside 60 slow ones over alone": statistics.mean(beside) / statistics.mean(alone),
    }
    report("fairness", figures)


if __name__ == "__main__":
    main()
