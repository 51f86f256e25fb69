"""New items are found by search soon after they were stored."""

from __future__ import annotations

import asyncio
import logging
from datetime import timedelta

import pytest

from clawfeed.collector.search_indexing import IndexingConfig, SearchIndexing
from clawfeed.storage.database import Database, execute
from clawfeed.storage.items.search import SearchIndex
from tests.collector.conftest import until
from tests.support.items import add_item, add_source

QUICKLY = IndexingConfig(
    batch=2, every=timedelta(milliseconds=20), breath=timedelta(milliseconds=1)
)


async def indexed(database: Database, count: int) -> None:
    """Returns once *count* items are in the index."""
    async with asyncio.timeout(40):
        while True:
            [row] = await database.read("SELECT count(*) AS n FROM item_search")
            if row["n"] == count:
                return
            await asyncio.sleep(0.01)


async def test_it_indexes_what_is_there_and_what_comes_later(database: Database) -> None:
    source = await add_source(database, "a")
    for n in range(5):
        await add_item(database, source, f"{n}")
    indexing = SearchIndexing(SearchIndex(database), QUICKLY)
    running = asyncio.create_task(indexing.run())

    await indexed(database, 5)
    await add_item(database, source, "later")
    await indexed(database, 6)

    indexing.stop()
    await running


async def test_a_round_brings_the_index_up_to_date_but_does_not_last_for_ever(
    database: Database,
) -> None:
    source = await add_source(database, "a")
    for n in range(5):
        await add_item(database, source, f"{n}")
    pace = IndexingConfig(batch=2, batches_at_once=2)

    counts = [await SearchIndexing(SearchIndex(database), pace).catch_up() for _ in range(3)]

    assert counts == [4, 1, 0]


async def test_a_database_that_fails_is_tried_again(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    await add_item(database, await add_source(database, "a"), "x")
    await execute(database, "ALTER TABLE search_progress RENAME TO elsewhere")
    indexing = SearchIndexing(SearchIndex(database), QUICKLY)
    running = asyncio.create_task(indexing.run())

    await until(lambda: "could not index new items; will try again" in caplog.messages)
    await execute(database, "ALTER TABLE elsewhere RENAME TO search_progress")
    await indexed(database, 1)

    indexing.stop()
    await running


async def test_it_ends_when_asked_without_waiting_for_its_next_round(database: Database) -> None:
    await add_item(database, await add_source(database, "a"), "x")
    indexing = SearchIndexing(SearchIndex(database), IndexingConfig(every=timedelta(hours=1)))
    running = asyncio.create_task(indexing.run())
    await indexed(database, 1)

    indexing.stop()

    async with asyncio.timeout(30):
        await running
