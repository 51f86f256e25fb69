"""What an edition may choose from: the scope's sources, its stretch of time, nothing hidden."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from clawfeed.domain.editions.edition_item import EditionItem
from clawfeed.domain.ids import ItemId, SourceId
from clawfeed.storage.database import Database, execute
from clawfeed.storage.editions.edition_items import EditionItemQuery, read_edition_items
from clawfeed.storage.sql_lists import VALUES_PER_STATEMENT
from tests.support.api_callers import ANNA, BEN, add_people
from tests.support.clocks import NOON
from tests.support.items import add_item, add_source

HOUR = timedelta(hours=1)
WANTED = EditionItemQuery(sources=[], reader=ANNA, since=NOON - 24 * HOUR, until=NOON, limit=100)


async def titles(database: Database, wanted: EditionItemQuery) -> list[str]:
    return [item.title for item in await read_edition_items(database, wanted)]


async def test_an_item_comes_with_its_source_and_its_publisher(database: Database) -> None:
    await add_people(database)
    source = await add_source(database, "aggregator")
    item = await add_item(
        database, source, "t", at=NOON - HOUR, content="<p>c</p>", metadata='{"score": 300}'
    )
    await execute(
        database,
        "UPDATE raw_items SET url = 'https://WWW.Example.org:8443/a', author = 'A'",
    )

    [found] = await read_edition_items(database, replace(WANTED, sources=[source]))

    assert found == EditionItem(
        id=ItemId(item),
        source_id=source,
        source_name="aggregator",
        source_type="rss",
        publisher="example.org",
        title="t",
        url="https://WWW.Example.org:8443/a",
        author="A",
        content="<p>c</p>",
        published_at=NOON - HOUR,
        fetched_at=NOON - HOUR,
        metadata={"score": 300},
    )


async def test_damage_in_a_row_costs_only_what_is_damaged(database: Database) -> None:
    """(F27)."""
    source = await add_source(database, "a")
    for metadata, url in (("{broken", None), ("[1]", "no address"), ("{}", "mailto:a@b.example")):
        item = await add_item(database, source, metadata, at=NOON - HOUR, metadata=metadata)
        await execute(
            database, "UPDATE raw_items SET url = :url WHERE id = :id", {"url": url, "id": item}
        )
    await execute(database, "UPDATE sources SET host = 'feeds.example'")

    found = await read_edition_items(database, replace(WANTED, sources=[source]))

    assert [(item.publisher, item.metadata) for item in found] == [("feeds.example", {})] * 3


async def test_the_stretch_of_time_is_half_open_and_the_newest_come_first(
    database: Database,
) -> None:
    source, other = [await add_source(database, name) for name in "ab"]
    for title, at in [
        ("too old", WANTED.since - timedelta(seconds=1)),
        ("first", WANTED.since),
        ("last", NOON - timedelta(seconds=1)),
        ("next period's", NOON),
    ]:
        await add_item(database, source, title, at=at)
    await add_item(database, other, "not followed", at=NOON - HOUR)
    wanted = replace(WANTED, sources=[source, source])

    assert await titles(database, wanted) == ["last", "first"]
    assert await titles(database, replace(wanted, limit=1)) == ["last"]


async def test_more_sources_than_one_statement_takes_are_still_the_newest_first(
    database: Database,
) -> None:
    first = await add_source(database, "a")
    last = SourceId(first + VALUES_PER_STATEMENT)
    await execute(
        database,
        "INSERT INTO sources (id, name, type, identity, created_at, updated_at) "
        "VALUES (:id, 'z', 'rss', 'z', 0, 0)",
        {"id": last},
    )
    await add_item(database, first, "old", at=NOON - 2 * HOUR)
    await add_item(database, last, "newest", at=NOON - HOUR)
    wanted = replace(WANTED, sources=[SourceId(n) for n in range(first, last + 1)])

    assert await titles(database, wanted) == ["newest", "old"]
    assert await titles(database, replace(wanted, limit=1)) == ["newest"]


async def test_a_private_source_is_its_owners_alone_and_a_deleted_one_nobodys(
    database: Database,
) -> None:
    """(T18): the same rule as everywhere, and a stranger's edition is of public sources."""
    await add_people(database)
    public = await add_source(database, "public")
    private = await add_source(database, "private", owner=ANNA, is_public=False)
    deleted = await add_source(database, "deleted", owner=ANNA)
    for source in (public, private, deleted):
        await add_item(database, source, f"of {source}", at=NOON - HOUR)
    await execute(database, "UPDATE sources SET is_deleted = 1 WHERE id = :id", {"id": deleted})
    wanted = replace(WANTED, sources=[public, private, deleted])

    seen = [set(await titles(database, replace(wanted, reader=who))) for who in (ANNA, BEN, None)]

    assert seen == [{f"of {public}", f"of {private}"}, {f"of {public}"}, {f"of {public}"}]
