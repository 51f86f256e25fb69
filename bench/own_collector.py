"""Our collector as `clawfeed collect` runs it, on a fresh SQLite file. Run by `bench_collect`."""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp

from bench import real_feeds
from clawfeed.app.clock import system_clock
from clawfeed.app.processes.event_loop import run_async
from clawfeed.app.settings.config import Config
from clawfeed.app.settings.config_loading import load_config
from clawfeed.app.wiring.collector import CollectorParts, opened_parts
from clawfeed.app.wiring.entry_points import opened_database
from clawfeed.cli.collect_progress import Progress
from clawfeed.collector.poll import PollResult
from clawfeed.domain.sources.source import Fetched, NotModified
from clawfeed.storage.database import Database, Insert, Steps, execute
from clawfeed.storage.json_columns import to_json
from clawfeed.storage.sources.sources import NewSource

WARM_UP = 12  # enough for each parse worker to be wanted
MAKE_DUE = "UPDATE source_stats SET next_due_at = 0, backoff_until = NULL"


class Tally:
    """Shows results as the command does, and counts them by kind.

    A failure ends the run; of real feeds, one in twenty may be beyond reading.
    """

    def __init__(self, most_failures: int) -> None:
        self._show = Progress(as_json=False)
        self._most_failures = most_failures
        self.fetched = self.unchanged = self.failed = self.inserted = 0

    def __call__(self, result: PollResult) -> None:
        self.failed += not isinstance(result.outcome, Fetched | NotModified)
        assert self.failed <= self._most_failures, result
        self.inserted += result.inserted
        self.fetched += isinstance(result.outcome, Fetched)
        self.unchanged += isinstance(result.outcome, NotModified)
        self._show(result)


def configuration(url: str, concurrency: int, folder: Path) -> Config:
    """The defaults, but for what one loopback host in place of hundreds of hosts needs."""
    settings = {
        "DATABASE_URL": f"sqlite:///{folder}/ours.db",
        "EGRESS_ALLOW": urlsplit(url).netloc,
        "COLLECTOR_CONCURRENCY": str(concurrency),
        "HOST_CONCURRENCY": "100",
        "HOST_SPACING_MS": "0",
        "STARTER_PACK": "false",
    }
    os.environ.update(settings)
    return load_config(os.environ, directory=folder)


async def follow(database: Database, url: str, numbers: range) -> None:
    """Add the feeds as sources: one statement, since adding is not what is measured."""
    at = system_clock().timestamp()
    host = urlsplit(url).hostname or ""
    new = [NewSource(type="rss", name=f"Feed {n}", config={"url": f"{url}/f/{n}"}) for n in numbers]

    def steps() -> Steps[None]:
        yield Insert(
            table="sources",
            columns=("name", "type", "config", "identity", "host", "created_at", "updated_at"),
            rows=[(s.name, s.type, to_json(s.config), s.identity, host, at, at) for s in new],
            returning="id",
        )

    await database.run(steps)


async def measure(config: Config, url: str, feeds: int) -> dict[str, float]:
    tally = Tally(3 * feeds // 20 if real_feeds.folder() else 0)
    async with (
        opened_database(config) as database,
        opened_parts(config, database, tally) as collecting,
    ):
        collect = collecting.collector.run_once
        await follow(database, url, range(WARM_UP))
        await collect()
        while len(collecting.tools.parse.pids) < config.fetch.parse_workers:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        await follow(database, url, range(WARM_UP, feeds))
        started = time.perf_counter()
        await collect()
        cold = (feeds - WARM_UP) / (time.perf_counter() - started)
        assert tally.fetched + tally.failed == feeds, tally.fetched
        changed = await one_new_entry(collecting, database, url, tally) or cold
        await execute(database, MAKE_DUE)
        # In a large world the first are due again before the last were polled.
        early = tally.unchanged
        started = time.perf_counter()
        await collect()
        unchanged = (tally.unchanged - early) / (time.perf_counter() - started)
        assert tally.unchanged + tally.failed >= feeds, tally.unchanged
        figures = {"cold": cold, "changed": changed, "unchanged": unchanged}
        return figures | memory(collecting.tools.parse.pids)


async def one_new_entry(
    collecting: CollectorParts, database: Database, url: str, tally: Tally
) -> float | None:
    """Feeds a second when each has one new entry; None where the origin cannot publish."""
    if not real_feeds.folder():
        return None
    async with aiohttp.ClientSession() as session:
        await session.post(f"{url}/publish")
    await execute(database, MAKE_DUE)
    feeds, before = tally.fetched, tally.inserted
    started = time.perf_counter()
    await collecting.collector.run_once()
    speed = feeds / (time.perf_counter() - started)
    assert 0.9 * feeds <= tally.inserted - before <= 1.1 * feeds, tally.inserted - before
    return speed


def memory(parse_workers: frozenset[int]) -> dict[str, float]:
    workers = [megabytes(pid, "VmRSS") for pid in parse_workers]
    return {
        "collector_mb": megabytes(os.getpid(), "VmRSS"),
        "collector_peak_mb": megabytes(os.getpid(), "VmHWM"),
        "parse_worker_mb": max(workers, default=0.0),
    }


def megabytes(pid: int, field: str) -> float:
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    found = re.search(rf"{field}:\s+(\d+) kB", status)
    return int(found[1]) / 1024 if found else 0.0


def main() -> None:
    url, feeds, concurrency, figures = sys.argv[1:]
    path = Path(figures)
    config = configuration(url, int(concurrency), path.parent)
    path.write_text(json.dumps(run_async(measure(config, url, int(feeds)))), encoding="utf-8")


if __name__ == "__main__":
    main()
