"""A collector's heartbeat of before is found in the table that is called so (0021, S000-22)."""

from __future__ import annotations

from datetime import timedelta

from clawfeed.storage.database import Database, execute
from clawfeed.storage.drivers.connect import StorageConfig, open_database
from clawfeed.storage.migrate import migrate, migrations
from clawfeed.storage.polling.collector_heartbeats import (
    Heartbeat,
    collector_liveness,
    save_heartbeat,
)
from clawfeed.storage.timestamps import seconds
from tests.support.clocks import NOON

HOUR = timedelta(hours=1)


async def test_a_collector_of_before_is_still_alive(empty_database_url: str) -> None:
    """Nobody rings for the upgrade, and its next heartbeat goes where the last one was."""
    database = await open_database(StorageConfig(url=empty_database_url))
    before = tuple(each for each in migrations() if each.version < 21)
    await migrate(database, now=NOON, known=before)
    await add_heartbeat(database, "busy")

    await migrate(database, now=NOON)
    kept = await collector_liveness(database, NOON)
    await database.run(lambda: save_heartbeat("busy", now=NOON + HOUR, owes=HOUR))
    seen = await collector_liveness(database, NOON + HOUR)
    await database.close()

    busy = Heartbeat(worker="busy", started_at=NOON - HOUR, seen_at=NOON, is_alive=True)
    assert kept.collectors == (busy,)
    assert [(each.started_at, each.seen_at) for each in seen.collectors] == [
        (NOON - HOUR, NOON + HOUR)
    ]


async def test_nothing_is_called_by_the_old_name_any_more(database: Database) -> None:
    """Neither the table nor, on PostgreSQL, its key."""
    sql = (
        "SELECT name FROM sqlite_master WHERE name LIKE '%collector_signs%'"
        if database.dialect.name == "sqlite"
        else "SELECT relname FROM pg_class WHERE relname LIKE '%collector_signs%'"
    )

    assert await database.read(sql) == []


async def add_heartbeat(database: Database, worker: str) -> None:
    """As it was written before."""
    await execute(
        database,
        "INSERT INTO collector_signs (worker, started_at, seen_at, expected_by) "
        "VALUES (:worker, :started, :seen, :by)",
        {
            "worker": worker,
            "started": seconds(NOON - HOUR),
            "seen": seconds(NOON),
            "by": seconds(NOON + HOUR),
        },
    )
