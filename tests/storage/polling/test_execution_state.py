"""Execution times persist (S003-1, S003-3, S003-8)."""

from __future__ import annotations

import logging
from datetime import timedelta

import pytest

from clawfeed.storage.database import Database, execute
from clawfeed.storage.polling.execution_state import ExecutionStates
from tests.support.clocks import NOON, FakeClock

STATE_COLUMNS = (
    "collector_name", "param_key", "last_execution_time", "created_at", "updated_at",
    "execution_count",
)  # fmt: skip


async def test_a_run_is_written_down_and_counted(database: Database) -> None:
    """(S003-1, S003-3)."""
    clock = FakeClock()
    states = ExecutionStates(database, clock)

    assert await states.get_last_execution_time("weather") is None
    first = await states.update_execution_time("weather", started_at=NOON - timedelta(hours=1))
    clock.advance(timedelta(seconds=9))
    second = await states.update_execution_time("weather", started_at=NOON)

    assert (first, second) == (1, 2)
    assert await states.get_last_execution_time("weather") == NOON.timestamp()
    [row] = await database.read("SELECT * FROM collector_execution_state")
    assert {name: row[name] for name in STATE_COLUMNS} == {
        "collector_name": "weather",
        "param_key": "",
        "last_execution_time": NOON.timestamp(),
        "created_at": NOON.timestamp(),
        "updated_at": NOON.timestamp() + 9,
        "execution_count": 2,
    }


async def test_each_parameter_has_a_state_of_its_own_and_none_is_the_empty_one(
    database: Database,
) -> None:
    """(S003-1, S003-2)."""
    states = ExecutionStates(database, FakeClock())

    await states.update_execution_time("tides", "brest", started_at=NOON)
    await states.update_execution_time("tides", None, started_at=NOON)

    assert await states.get_last_execution_time("tides", "lisbon") is None
    rows = await database.read("SELECT * FROM collector_execution_state ORDER BY param_key")
    assert [(row["collector_name"], row["param_key"], row["execution_count"]) for row in rows] == [
        ("tides", "", 1),
        ("tides", "brest", 1),
    ]


async def test_the_rest_of_the_interval_is_waited_for_after_a_restart(
    database: Database,
) -> None:
    """(S003-4)."""
    clock = FakeClock()
    await ExecutionStates(database, clock).update_execution_time("tides", started_at=NOON)
    clock.advance(timedelta(minutes=40))
    restarted = ExecutionStates(database, clock)

    now = await restarted.should_run_immediately("tides", interval_seconds=3600)
    at = await restarted.calculate_next_run_time("tides", interval_seconds=3600)
    overdue = await restarted.should_run_immediately("tides", interval_seconds=2399)

    assert (now, at, overdue) == (False, NOON.timestamp() + 3600, True)


async def test_a_state_that_cannot_be_read_is_a_first_run_with_a_warning(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    """(S003-8)."""
    caplog.set_level(logging.WARNING)
    await execute(database, "ALTER TABLE collector_execution_state RENAME TO gone")
    states = ExecutionStates(database, FakeClock())

    assert await states.get_last_execution_time("tides") is None
    assert await states.should_run_immediately("tides", interval_seconds=60)
    assert "treated as a first run" in caplog.text
