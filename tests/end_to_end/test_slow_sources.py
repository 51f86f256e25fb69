"""A real collector beside sources that answer, but slowly: they cost only themselves."""

from __future__ import annotations

import asyncio
import signal
from datetime import timedelta
from pathlib import Path

import pytest

from clawfeed.app.clock import system_clock
from clawfeed.domain.polling.slot_fairness import SLOW_AFTER
from clawfeed.storage.database import execute
from tests.end_to_end.fleet import count, follow, opened, running_fleet, until
from tests.support.processes import running_clawfeed

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(300),
    pytest.mark.parametrize("database_url", ["sqlite"], indirect=True),
]

SLOW, GOOD, SLOTS = 8, 6, 5
HOLD = SLOW_AFTER + timedelta(milliseconds=300)


async def test_sources_that_answer_slowly_do_not_keep_the_others_waiting(
    database_url: str, tmp_path: Path
) -> None:
    """(I9): all are due, the slow ones first; the others do not wait for them to be done."""
    async with (
        running_fleet(tmp_path, SLOW, hold=HOLD, name="slow", clock=system_clock) as slow,
        running_fleet(tmp_path, GOOD, name="good", clock=system_clock) as good,
        opened(database_url) as database,
    ):
        await follow(database, slow)
        await follow(database, good)
        environment = slow.environment(database_url, COLLECTOR_CONCURRENCY=str(SLOTS))

        async def are_polled() -> bool:
            polled = "sources WHERE last_fetched_at IS NOT NULL"
            held = "source_stats WHERE lease_until IS NOT NULL"
            return await count(database, polled) == SLOW + GOOD and not await count(database, held)

        async def are_the_good_polled_again() -> bool:
            return len(good.entries()) >= 2 * GOOD

        with running_clawfeed("collect", "--loop", cwd=tmp_path, env=environment) as collector:
            await until(are_polled)
            await execute(
                database,
                "UPDATE source_stats "
                "SET next_due_at = CASE WHEN poll_seconds > 3 THEN 1 ELSE 2 END",
            )
            await until(are_the_good_polled_again)
            collector.signal(signal.SIGTERM)
            await asyncio.to_thread(collector.wait)

        # One in three of the slots: as many slow ones may have begun before the first good one.
        first_at = good.entries()[GOOD].ts
        begun = [entry for entry in slow.entries()[SLOW:] if entry.ts <= first_at]
        assert len(begun) <= SLOTS // 3 + 1
