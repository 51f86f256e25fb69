"""What a collector asks all day is read from the queue, whatever the database learned of it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

from clawfeed.domain.polling.slot_fairness import PollCost
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.storage.database import Database, Row, SqlValue, Statement, Steps, execute
from clawfeed.storage.drivers.connect import StorageConfig, open_database
from clawfeed.storage.migrate import migrate
from clawfeed.storage.polling.collector_heartbeats import collector_liveness
from clawfeed.storage.polling.host_queue import ClaimRequest
from clawfeed.storage.polling.poll_queue import PollQueue
from tests.support.clocks import NOON
from tests.support.counting_database import CountingDatabase

SOURCES = 2_000
PARAMS: dict[str, SqlValue] = dict.fromkeys(
    ("now", "soon", "latest", "most", "longest", "worker"), 2e9
)


async def test_after_an_analyze_no_question_reads_or_sorts_all_sources(
    tmp_path: Path,
) -> None:
    """(S000-24): with all of them due, SQLite finds the way over `sources` the cheaper one."""
    database = await open_database(StorageConfig(url=f"sqlite:///{tmp_path}/full.db"))
    await migrate(database, now=NOON)
    await fill(database)
    counting = CountingDatabase(database)
    queue = PollQueue(counting, types=BUILT_IN)
    order = ClaimRequest(now=NOON, limit=5, lease=timedelta(minutes=3), worker="w")

    await queue.overview(NOON)
    await queue.claim_due(order)
    await queue.next_due_at(frozenset({PollCost.FAILING}))
    await queue.next_turn_at(NOON, within=timedelta(seconds=10))
    await collector_liveness(counting, NOON)

    asked = [text for text in counting.statements if "next_due_at" in text and "UPDATE" not in text]
    plans = {text: await plan_of(database, text) for text in asked}
    await database.close()
    assert len(plans) == 5
    for text, plan in plans.items():
        assert "SCAN s\n" not in f"{plan}\n", plan
        if "ORDER BY t.next_due_at" in text:  # the others count all that are due
            assert "source_stats_queue" in plan, plan
            assert "ORDER BY" not in plan, plan


async def fill(database: Database) -> None:
    """Sources that are all due, and have been polled before."""
    numbers = (
        f"WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {SOURCES})"
    )
    await execute(
        database,
        f"{numbers} INSERT INTO sources (name, type, identity, has_stats, host, created_at, "
        "updated_at) SELECT i, 'rss', i, 1, 'h' || i, 0, 0 FROM n",
    )
    await execute(
        database,
        "INSERT INTO source_stats (source_id, source_type, next_due_at, check_count, created_at, "
        "updated_at) SELECT id, 'rss', id, 1, 0, 0 FROM sources",
    )
    await execute(database, "ANALYZE")


async def plan_of(database: Database, sql: str) -> str:
    def steps() -> Steps[list[Row]]:
        return (yield Statement(f"EXPLAIN QUERY PLAN {sql}", params_of(sql)))

    return "\n".join(str(row["detail"]) for row in await database.run(steps))


def params_of(sql: str) -> Mapping[str, SqlValue]:
    return {name: value for name, value in PARAMS.items() if f":{name}" in sql}
