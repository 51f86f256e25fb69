"""Sources that fail cost their own time, not that of the others."""

from __future__ import annotations

from datetime import timedelta

import pytest

from clawfeed.storage.database import execute
from tests.collector.conftest import Bench, until


@pytest.mark.parametrize(("slots", "failing"), [(1, 1), (2, 1), (5, 1), (6, 2), (12, 4)])
async def test_those_that_failed_last_time_hold_one_slot_in_three(
    bench: Bench, slots: int, failing: int
) -> None:
    """(I9): they are first in the queue and enough for every slot; one slot is always theirs."""
    sources = await bench.add(24)
    await bench.collector(slots=24).run_once()
    hostile = {source.id for source in sources[:12]}
    await execute(
        bench.database,
        "UPDATE source_stats SET fail_count = 1, next_due_at = next_due_at - 60 "
        "WHERE source_id <= :last",
        {"last": max(hostile)},
    )
    bench.advance(timedelta(days=2))
    bench.fetcher.seen.clear()
    bench.fetcher.gate.clear()

    async with bench.running(slots=slots):
        await until(lambda: bench.fetcher.in_flight == slots)
        held = [source.id for source in bench.fetcher.seen]

    assert len(hostile.intersection(held)) == failing
