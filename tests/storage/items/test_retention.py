"""What age removes and what it spares."""

from __future__ import annotations

from datetime import timedelta

import pytest

from clawfeed.storage.database import Database, execute
from clawfeed.storage.items.retention import remove_old_items, remove_old_log, remove_old_states
from clawfeed.storage.polling.execution_state import ExecutionStates
from clawfeed.storage.sources.sources import NewSource, SourceStore
from tests.support.clocks import NOON, FakeClock

DAY = timedelta(days=1)


async def test_items_of_31_days_are_gone_and_of_29_are_not(database: Database) -> None:
    """(S001-4)."""
    source = await SourceStore(database).add(NewSource(type="rss", name="A"), now=NOON)
    for days in (29, 31):
        await execute(
            database,
            "INSERT INTO raw_items (source_id, title, fetched_at, dedup_key) "
            "VALUES (:id, :title, :at, :title)",
            {"id": source.id, "title": f"{days}", "at": (NOON - days * DAY).timestamp()},
        )

    removed = await remove_old_items(database, now=NOON, ttl=30 * DAY)

    rows = await database.read("SELECT title FROM raw_items")
    assert (removed, [row["title"] for row in rows]) == (1, ["29"])


async def test_states_of_living_sources_are_spared_however_old(database: Database) -> None:
    """(S003-6)."""
    store = SourceStore(database)
    source = await store.add(NewSource(type="rss", name="A"), now=NOON)
    await store.add(NewSource(type="weather", name="W", param_key=""), now=NOON)
    for name, param in (("rss", source.param_key), ("weather", ""), ("rss", "999"), ("old", "")):
        await execute(
            database,
            "INSERT INTO collector_execution_state "
            "(collector_name, param_key, last_execution_time, created_at, updated_at) "
            "VALUES (:name, :param, 0, 0, 0)",
            {"name": name, "param": param},
        )

    removed = await remove_old_states(database, now=NOON, kept=30 * DAY)

    rows = await database.read("SELECT collector_name FROM collector_execution_state ORDER BY 1")
    assert (removed, [row["collector_name"] for row in rows]) == (2, ["rss", "weather"])


@pytest.mark.parametrize(("flag", "left"), [("is_active = 0", 1), ("is_deleted = 1", 0)])
async def test_the_state_of_a_paused_source_is_kept_and_of_a_deleted_one_is_not(
    database: Database, flag: str, left: int
) -> None:
    """(S003-6): whoever resumes it after a year goes on where it was."""
    source = await SourceStore(database).add(NewSource(type="rss", name="A"), now=NOON)
    states = ExecutionStates(database, FakeClock(NOON - 365 * DAY))
    await states.update_execution_time("rss", source.param_key, started_at=NOON - 365 * DAY)
    await execute(database, f"UPDATE sources SET {flag}")

    removed = await remove_old_states(database, now=NOON, kept=30 * DAY)

    assert removed == 1 - left
    assert len(await database.read("SELECT * FROM collector_execution_state")) == left


async def test_the_fetch_log_keeps_a_week(database: Database) -> None:
    source = await SourceStore(database).add(NewSource(type="rss", name="A"), now=NOON)
    for days in (1, 9):
        at = (NOON - days * DAY).timestamp()
        await execute(
            database,
            "INSERT INTO fetch_log (source_id, started_at, finished_at, outcome, worker) "
            "VALUES (:id, :at, :at, 'new', 'w')",
            {"id": source.id, "at": at},
        )

    for days in (1, 20):
        at = (NOON - days * DAY).timestamp()
        await execute(
            database,
            "INSERT INTO host_visits (host, worker, at) VALUES (:host, 'w', :at)",
            {"host": f"{days}.example", "at": at},
        )
        await execute(
            database,
            "INSERT INTO stored_today VALUES ('source', :id, :day, 1, 1)",
            {"id": days, "day": int(at // 86_400)},
        )

    assert await remove_old_log(database, now=NOON) == 1
    rows = await database.read("SELECT host, id FROM host_visits CROSS JOIN stored_today")
    assert [(row["host"], row["id"]) for row in rows] == [("1.example", 1)]
