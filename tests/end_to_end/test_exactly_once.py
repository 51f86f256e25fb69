"""The whole collector against the simulated world and its journal: never lose, never repeat."""

from __future__ import annotations

import asyncio
import random  # noqa: TID251 -- seeded: the same moments each time
import signal
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path

import pytest

from clawfeed.simulator import busy, max_in_flight
from clawfeed.simulator.faults import Fault, Misbehaviour
from clawfeed.storage.database import Database, execute
from tests.end_to_end.fleet import (
    Fleet,
    check_exactly_once,
    check_schedule,
    count,
    follow,
    make_all_due,
    opened,
    running_fleet,
)
from tests.support.databases import PostgresServer
from tests.support.processes import run_clawfeed, running_clawfeed

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

FEEDS = 90
KILLS = 8


async def collect_once(fleet: Fleet, database_url: str, tmp_path: Path, **settings: str) -> str:
    done = await asyncio.to_thread(
        run_clawfeed,
        "collect",
        cwd=tmp_path,
        env=fleet.environment(database_url, **settings),
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


async def kill_while_collecting(
    fleet: Fleet, database_url: str, tmp_path: Path, after: float
) -> None:
    """Start a collector and kill it *after* seconds of real work."""
    seen = len(fleet.entries())
    environment = fleet.environment(database_url)
    with running_clawfeed("collect", cwd=tmp_path, env=environment) as collector:

        async def has_begun() -> bool:
            return len(fleet.entries()) > seen or collector.process.poll() is not None

        await until(has_begun)
        await asyncio.sleep(after)
        collector.signal(signal.SIGKILL)
        await asyncio.to_thread(collector.wait)


async def test_a_collector_killed_at_random_moments_loses_and_repeats_nothing(
    database_url: str, tmp_path: Path
) -> None:
    """(I1, I3, I5, F1, F2, S000-15)."""
    moments = random.Random(5)
    async with (
        running_fleet(tmp_path, FEEDS, hold=timedelta(milliseconds=40)) as fleet,
        opened(database_url) as database,
    ):
        await follow(database, fleet)
        for number in range(KILLS):
            if number == KILLS // 2:
                await make_all_due(database)
            await kill_while_collecting(fleet, database_url, tmp_path, moments.uniform(0, 0.4))

        await collect_once(fleet, database_url, tmp_path)

        assert await count(database, "sources WHERE last_fetched_at IS NULL") == 0
        await check_exactly_once(database, fleet)
        await check_schedule(database)


@pytest.mark.parametrize("workers", [1, 3])
async def test_collectors_share_the_work_and_never_ask_the_same_source_at_once(
    postgres: PostgresServer, tmp_path: Path, workers: int
) -> None:
    """(S001-16, I1, I2) on PostgreSQL, where many collectors are meant to run."""
    url = await asyncio.to_thread(postgres.new_database)
    async with (
        running_fleet(tmp_path, FEEDS, hold=timedelta(milliseconds=60)) as fleet,
        opened(url) as database,
    ):
        await follow(database, fleet)
        environment = fleet.environment(url)
        arguments = ("collect", "--loop", "--workers", str(workers))
        with running_clawfeed(*arguments, cwd=tmp_path, env=environment) as collectors:
            await until_polls(database, FEEDS)
            await make_all_due(database)
            await until_polls(database, 2 * FEEDS)
            await until_all_worked(database, workers)
            collectors.signal(signal.SIGTERM)
            code = await asyncio.to_thread(collectors.wait)

        assert code == 0, collectors.stderr
        assert max_in_flight(fleet.entries()) == 1
        await check_exactly_once(database, fleet)
        await check_schedule(database)


async def test_a_collector_stopped_past_its_leases_changes_nothing_when_it_wakes(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    """(F16, I1, I2): another took over meanwhile, and the late results are dropped."""
    few = 6
    url = await asyncio.to_thread(postgres.new_database)
    async with (
        running_fleet(tmp_path, few, hold=timedelta(seconds=3)) as fleet,
        opened(url) as database,
    ):
        await follow(database, fleet)
        with running_clawfeed(
            "collect", "--loop", cwd=tmp_path, env=fleet.environment(url)
        ) as stopped:
            await until(lambda: has_leases(database, few))
            stopped.signal(signal.SIGSTOP)
            await execute(database, "UPDATE source_stats SET lease_until = 1")  # as after 5 minutes
            await collect_once(fleet, url, tmp_path)
            before = await database.read(STANDING)

            stopped.signal(signal.SIGCONT)
            stopped.wait_for("another collector finished first")
            stopped.signal(signal.SIGTERM)
            code = await asyncio.to_thread(stopped.wait)

        assert code == 0, stopped.stderr
        assert stopped.stderr.count("another collector finished first") == few
        assert await database.read(STANDING) == before
        await check_exactly_once(database, fleet)
        await check_schedule(database)


STANDING = "SELECT source_id, check_count, claim, next_due_at FROM source_stats ORDER BY source_id"


async def has_leases(database: Database, number: int) -> bool:
    return await count(database, "source_stats WHERE lease_until IS NOT NULL") == number


async def until(is_true: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(60):
        while not await is_true():  # noqa: ASYNC110 -- another process makes it true
            await asyncio.sleep(0.05)


async def until_polls(database: Database, polls: int) -> None:
    async def are_done() -> bool:
        return await count(database, "fetch_log") >= polls

    await until(are_done)


async def until_all_worked(database: Database, workers: int) -> None:
    """On a busy machine one may have done all there was before another was up."""

    async def have_worked() -> bool:
        await make_all_due(database)
        return await count(database, "(SELECT DISTINCT worker FROM fetch_log) AS w") == workers

    await until(have_worked)


async def entries_at(fleet: Fleet, number: int) -> bool:
    return len(fleet.entries()) >= number


async def none_of(database: Database, sql: str) -> bool:
    return await count(database, sql) == 0


async def test_a_host_that_said_retry_after_is_left_alone_by_every_collector(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    """(I4, F13, S004-7): and the other host is served meanwhile."""
    url = await asyncio.to_thread(postgres.new_database)
    async with (
        running_fleet(tmp_path, 12, name="busy") as resting,
        running_fleet(tmp_path, 30, name="calm") as calm,
        opened(url) as database,
    ):
        resting.world.misbehave("/f/*", busy(3600))
        await follow(database, resting)
        await follow(database, calm, range(12, 30))
        environment = calm.environment(url, HOST_CONCURRENCY="1")
        arguments = ("collect", "--loop", "--workers", "3")
        with running_clawfeed(*arguments, cwd=tmp_path, env=environment) as collectors:
            unseen = f"sources WHERE last_fetched_at IS NULL AND host = '{calm.host}'"
            await until(lambda: none_of(database, unseen))
            await make_all_due(database)
            await until(lambda: entries_at(calm, 36))
            collectors.signal(signal.SIGTERM)
            await asyncio.to_thread(collectors.wait)

        assert len(resting.entries()) == 1
        assert len(calm.entries()) == 36
        assert await count(database, "sources WHERE fetch_error_count > 0") == 1
        assert await count(database, "host_cooldowns") == 1


HOSTILE = (
    Misbehaviour(fault=Fault.BODY_DRIP),
    Misbehaviour(fault=Fault.HEADER_DRIP),
    Misbehaviour(fault=Fault.NEVER_CLOSE),
    Misbehaviour(fault=Fault.INFINITE_BODY),
    Misbehaviour(fault=Fault.GZIP_BOMB),
)


async def test_hostile_sources_cost_only_themselves(database_url: str, tmp_path: Path) -> None:
    """(I9, F10, F11): five in a hundred misbehave, the other ninety-five are stored."""
    async with (
        running_fleet(tmp_path, 100) as fleet,
        opened(database_url) as database,
    ):
        for number, how in enumerate(HOSTILE):
            fleet.world.misbehave(f"/f/{number}", how)
        await follow(database, fleet)

        await collect_once(fleet, database_url, tmp_path, FETCH_TIMEOUT_SECONDS="15")

        failing = await database.read("SELECT name FROM sources WHERE fetch_error_count = 1")
        assert {row["name"] for row in failing} == {f"f{n}" for n in range(len(HOSTILE))}
        assert await count(database, "sources WHERE last_fetched_at IS NOT NULL") == 95
        await check_exactly_once(database, fleet)


async def test_a_source_on_loopback_is_refused_and_the_error_is_recorded(
    database_url: str, tmp_path: Path
) -> None:
    """(S001-11)."""
    async with running_fleet(tmp_path, 1) as fleet, opened(database_url) as database:
        await follow(database, fleet)

        await collect_once(fleet, database_url, tmp_path, EGRESS_ALLOW="")

        [row] = await database.read("SELECT fetch_error_count, last_error FROM sources")
        assert row["fetch_error_count"] == 1
        assert "blocked" in row["last_error"]
        assert fleet.entries() == []
