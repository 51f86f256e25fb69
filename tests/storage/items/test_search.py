"""The search index follows the items: new ones come in, removed ones go."""

from __future__ import annotations

import asyncio

from clawfeed.domain.search_terms import query_terms
from clawfeed.storage.database import Database, execute
from clawfeed.storage.drivers.connect import StorageConfig, open_database
from clawfeed.storage.items.search import SearchIndex, query_text, spelling_of
from tests.support.items import add_item, add_source


async def found(database: Database, question: str, *sources: int) -> list[int]:
    """Ids the index has for *question*, whoever may see them."""
    spelling = spelling_of(database)
    rows = await database.read(
        f"SELECT {spelling.item_id} AS id FROM item_search WHERE {spelling.matches} ORDER BY 1",
        {"query": query_text(query_terms(question), sources, database)},
    )
    return [int(row["id"]) for row in rows]


async def test_new_items_are_indexed_in_batches_and_only_once(database: Database) -> None:
    source = await add_source(database, "a")
    ids = [await add_item(database, source, f"news {n}") for n in range(5)]
    index = SearchIndex(database)

    counts = [await index.index_new(2) for _ in range(4)]

    assert counts == [2, 2, 1, 0]
    assert await found(database, "news ") == ids


async def test_words_are_found_whatever_their_language_case_and_accents(
    database: Database,
) -> None:
    source = await add_source(database, "a")
    coffee = await add_item(database, source, "Café Müller", content="<p>opened today</p>")
    chinese = await add_item(database, source, "人工智能模型发布")
    await SearchIndex(database).index_new(10)

    answers = {
        question: await found(database, question)
        for question in ("CAFE", "opened cafe", "open", "智能模", "型", "人", "工人", "p ", "cafes")
    }

    assert answers == {
        "CAFE": [coffee],
        "opened cafe": [coffee],
        "open": [coffee],
        "智能模": [chinese],
        "型": [chinese],
        "人": [chinese],
        "工人": [],
        "p ": [],
        "cafes": [],
    }


async def test_a_source_is_searched_by_its_own_word(database: Database) -> None:
    first, second = [await add_source(database, name) for name in "ab"]
    await add_item(database, first, "news")
    wanted = await add_item(database, second, "news")
    await SearchIndex(database).index_new(10)

    assert await found(database, "news", second) == [wanted]


async def test_a_removed_item_leaves_the_index_even_with_its_source(database: Database) -> None:
    first, second = [await add_source(database, name) for name in "ab"]
    removed = await add_item(database, first, "news one")
    await add_item(database, second, "news two")
    await SearchIndex(database).index_new(10)

    await execute(database, "DELETE FROM raw_items WHERE id = :id", {"id": removed})
    await execute(database, "DELETE FROM sources WHERE id = :id", {"id": second})

    assert await found(database, "news ") == []


async def test_an_item_committed_after_a_newer_one_is_still_indexed(database: Database) -> None:
    """On PostgreSQL ids are taken at the insert and appear at the commit, in any order."""
    source = await add_source(database, "a")
    late = await add_item(database, source, "late")
    newer = await add_item(database, source, "newer")
    if database.dialect.name == "sqlite":  # writers wait for each other: no id appears late
        assert await SearchIndex(database).index_new(10) == 2
        return
    await execute(database, "DELETE FROM raw_items WHERE id = :id", {"id": late})
    await SearchIndex(database).index_new(10)
    await execute(
        database,
        "INSERT INTO raw_items (id, source_id, title, fetched_at, dedup_key) "
        "VALUES (:id, :source, 'late', 0, 'late')",
        {"id": late, "source": source},
    )

    count = await SearchIndex(database).index_new(10)

    assert (count, await found(database, "late")) == (1, [late])
    assert await found(database, "newer") == [newer]


async def test_several_collectors_index_side_by_side(database_url: str) -> None:
    databases = [await open_database(StorageConfig(url=database_url)) for _ in range(3)]
    source = await add_source(databases[0], "a")
    ids = [await add_item(databases[0], source, f"news {n}") for n in range(60)]

    async def work(database: Database) -> None:
        while await SearchIndex(database).index_new(7):
            pass

    await asyncio.gather(*map(work, databases))

    assert await found(databases[0], "news ") == ids
    for database in databases:
        await database.close()
