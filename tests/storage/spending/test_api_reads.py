"""The monthly read budget: never exceeded, whoever reserves at the same time (S001-8)."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from clawfeed.domain.schedule.read_budget import ReadRation
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.storage.database import Database, execute
from clawfeed.storage.drivers.connect import StorageConfig, open_database
from clawfeed.storage.sources.sources import NewSource, SourceStore
from clawfeed.storage.spending.api_reads import MonthlyReads, ReadStore
from tests.support.clocks import NOON

LAST_SECOND = datetime(2026, 11, 30, 23, 59, 59, tzinfo=UTC)
NEXT_MONTH = datetime(2026, 12, 1, tzinfo=UTC)


async def test_reserve_grants_what_is_left_and_then_nothing(database: Database) -> None:
    store = ReadStore(database)

    granted = [await store.reserve("x", wanted, limit=250, at=NOON) for wanted in (100, 100, 100)]
    after = await store.reserve("x", 1, limit=250, at=NOON)

    assert granted == [100, 100, 50]
    assert after == 0
    assert await store.used("x", at=NOON) == 250


async def test_what_was_not_read_can_be_read_by_others(database: Database) -> None:
    store = ReadStore(database)
    await store.reserve("x", 100, limit=100, at=NOON)

    await store.give_back("x", 93, at=NOON)

    assert await store.used("x", at=NOON) == 7
    assert await store.reserve("x", 100, limit=100, at=NOON) == 93


async def test_each_month_and_each_api_has_its_own_count(database: Database) -> None:
    store = ReadStore(database)
    await store.reserve("x", 10, limit=10, at=LAST_SECOND)

    december = await store.reserve("x", 10, limit=10, at=NEXT_MONTH)
    other = await store.reserve("y", 10, limit=10, at=LAST_SECOND)

    assert (december, other) == (10, 10)


async def test_a_late_return_does_not_enlarge_the_new_month(database: Database) -> None:
    """Reserved in November, given back in December: November's count falls."""
    store = ReadStore(database)
    await store.reserve("x", 10, limit=10, at=LAST_SECOND)
    await store.reserve("x", 10, limit=10, at=NEXT_MONTH)

    await store.give_back("x", 10, at=LAST_SECOND)

    assert await store.used("x", at=NEXT_MONTH) == 10
    assert await store.used("x", at=LAST_SECOND) == 0


@pytest.mark.parametrize(("wanted", "limit"), [(0, 10), (-5, 10), (5, 0)])
async def test_nothing_wanted_or_nothing_allowed_grants_nothing(
    database: Database, wanted: int, limit: int
) -> None:
    store = ReadStore(database)

    granted = await store.reserve("x", wanted, limit=limit, at=NOON)

    assert granted == 0
    assert await store.used("x", at=NOON) == 0


async def test_a_limit_lowered_below_the_use_grants_nothing(database: Database) -> None:
    store = ReadStore(database)
    await store.reserve("x", 100, limit=100, at=NOON)

    granted = await store.reserve("x", 10, limit=40, at=NOON)

    assert granted == 0
    assert await store.used("x", at=NOON) == 100


async def test_more_given_back_than_used_leaves_zero(database: Database) -> None:
    store = ReadStore(database)
    await store.reserve("x", 5, limit=10, at=NOON)

    await store.give_back("x", 50, at=NOON)

    assert await store.used("x", at=NOON) == 0


async def test_a_share_holds_for_its_month_and_goes_when_the_budget_suffices(
    database: Database,
) -> None:
    budget = MonthlyReads(store=ReadStore(database), api="x", limit=100)

    rations = [await budget.ration(at=LAST_SECOND)]
    for a_day in (12.5, 2.0, None):
        await budget.store.save_share("x", a_day, now=LAST_SECOND)
        rations.append(await budget.ration(at=LAST_SECOND))
        assert await budget.ration(at=NEXT_MONTH) is None

    assert rations == [None, ReadRation(page=12), ReadRation(page=5, gap=timedelta(days=2.5)), None]


async def test_a_share_that_is_no_number_does_not_count(database: Database) -> None:
    await execute(
        database,
        "INSERT INTO config (key, value, updated_at) VALUES ('read_share@x', 'half', :now)",
        {"now": NOON.timestamp()},
    )

    assert await ReadStore(database).share("x", at=NOON) is None


async def test_how_much_each_source_posts_is_told_by_its_latest_posts(database: Database) -> None:
    """Of the named types, however written, the active ones; those that never posted too."""
    sources = SourceStore(database)
    for name, kind, gap_hours in (("busy", "a", 2), ("silent", "B", 0), ("other", "c", 1)):
        source = await sources.add(NewSource(type=kind, name=name, config={"n": name}), now=NOON)
        for n in range(1, 41 if gap_hours else 0):
            await execute(
                database,
                "INSERT INTO seen_items (source_id, dedup_key, published_at, first_seen_at) "
                "VALUES (:id, :key, :at, :at)",
                {
                    "id": source.id,
                    "key": f"{name} {n}",
                    "at": (NOON - n * timedelta(hours=gap_hours)).timestamp(),
                },
            )

    found = await ReadStore(database).postings(["a", "b"], BUILT_IN, now=NOON)

    assert {each.source.name: each.posts_a_day for each in found} == {"busy": 12, "silent": 0}


@pytest.mark.parametrize("seed", range(3))
async def test_the_budget_holds_with_many_collectors_at_once(database_url: str, seed: int) -> None:
    """Four connections' worth of collectors reserve and give back; no moment is over the limit.

    Some never give back, as after a crash: that may only make the count too high.
    """
    limit, collectors = 500, 4
    databases = [await open_database(StorageConfig(url=database_url)) for _ in range(collectors)]
    budgets = [MonthlyReads(store=ReadStore(d), api="x", limit=limit) for d in databases]
    read = 0

    async def poll(number: int) -> None:
        nonlocal read
        budget = budgets[number % collectors]
        granted = await budget.reserve(5 + (number * 37 + seed) % 96, at=NOON)
        used = (granted * ((number + seed) % 7)) // 7
        read += used
        if number % 5:
            await budget.give_back(granted - used, at=NOON)

    try:
        await asyncio.gather(*(poll(number) for number in range(60)))
        counted = limit - await budgets[0].left(at=NOON)
    finally:
        for database in databases:
            await database.close()

    assert read <= counted <= limit
