"""A fleet of simulated feeds, the database that follows it, and the oracle that compares them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from clawfeed.app.clock import system_clock
from clawfeed.domain.errors import StorageError
from clawfeed.runtime.retry import growing, retried
from clawfeed.simulator import Entry, Origin, fleet, keys_served, read_journal, serve
from clawfeed.simulator.world import World
from clawfeed.storage.database import Database, execute
from clawfeed.storage.drivers.connect import StorageConfig, open_database
from clawfeed.storage.sources.sources import NewSource, SourceStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Fleet:
    """Where the feeds are and what was asked of them."""

    url: str
    world: World
    journal: Path
    size: int
    origin: Origin

    @property
    def port(self) -> str:
        return self.url.rpartition(":")[2]

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    def entries(self) -> list[Entry]:
        return read_journal(self.journal) if self.journal.exists() else []

    def environment(self, database_url: str, **settings: str) -> dict[str, str]:
        """What a collector needs to work on this fleet at full speed."""
        return {
            "DATABASE_URL": database_url,
            "EGRESS_ALLOW": "127.0.0.0/8",
            "HOST_SPACING_MS": "0",
            "HOST_CONCURRENCY": "50",
            "COLLECTOR_CONCURRENCY": "10",
            "COLLECTOR_TICK": "1",
            "PARSE_WORKERS": "1",
            **settings,
        }


@asynccontextmanager
async def running_fleet(
    folder: Path,
    size: int,
    *,
    hold: timedelta = timedelta(0),
    name: str = "journal",
    clock: Callable[[], datetime] | None = None,
    began_at: datetime | None = None,
    gap: timedelta | None = None,
    window: int = 4,
) -> AsyncIterator[Fleet]:
    # Without a clock its time stands still: an item that scrolls out of a document between a kill
    # and the next poll would be nobody's fault.
    now = system_clock()
    world = fleet(size, seed=7, clock=clock or (lambda: now), gap=gap, window=window, hold=hold)
    world.began_at = began_at or world.began_at
    journal = folder / f"{name}.jsonl"
    async with serve(world, journal=journal) as origin:
        yield Fleet(url=origin.url, world=world, journal=journal, size=size, origin=origin)


@asynccontextmanager
async def opened(database_url: str) -> AsyncIterator[Database]:
    database = await open_database(StorageConfig(url=database_url))
    try:
        yield database
    finally:
        await database.close()


async def follow(database: Database, fleet: Fleet, numbers: Sequence[int] | None = None) -> None:
    """Add the fleet's feeds as sources, named by their feed's id."""
    store = SourceStore(database)
    for number in range(fleet.size) if numbers is None else numbers:
        new = NewSource(
            type="rss",
            name=f"f{number}",
            config={"url": f"{fleet.url}/f/{number}"},
            host=fleet.host,
        )
        await store.add(new, now=system_clock())


async def make_all_due(database: Database) -> None:
    """A collector on a very busy machine may hold SQLite's writer for seconds: then once more."""
    due = "UPDATE source_stats SET next_due_at = 1, backoff_until = NULL"
    await retried(
        lambda: execute(database, due),
        errors=StorageError,
        wait_after=growing(timedelta(seconds=0.1), tries=10),
    )


async def until(is_true: Callable[[], Awaitable[bool]], patience: float = 60) -> None:
    async with asyncio.timeout(patience):
        while not await is_true():  # noqa: ASYNC110 -- another process makes it true
            await asyncio.sleep(0.05)


async def count(database: Database, sql: str) -> int:
    [row] = await database.read(f"SELECT count(*) AS n FROM {sql}")
    return int(row["n"])


async def check_exactly_once(database: Database, fleet: Fleet) -> None:
    """I1: every key served is stored exactly once, and nothing else is."""
    entries = fleet.entries()
    rows = await database.read(
        "SELECT s.name, i.url FROM raw_items i JOIN sources s ON s.id = i.source_id"
    )
    stored = [(str(row["name"]), str(row["url"])) for row in rows]
    feeds = {entry.feed for entry in entries}
    served = {(feed, key) for feed in feeds for key in keys_served(entries, feed)}
    assert len(stored) == len(set(stored)), "an item is stored twice"
    assert served - set(stored) == set(), "an item was lost"
    assert set(stored) - served == set(), "an item came from nowhere"


async def check_schedule(database: Database, now: datetime | None = None) -> None:
    """I3: every active source has a date within a day of *now*, and nobody holds it."""
    rows = await database.read(
        "SELECT t.next_due_at, t.lease_until FROM sources s "
        "LEFT JOIN source_stats t ON t.source_id = s.id WHERE s.is_active = 1"
    )
    horizon = ((now or system_clock()) + timedelta(days=1)).timestamp()
    for row in rows:
        assert row["next_due_at"] is not None
        assert row["next_due_at"] <= horizon
        assert row["lease_until"] is None
