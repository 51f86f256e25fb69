"""Removing, mending and the hourly word about how it goes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from datetime import timedelta

import pytest

from clawfeed.collector.housekeeping import Housekeeping, HousekeepingConfig
from clawfeed.storage.database import Database, execute
from clawfeed.storage.polling.execution_state import ExecutionStates
from clawfeed.storage.sources.sources import NewSource, SourceStore
from clawfeed.storage.spending.model_answers import ModelAnswers
from tests.support.clocks import NOON, FakeClock

DAY = timedelta(days=1)


async def add_source(database: Database) -> int:
    source = await SourceStore(database).add(NewSource(type="rss", name="A"), now=NOON)
    return source.id


async def add_old_item(database: Database, source_id: int, key: str) -> None:
    await execute(
        database,
        "INSERT INTO raw_items (source_id, title, fetched_at, dedup_key) "
        "VALUES (:id, 'x', :at, :key)",
        {"id": source_id, "at": (NOON - 31 * DAY).timestamp(), "key": key},
    )


async def single_round(housekeeping: Housekeeping) -> None:
    await housekeeping.do_round_if_due()


async def started_loop(housekeeping: Housekeeping) -> None:
    running = asyncio.create_task(housekeeping.run())
    await asyncio.sleep(0)  # it is within its first round now, and ends with it
    housekeeping.stop()
    await running


@pytest.mark.parametrize("look_after", [single_round, started_loop])
async def test_neither_single_rounds_nor_restarts_make_more_than_one_round_an_hour(
    database: Database, look_after: Callable[[Housekeeping], Awaitable[None]]
) -> None:
    """(S000-13, S001-4): the database remembers when it was done, whoever did it."""
    source = await add_source(database)
    clock = FakeClock()
    left = []

    for minutes in (0, 30, 31):
        clock.advance(timedelta(minutes=minutes))
        await add_old_item(database, source, str(minutes))
        await look_after(Housekeeping(database, clock, HousekeepingConfig()))
        left.append(len(await database.read("SELECT id FROM raw_items")))

    assert left == [0, 1, 0]


async def test_of_many_collectors_one_does_the_round(database: Database) -> None:
    """(S000-13)."""
    states = ExecutionStates(database, FakeClock())

    turns = await asyncio.gather(
        *(states.take_turn("housekeeping", interval_seconds=3600) for _ in range(8))
    )

    assert turns.count(True) == 1


async def test_old_items_are_removed_and_the_count_is_logged(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    """(S000-13, S001-4)."""
    caplog.set_level(logging.INFO)
    await execute(
        database,
        "INSERT INTO raw_items (source_id, title, fetched_at, dedup_key) "
        "VALUES (:id, 'x', :at, 'x')",
        {"id": await add_source(database), "at": (NOON - 31 * DAY).timestamp()},
    )
    housekeeping = Housekeeping(database, FakeClock(), HousekeepingConfig())

    await housekeeping.do_round()
    await housekeeping.do_round()

    told = [record for record in caplog.records if record.message == "old items removed"]
    assert [record.__dict__["count"] for record in told] == [1]


@pytest.mark.parametrize("date", [None, (NOON + timedelta(days=365 * 200)).timestamp()])
async def test_a_date_that_makes_no_sense_is_mended(database: Database, date: float | None) -> None:
    """(I3, F15): a damaged row must not freeze its source."""
    source_id = await add_source(database)
    await execute(
        database,
        "INSERT INTO source_stats (source_id, source_type, next_due_at, created_at, updated_at) "
        "VALUES (:id, 'rss', :date, 0, 0)",
        {"id": source_id, "date": date},
    )

    await Housekeeping(database, FakeClock(), HousekeepingConfig()).do_round()

    [row] = await database.read("SELECT next_due_at FROM source_stats")
    assert row["next_due_at"] < NOON.timestamp()


@pytest.mark.parametrize(("failed", "alarmed"), [(4, False), (6, True)])
async def test_most_polls_failing_raises_an_alarm(
    database: Database, caplog: pytest.LogCaptureFixture, failed: int, alarmed: bool
) -> None:
    """(S000-22)."""
    caplog.set_level(logging.INFO)
    source_id = await add_source(database)
    for n in range(10):
        await execute(
            database,
            "INSERT INTO fetch_log (source_id, started_at, finished_at, outcome, worker) "
            "VALUES (:id, :at, :at, :outcome, 'w')",
            {
                "id": source_id,
                "at": NOON.timestamp() - 60,
                "outcome": "failed" if n < failed else "new",
            },
        )

    await Housekeeping(database, FakeClock(), HousekeepingConfig()).do_round()

    assert "collector statistics" in caplog.messages
    assert any("most polls fail" in message for message in caplog.messages) is alarmed


async def test_it_ends_when_asked_without_waiting_for_the_hour(database: Database) -> None:
    await add_old_item(database, await add_source(database), "a")
    housekeeping = Housekeeping(database, FakeClock(), HousekeepingConfig())
    running = asyncio.create_task(housekeeping.run())
    async with asyncio.timeout(40):
        while await database.read("SELECT id FROM raw_items"):  # noqa: ASYNC110 -- sends no event
            await asyncio.sleep(0.01)

    housekeeping.stop()

    async with asyncio.timeout(30):
        await running


async def test_words_of_a_model_that_nobody_asks_for_are_forgotten(database: Database) -> None:
    """Those that were used within 60 days stay."""
    answers = ModelAnswers(database)
    for key, days in (("old", 61), ("used", 59)):
        await answers.remember(key, "words", now=NOON - days * DAY)

    await Housekeeping(database, FakeClock(), HousekeepingConfig()).do_round()

    assert await answers.recall("old", now=NOON) is None
    assert await answers.recall("used", now=NOON) == "words"
