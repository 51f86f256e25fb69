"""Real collectors that are killed, put on wrong clocks and given damaged rows: all goes on."""

from __future__ import annotations

import asyncio
import random  # noqa: TID251 -- seeded: the same moments each time
import signal
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, closing, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from clawfeed.simulator import Entry
from clawfeed.storage.database import Database, execute
from clawfeed.storage.drivers.sqlite_library import sqlite3
from tests.end_to_end.clocks import MovedClock, WorldClock, faketime_library
from tests.end_to_end.fleet import (
    Fleet,
    check_exactly_once,
    check_schedule,
    count,
    follow,
    make_all_due,
    opened,
    running_fleet,
    until,
)
from tests.support.processes import Running, run_clawfeed, running_clawfeed

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

FEEDS = 12
# Without manners four requests would overlap: answers are held for three times the spacing.
HOLD = timedelta(milliseconds=600)
AT_ONCE = 2
SPACING = timedelta(milliseconds=200)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
AGE = 20 * HOUR
# How far the collector's clock is from the truth, at one start after another (F15).
SHIFTS = (0 * HOUR, 26 * HOUR, -7 * HOUR, 5 * HOUR)
LAST_SHIFT = -12 * HOUR
# No source may wait longer than this many ticks of a second. A full round takes four; the rest is
# for machines that are busy with something else.
BOUND = 90.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A fleet with one new item per feed and hour, its followers' database, and both clocks."""

    fleet: Fleet
    database: Database
    world: WorldClock
    clock: MovedClock
    environment: dict[str, str]
    folder: Path

    @contextmanager
    def collector(self) -> Iterator[Running]:
        arguments = ("collect", "--loop")
        with running_clawfeed(*arguments, cwd=self.folder, env=self.environment) as running:
            yield running

    async def polls(self) -> int:
        """The number of the latest poll that was stored."""
        [row] = await self.database.read("SELECT coalesce(max(id), 0) AS latest FROM fetch_log")
        return int(row["latest"])

    async def until_all_are_polled(self, *, after: int) -> None:
        """Every source once more since the poll *after*, or the names of the frozen ones."""

        async def unseen() -> list[str]:
            rows = await self.database.read(
                "SELECT name FROM sources WHERE id NOT IN "
                "(SELECT source_id FROM fetch_log WHERE id > :after) ORDER BY id",
                {"after": after},
            )
            return [str(row["name"]) for row in rows]

        async def is_done() -> bool:
            return not await unseen()

        try:
            await until(is_done, patience=BOUND)
        except TimeoutError:
            names = "source_id", "next_due_at", "backoff_until", "lease_until", "leased_by"
            rows = await self.database.read(f"SELECT {', '.join(names)} FROM source_stats")
            state = "\n".join(str([row[name] for name in names]) for row in rows)
            pytest.fail(f"nobody polled {await unseen()} within {BOUND:g} ticks:\n{state}")


