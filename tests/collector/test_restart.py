"""A restart resumes the rhythm, and says so."""

from __future__ import annotations

import logging
from datetime import timedelta

import pytest

from clawfeed.collector.restart import ResumeSummary, resume
from clawfeed.storage.database import Database, execute
from clawfeed.storage.polling.execution_state import ExecutionStates
from clawfeed.storage.sources.sources import NewSource, SourceStore
from tests.support.clocks import NOON, FakeClock

HOUR = timedelta(hours=1)


async def add(database: Database, name: str, *, due_in: timedelta | None) -> None:
    source = await SourceStore(database).add(
        NewSource(type="rss", name=name, config={"url": name}), now=NOON
    )
    if due_in is not None:
        await execute(
            database,
            "INSERT INTO source_stats (source_id, source_type, next_due_at, created_at, updated_at)"
            " VALUES (:id, 'rss', :at, 0, 0)",
            {"id": source.id, "at": (NOON + due_in).timestamp()},
        )
        states = ExecutionStates(database, FakeClock())
        await states.update_execution_time("rss", source.param_key, started_at=NOON - HOUR)


def told(caplog: pytest.LogCaptureFixture, event: str) -> list[dict[str, object]]:
    return [record.__dict__ for record in caplog.records if record.message == event]


async def test_the_first_the_overdue_and_the_waiting_are_told_apart(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    """(S000-15, S003-4, S003-10)."""
    caplog.set_level(logging.INFO)
    await add(database, "new", due_in=None)
    await add(database, "overdue", due_in=-HOUR)
    await add(database, "waiting", due_in=HOUR)

    resumed = await resume(database, now=NOON)

    assert resumed == ResumeSummary(immediate=2, delayed=1)
    loaded = told(caplog, "collector state loaded")
    assert [line["action"] for line in loaded] == ["load", "load"]
    assert loaded[0]["last_time"] == (NOON - HOUR).timestamp()
    runs = told(caplog, "collector runs now")
    assert [(line["reason"], line["delay"]) for line in runs] == [("first_run", 0), ("timeout", 0)]
    [waits] = told(caplog, "collector waits")
    assert (waits["delay_seconds"], waits["next_run"]) == (3600, "2026-11-15T13:00:00Z")


async def test_without_persistence_everybody_starts_anew(database: Database) -> None:
    """(S003-6): `enable_time_persistence: false`."""
    await add(database, "waiting", due_in=HOUR)

    resumed = await resume(database, now=NOON, remember=False)

    assert resumed == ResumeSummary(immediate=1, delayed=0)


async def test_starting_anew_leaves_alone_who_is_held_backs_off_or_was_due(
    database: Database,
) -> None:
    """(S003-6): and whoever waited for a host's turn waits no longer."""
    names = ("waiting", "held", "resting", "overdue")
    for name in names:
        await add(database, name, due_in=-HOUR if name == "overdue" else HOUR)
    for changes in ("lease_until = 9 WHERE source_id = 2", "backoff_until = 9 WHERE source_id = 3"):
        await execute(database, f"UPDATE source_stats SET waiting_since = 7, {changes}")
    await execute(database, "UPDATE source_stats SET waiting_since = 7 WHERE source_id = 1")

    await resume(database, now=NOON, remember=False)

    rows = await database.read(
        "SELECT next_due_at, waiting_since FROM source_stats ORDER BY source_id"
    )
    due = [(row["next_due_at"] - NOON.timestamp()) / HOUR.total_seconds() for row in rows]
    assert due == [0, 1, 1, -1]
    assert [row["waiting_since"] for row in rows] == [None, 7, 7, None]


@pytest.mark.parametrize("has_states", [True, False])
async def test_who_is_paused_or_deleted_is_not_resumed(
    database: Database, *, has_states: bool
) -> None:
    """(S000-3)."""
    for name in ("paused", "deleted", "waiting"):
        await add(database, name, due_in=-HOUR)
    await execute(database, "UPDATE sources SET is_active = 0 WHERE id = 1")
    await execute(database, "UPDATE sources SET is_deleted = 1 WHERE id = 2")
    if not has_states:
        await execute(database, "ALTER TABLE collector_execution_state RENAME TO gone")

    assert await resume(database, now=NOON) == ResumeSummary(immediate=1, delayed=0)


async def test_states_that_cannot_be_read_are_first_runs_with_a_warning(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    """(S003-8): a first run is now, whatever the date."""
    caplog.set_level(logging.INFO)
    await add(database, "overdue", due_in=-HOUR)
    await add(database, "waiting", due_in=HOUR)
    await execute(database, "ALTER TABLE collector_execution_state RENAME TO gone")

    resumed = await resume(database, now=NOON)

    assert resumed == ResumeSummary(immediate=2, delayed=0)
    assert "treated as first runs" in caplog.text
    assert [line["reason"] for line in told(caplog, "collector runs now")] == ["first_run"] * 2


@pytest.mark.parametrize("date", [1e300, -1e300, None])
async def test_a_date_that_is_none_stops_no_start(database: Database, date: float | None) -> None:
    """(I3): the source runs now, and the others wait for theirs."""
    await add(database, "damaged", due_in=HOUR)
    await execute(database, "UPDATE source_stats SET next_due_at = :date", {"date": date})
    await add(database, "waiting", due_in=HOUR)

    resumed = await resume(database, now=NOON)

    assert resumed == ResumeSummary(immediate=1, delayed=1)


async def test_a_state_that_is_no_moment_is_a_first_run_with_a_warning(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    """(S003-8)."""
    caplog.set_level(logging.INFO)
    await add(database, "damaged", due_in=HOUR)
    await execute(database, "UPDATE collector_execution_state SET last_execution_time = 1e300")
    await add(database, "waiting", due_in=HOUR)

    resumed = await resume(database, now=NOON)

    assert resumed == ResumeSummary(immediate=1, delayed=1)
    rows = await database.read("SELECT next_due_at FROM source_stats ORDER BY source_id")
    due = [row["next_due_at"] - NOON.timestamp() for row in rows]
    assert due == [0, HOUR.total_seconds()]
    [warning] = told(caplog, "collector state cannot be read; treated as a first run")
    assert warning["why"] == "1e+300 is no moment"
    assert told(caplog, "collector runs now")[0]["reason"] == "first_run"


async def test_however_many_there_are_each_is_told(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    """(S003-10)."""
    caplog.set_level(logging.INFO)
    for n in range(51):
        await add(database, f"waiting {n}", due_in=HOUR)

    await resume(database, now=NOON)

    assert len(told(caplog, "collector state loaded")) == 51
    assert len(told(caplog, "collector waits")) == 51
