"""Items for a person: what they may see, newest first, whatever is stored meanwhile."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import orjson
import pytest

from clawfeed.domain.errors import NotFoundError
from clawfeed.domain.ids import SourceId
from clawfeed.domain.search_terms import query_terms
from clawfeed.storage.database import Database, execute
from clawfeed.storage.items.items import ItemQuery, ItemStore, Page
from clawfeed.storage.items.search import SearchIndex
from tests.support.api_callers import ANNA, BEN, add_people
from tests.support.clocks import NOON
from tests.support.items import add_item, add_source, subscribe

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
FOR_ANNA = ItemQuery(user_id=ANNA, limit=10)


def titles(items: list[orjson.Fragment]) -> list[str]:
    return [item["title"] for item in orjson.loads(orjson.dumps(items))]


async def all_pages(store: ItemStore, wanted: ItemQuery) -> list[str]:
    page = await store.page(wanted)
    found = titles(page.items)
    while page.next:
        page = await store.page(replace(wanted, start=page.next))
        found += titles(page.items)
    return found


async def test_the_newest_fetched_comes_first_and_equal_dates_by_id(database: Database) -> None:
    await add_people(database)
    source = await add_source(database, "a")
    for title, ago in (("b", 2), ("c", 1), ("d", 1), ("a", 3)):
        await add_item(database, source, title, at=NOON - ago * HOUR)

    page = await ItemStore(database).page(FOR_ANNA)

    assert titles(page.items) == ["d", "c", "b", "a"]
    assert page.next is None


@pytest.mark.parametrize("question", ["", "news "])
async def test_pages_do_not_shift_when_items_are_stored_between_them(
    database: Database, question: str
) -> None:
    await add_people(database)
    source = await add_source(database, "a")
    for n in range(7):
        await add_item(database, source, f"news {n}", at=NOON + (n // 3) * HOUR)
    await SearchIndex(database).index_new(100)
    store = ItemStore(database)
    wanted = replace(FOR_ANNA, limit=3, terms=query_terms(question))

    first = await store.page(wanted)
    await add_item(database, source, "news, later", at=NOON + 9 * HOUR)
    await SearchIndex(database).index_new(100)
    rest = await all_pages(store, replace(wanted, start=first.next))

    assert titles(first.items) + rest == [f"news {n}" for n in (6, 5, 4, 3, 2, 1, 0)]


async def test_offset_source_and_since_narrow_a_list(database: Database) -> None:
    """(S001-13)."""
    await add_people(database)
    first, second = [await add_source(database, name) for name in "ab"]
    for n in range(4):
        await add_item(database, first, f"a{n}", at=NOON + n * HOUR)
    await add_item(database, second, "b", at=NOON)
    store = ItemStore(database)

    skipped = await store.page(replace(FOR_ANNA, offset=3))
    of_one = await store.page(replace(FOR_ANNA, source_id=second))
    recent = await store.page(replace(FOR_ANNA, since=NOON + 2 * HOUR))

    assert titles(skipped.items) == ["b", "a0"]
    assert titles(of_one.items) == ["b"]
    assert titles(recent.items) == ["a3", "a2"]


async def test_a_search_is_narrowed_the_same_way(database: Database) -> None:
    await add_people(database)
    first, second = [await add_source(database, name) for name in "ab"]
    await add_item(database, first, "old model", at=NOON - DAY)
    await add_item(database, first, "new model", at=NOON)
    await add_item(database, second, "模型 model", at=NOON)
    await SearchIndex(database).index_new(100)
    store = ItemStore(database)

    async def search(question: str, **narrower: object) -> list[str]:
        wanted = replace(FOR_ANNA, terms=query_terms(question), **narrower)  # type: ignore[arg-type] # tests name real fields
        return titles((await store.page(wanted)).items)

    assert await search("model ") == ["模型 model", "new model", "old model"]
    assert await search("model ", source_id=first) == ["new model", "old model"]
    assert await search("model ", since=NOON) == ["模型 model", "new model"]
    assert await search("model ", since=NOON + DAY) == []
    assert await search("model ", offset=2) == ["old model"]
    assert await search("模型") == ["模型 model"]


async def test_items_of_others_private_and_deleted_sources_are_not_there(
    database: Database,
) -> None:
    """(T18)."""
    await add_people(database)
    secret = await add_source(database, "secret", owner=BEN, is_public=False)
    deleted = await add_source(database, "deleted")
    for source in (secret, deleted):
        await add_item(database, source, "hidden")
        await subscribe(database, ANNA, source)
    await execute(database, "UPDATE sources SET is_deleted = 1 WHERE id = :id", {"id": deleted})
    await SearchIndex(database).index_new(100)
    store = ItemStore(database)

    seen: list[Page] = [
        await store.page(replace(FOR_ANNA, terms=terms)) for terms in ((), query_terms("hidden"))
    ]
    digest = await store.for_digest(ANNA, since=None, limit=10, now=NOON)

    assert [page.items for page in seen] == [[], []]
    assert (digest, await store.stats(ANNA, now=NOON, limit=9)) == ([], [])
    assert titles((await store.page(replace(FOR_ANNA, user_id=BEN))).items) == ["hidden"]
    for source in (secret, deleted, SourceId(999)):
        with pytest.raises(NotFoundError, match=f"there is no source {source}"):
            await store.page(replace(FOR_ANNA, source_id=source))


async def test_a_digest_takes_the_newest_of_what_one_follows_however_old(
    database: Database,
) -> None:
    """(S001-13)."""
    await add_people(database)
    followed, other = [await add_source(database, name) for name in "ab"]
    await subscribe(database, ANNA, followed)
    for days in (0, 3, 20, 29):
        await add_item(database, followed, f"{days} days", at=NOON - days * DAY)
    await add_item(database, other, "not followed")
    store = ItemStore(database)

    everything = await store.for_digest(ANNA, since=None, limit=10, now=NOON)
    newest = await store.for_digest(ANNA, since=None, limit=2, now=NOON)
    week = await store.for_digest(ANNA, since=NOON - 7 * DAY, limit=10, now=NOON)

    assert titles(everything) == ["0 days", "3 days", "20 days", "29 days"]
    assert titles(newest) == titles(week) == ["0 days", "3 days"]


async def test_stats_count_all_and_the_last_day_and_see_new_items_at_once(
    database: Database,
) -> None:
    """(S001-13)."""
    await add_people(database)
    source = await add_source(database, "a")
    await add_source(database, "empty")
    for n, days in enumerate((0, 2, 20)):
        await add_item(database, source, f"{n}", at=NOON - days * DAY)
    store = ItemStore(database)

    before = await store.stats(ANNA, now=NOON, limit=9)
    await add_item(database, source, "new", at=NOON)
    after = await store.stats(ANNA, now=NOON, limit=9)
    next_day = await store.stats(ANNA, now=NOON + DAY + HOUR, limit=9)

    assert before[0] == {
        "source_id": source,
        "name": "a",
        "type": "rss",
        "total_items": 3,
        "last_item_at": "2026-11-15T12:00:00Z",
        "items_24h": 1,
    }
    counts = [(stats[0]["total_items"], stats[0]["items_24h"]) for stats in (after, next_day)]
    assert counts == [(4, 2), (4, 0)]
    assert (before[1]["total_items"], before[1]["last_item_at"]) == (0, None)


async def test_one_damaged_row_spoils_no_answer(database: Database) -> None:
    await add_people(database)
    source = await add_source(database, "a")
    await add_item(database, source, "good", metadata='{"tags":["x"]}')
    await add_item(database, source, "bad", metadata='{"tags":')
    await execute(database, "UPDATE raw_items SET published_at = 1e300 WHERE title = 'bad'")

    page = await ItemStore(database).page(FOR_ANNA)

    bad, good = orjson.loads(orjson.dumps(page.items))
    assert (bad["metadata"], bad["published_at"]) == ({}, None)
    assert good["metadata"] == {"tags": ["x"]}