@asynccontextmanager
async def staged(
    folder: Path, database_url: str, library: Path, **settings: str
) -> AsyncIterator[Stage]:
    world, clock = WorldClock(), MovedClock(library, folder / "clock")
    # Its documents are longer than its history: nothing scrolls out, so nothing may be lost.
    young_fleet = running_fleet(
        folder, FEEDS, hold=HOLD, clock=world, began_at=world() - AGE, gap=HOUR, window=60
    )
    async with young_fleet as fleet, opened(database_url) as database:
        await follow(database, fleet)
        environment = fleet.environment(
            database_url,
            HOST_CONCURRENCY=str(AT_ONCE),
            HOST_SPACING_MS=str(SPACING // timedelta(milliseconds=1)),
            **clock.environment(),
            **settings,
        )
        yield Stage(
            fleet=fleet,
            database=database,
            world=world,
            clock=clock,
            environment=environment,
            folder=folder,
        )


async def stopped(collector: Running) -> str:
    """Ask it to end, and see that it ends well; returns its log."""
    collector.signal(signal.SIGTERM)
    assert await asyncio.to_thread(collector.wait) == 0, collector.stderr
    assert "Traceback" not in collector.stderr, collector.stderr
    return collector.stderr


def check_no_burst(entries: Sequence[Entry]) -> None:
    """I4: never more requests at once at the host than allowed, and they start apart."""
    starts = sorted(entry.ts for entry in entries)
    most = max(sum(start - HOLD < other <= start for other in starts) for start in starts)
    crowded = [later - start for start, later in pairwise(starts) if later - start < SPACING / 2]
    assert most <= AT_ONCE
    # A busy machine stamps some late, next to their neighbours; without manners half would be.
    assert len(crowded) <= len(starts) // 4


@pytest.fixture(scope="session")
def library() -> Path:
    return faketime_library()


async def kill_while_collecting(stage: Stage, dice: random.Random) -> str:
    """Start a collector and kill it in the middle of its work; returns its log."""
    enough = len(stage.fleet.entries()) + dice.randint(1, FEEDS - 4)
    with stage.collector() as collector:

        async def has_begun() -> bool:
            return len(stage.fleet.entries()) >= enough or collector.process.poll() is not None

        await until(has_begun, patience=BOUND)
        await asyncio.sleep(dice.uniform(0, 0.3))
        collector.signal(signal.SIGKILL)
        assert await asyncio.to_thread(collector.wait) == -signal.SIGKILL, collector.stderr
    return collector.stderr


@pytest.mark.parametrize(
    ("database_url", "policy"),
    [("sqlite", "cadence"), ("postgresql", "forecast")],
    indirect=["database_url"],
)
async def test_killed_on_a_clock_that_jumps_it_loses_nobody_and_no_item(
    database_url: str, policy: str, library: Path, tmp_path: Path
) -> None:
    """(I1, I3, I4, F1, F15): each start is at another time, hours later or earlier."""
    dice = random.Random(policy)
    async with staged(tmp_path, database_url, library, SCHEDULER_POLICY=policy) as stage:
        for shift in SHIFTS:
            stage.clock.move(shift)
            log = await kill_while_collecting(stage, dice)
            assert "Traceback" not in log, log
            stage.world.skip(HOUR)

        stage.clock.move(LAST_SHIFT)
        with stage.collector() as collector:
            await stage.until_all_are_polled(after=await stage.polls())
            await stopped(collector)

        await check_exactly_once(stage.database, stage.fleet)
        assert await count(stage.database, "raw_items") >= (AGE // HOUR + len(SHIFTS)) * FEEDS
        await check_schedule(stage.database, stage.clock.now())
        check_no_burst(stage.fleet.entries())


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_a_clock_that_is_set_under_a_running_collector_freezes_nobody(
    database_url: str, library: Path, tmp_path: Path
) -> None:
    """(I1, I3, I4, F15): three weeks forwards, then back to a year ago, without a restart."""
    async with staged(tmp_path, database_url, library) as stage:
        with stage.collector() as collector:
            for shift in (0 * DAY, 20 * DAY, -365 * DAY):
                polls = await stage.polls()
                stage.clock.move(shift)
                await stage.until_all_are_polled(after=polls)
                stage.world.skip(HOUR)
            log = await stopped(collector)

        assert "the clock went back" in log
        await check_exactly_once(stage.database, stage.fleet)
        await check_schedule(stage.database, stage.clock.now())
        check_no_burst(stage.fleet.entries())


# What a broken disk, a careless hand or another program may leave in the row of one source each.
DAMAGE = (
    "UPDATE source_stats SET next_due_at = 1e300 WHERE source_id = :f0",
    "UPDATE source_stats SET next_due_at = NULL WHERE source_id = :f1",
    "UPDATE source_stats SET next_due_at = -1e300 WHERE source_id = :f2",
    "UPDATE source_stats SET next_due_at = 'soon' WHERE source_id = :f3",
    "UPDATE source_stats SET backoff_until = 1e300 WHERE source_id = :f4",
    "UPDATE source_stats SET cadence = 'P9', avg_publish_hour = 1e300 WHERE source_id = :f5",
    "UPDATE source_stats SET forecast = x'00ff' WHERE source_id = :f6",
    "UPDATE collector_execution_state SET last_execution_time = 'noon' WHERE param_key = :f7",
    "UPDATE collector_execution_state SET last_execution_time = 1e300 WHERE param_key = :f8",
    """UPDATE sources SET cursor = '{"etag": ' WHERE id = :f9""",
    "UPDATE sources SET config = '{' WHERE id = :f10",
    "INSERT INTO host_cooldowns (host, until, because) VALUES (:host, 1e300, 'asked')",
)


async def damage(stage: Stage, path: Path) -> None:
    """Everybody is due, and all but the last have something wrong with them."""
    rows = await stage.database.read("SELECT id, name FROM sources")
    known = {str(row["name"]): str(row["id"]) for row in rows} | {"host": stage.fleet.host}
    await make_all_due(stage.database)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        for statement in DAMAGE:
            assert connection.execute(statement, known).rowcount == 1, statement
        connection.commit()


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_damaged_rows_are_mended_or_shown_and_stop_nobody(
    database_url: str, library: Path, tmp_path: Path
) -> None:
    """(I1, I3, S003-8): a fault in the state of one source is that source's alone."""
    async with staged(tmp_path, database_url, library, SCHEDULER_POLICY="forecast") as stage:
        with stage.collector() as collector:
            await stage.until_all_are_polled(after=0)
            await stopped(collector)
        await damage(stage, tmp_path / "clawfeed.db")
        stage.world.skip(HOUR)

        with stage.collector() as collector:
            await stage.until_all_are_polled(after=await stage.polls())
            log = await stopped(collector)

        failing = await stage.database.read("SELECT name FROM sources WHERE fetch_error_count > 0")
        assert [row["name"] for row in failing] == ["f10"]
        await check_exactly_once(stage.database, stage.fleet)
        assert await count(stage.database, "raw_items") >= (AGE // HOUR + 1) * (FEEDS - 1)
        await check_schedule(stage.database)
        await check_mended(stage.database)
        for warning in ("dates mended", "collector state cannot be read", "source failed"):
            assert warning in log


async def check_mended(database: Database) -> None:
    """What a poll writes anew makes sense again; in SQLite a text is larger than any number."""
    assert await count(database, "collector_execution_state WHERE last_execution_time > 1e12") == 0
    assert await count(database, "source_stats WHERE cadence = 'P9'") == 0
    assert await count(database, "source_stats WHERE avg_publish_hour > 24") == 0
    assert await count(database, "source_stats WHERE backoff_until > 1e12") == 0
    assert await count(database, "source_stats WHERE length(forecast) = 2") == 0


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_a_single_round_mends_lost_dates_as_well(database_url: str, tmp_path: Path) -> None:
    """(I3): who only ever runs `clawfeed collect`, from cron, has no housekeeping."""
    async with running_fleet(tmp_path, 3) as fleet, opened(database_url) as database:
        await follow(database, fleet)
        await execute(
            database,
            "INSERT INTO source_stats (source_id, source_type, next_due_at, created_at, updated_at)"
            " SELECT id, 'rss', CASE WHEN id % 2 = 1 THEN 1e300 END, 0, 0 FROM sources",
        )
        await execute(database, "UPDATE sources SET has_stats = 1")

        environment = fleet.environment(database_url)
        done = await asyncio.to_thread(run_clawfeed, "collect", cwd=tmp_path, env=environment)

        assert done.returncode == 0, done.stderr
        assert await count(database, "sources WHERE last_fetched_at IS NULL") == 0
        await check_schedule(database)
