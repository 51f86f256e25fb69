"""Three collectors, one host: what it allows holds for all of them together."""

from __future__ import annotations

import asyncio
import signal
from contextlib import ExitStack
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from clawfeed.app.clock import system_clock
from clawfeed.storage.database import Database
from tests.end_to_end.fleet import (
    count,
    follow,
    make_all_due,
    opened,
    running_fleet,
    until,
)
from tests.support.databases import PostgresServer
from tests.support.processes import Running, running_clawfeed

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

COLLECTORS = 3
AT_ONCE = 2
GAP = timedelta(milliseconds=200)
# Every answer is held for longer than a gap, so that two requests overlap.
HOLD = timedelta(milliseconds=300)


async def test_a_host_never_sees_more_than_it_allows_from_all_collectors_together(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    """(S001-10, I4, F16): one is killed at the host, one is frozen there and wakes up again.

    The journal of the host is the judge. A busy machine stamps some late, next to their
    neighbours; of collectors that do not know each other most would be.
    """
    url = await asyncio.to_thread(postgres.new_database)
    gap = timedelta(hours=1)
    async with (
        running_fleet(tmp_path, 24, hold=HOLD, clock=system_clock, gap=gap) as fleet,
        opened(url) as database,
    ):
        await follow(database, fleet)
        manners = {
            "HOST_CONCURRENCY": str(AT_ONCE),
            "HOST_SPACING_MS": str(GAP // timedelta(milliseconds=1)),
        }
        environment = fleet.environment(url, **manners)
        with ExitStack() as stack:
            collectors = [
                stack.enter_context(
                    running_clawfeed("collect", "--loop", cwd=tmp_path, env=environment)
                )
                for _ in range(COLLECTORS)
            ]
            killed = await who_is_at_the_host(collectors, database)
            killed.signal(signal.SIGKILL)
            await asyncio.to_thread(killed.wait)
            collectors.remove(killed)
            await until_more_polls(database)
            frozen = await who_is_at_the_host(collectors, database)
            frozen.signal(signal.SIGSTOP)
            await asyncio.sleep(2)
            frozen.signal(signal.SIGCONT)
            await until_more_polls(database)
            for collector in collectors:
                collector.signal(signal.SIGTERM)
                assert await asyncio.to_thread(collector.wait) == 0, collector.stderr

        entries = fleet.entries()
        assert len(entries) >= 16
        assert max(entry.at_origin for entry in entries) <= AT_ONCE
        starts = [entry.ts for entry in entries]
        crowded = [later - start for start, later in pairwise(starts) if later - start < GAP / 2]
        assert len(crowded) <= len(starts) // 8


async def who_is_at_the_host(collectors: list[Running], database: Database) -> Running:
    """Which of them holds sources there; it gets there, as all are made due."""
    found: list[Running] = []

    async def is_there() -> bool:
        rows = await database.read(
            "SELECT DISTINCT leased_by FROM source_stats WHERE lease_until IS NOT NULL"
        )
        holders = {str(row["leased_by"]).rpartition("/")[2] for row in rows}
        found.extend(each for each in collectors if str(each.process.pid) in holders)
        if not found:
            await make_all_due(database)
        return bool(found)

    await until(is_there, patience=90)
    return found[0]


async def until_more_polls(database: Database) -> None:
    goal = await count(database, "fetch_log") + 8

    async def are_done() -> bool:
        await make_all_due(database)
        return await count(database, "fetch_log") >= goal

    await until(are_done, patience=90)
