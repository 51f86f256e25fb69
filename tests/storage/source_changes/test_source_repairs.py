"""Data faults mended (S001-22): nothing is lost or told twice, and a dry run changes nothing."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from clawfeed.domain.because import from_text
from clawfeed.domain.errors import LeaseLostError, NotFoundError
from clawfeed.domain.ids import JsonValue, SourceId, UserId
from clawfeed.domain.search_terms import query_terms
from clawfeed.domain.sources.item import Draft
from clawfeed.domain.sources.source import Fetched
from clawfeed.sources.discovery.new_source import part_of
from clawfeed.sources.registry import Fetchers
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.storage.database import Database, Row, execute
from clawfeed.storage.items.items import ItemQuery, ItemStore
from clawfeed.storage.items.search import SearchIndex
from clawfeed.storage.polling.host_queue import ClaimRequest
from clawfeed.storage.polling.poll_queue import Claim, PollQueue
from clawfeed.storage.readers.marks import MarkStore, NewMark
from clawfeed.storage.source_changes.source_repairs import RepairResult, RepairScope, SourceRepairs
from clawfeed.storage.sources.first_stats import NEVER_POLLED
from clawfeed.storage.sources.sources import NewSource, SourceStore
from clawfeed.storage.sources.subscriptions import SubscriptionStore
from tests.storage.polling.test_poll_results import finish
from tests.support.api_callers import ADMIN, ANNA, BEN, add_people
from tests.support.clocks import NOON

OPERATOR = RepairScope()
# As an older system stored it: the mark is part of the config, so the database saw two things.
FIRST, SECOND = {"handle": "ann"}, {"handle": "@Ann"}


def post(number: int, text: str = "") -> Draft:
    return Draft(
        title=text or f"Post {number}",
        url=f"https://x.com/ann/status/{number}",
        author="@Ann",
        published_at=NOON - timedelta(hours=number),
    )


def repairs(database: Database) -> SourceRepairs:
    return SourceRepairs(
        database=database, types=BUILT_IN, part=partial(part_of, Fetchers(BUILT_IN))
    )


async def fix(
    database: Database, *ids: int, dry_run: bool = False, scope: RepairScope = OPERATOR
) -> list[RepairResult]:
    wanted = [SourceId(id_) for id_ in ids] or None
    return await repairs(database).fix(wanted, scope, dry_run=dry_run, now=NOON)


async def add(
    database: Database,
    config: dict[str, JsonValue],
    name: str = "@ann",
    owner: UserId | None = None,
) -> SourceId:
    new = NewSource(
        type="twitter_feed", name=name, config=config, created_by=owner, is_public=owner is None
    )
    return (await SourceStore(database).add(new, now=NOON)).id


async def claimed(database: Database, source_id: SourceId) -> Claim:
    order = ClaimRequest(now=NOON, limit=1, lease=timedelta(minutes=5), worker="w1")
    claim = await PollQueue(database, types=BUILT_IN).claim_one(source_id, order)
    assert claim
    return claim


async def poll(database: Database, source_id: SourceId, *drafts: Draft) -> int:
    claim = await claimed(database, source_id)
    return (await finish(database, Fetched(drafts=drafts), claim=claim)).inserted


async def rows(database: Database, sql: str) -> list[tuple[Any, ...]]:
    found: list[Row] = await database.read(sql)
    return [tuple(row) for row in found]  # type: ignore[arg-type] # both drivers' rows are iterable


async def snapshot(database: Database) -> list[list[tuple[Any, ...]]]:
    tables = {
        "sources": "id", "source_stats": "source_id", "raw_items": "id",
        "seen_items": "source_id, dedup_key", "user_subscriptions": "user_id, source_id",
        "source_pack_sources": "pack_id, source_id", "marks": "id", "audit_log": "id",
        "search_progress": "id",
    }  # fmt: skip
    return [
        await rows(database, f"SELECT * FROM {table} ORDER BY {order}")
        for table, order in tables.items()
    ]


async def test_a_duplicate_becomes_part_of_the_one_that_stays(database: Database) -> None:
    """Items, marks, subscriptions and packs move; what either has seen is not told again."""
    await add_people(database)
    kept, gone = await add(database, dict(FIRST)), await add(database, dict(SECOND))
    await poll(database, kept, post(1), post(2))
    await poll(database, gone, post(2), post(3, "Penguins"))
    await execute(database, f"DELETE FROM raw_items WHERE dedup_key LIKE '{kept}:%/2'")
    while await SearchIndex(database).index_new(10):
        pass
    follow, marks = SubscriptionStore(database), MarkStore(database)
    await follow.change(ANNA, add=[kept, gone], now=NOON)
    await follow.change(BEN, add=[gone], now=NOON)
    ids = {title: id_ for id_, title in await rows(database, "SELECT id, title FROM raw_items")}
    await marks.save(BEN, NewMark(item_id=ids["Penguins"]), now=NOON)
    await execute(
        database,
        "INSERT INTO source_packs (slug, name, created_at, updated_at) VALUES ('p', 'P', 0, 0)",
    )
    await execute(database, f"INSERT INTO source_pack_sources VALUES (1, {gone}, 7)")

    [done] = await fix(database)
    again = await poll(database, kept, post(1), post(2), post(3), post(4))
    while await SearchIndex(database).index_new(10):
        pass
    asked = ItemQuery(user_id=BEN, limit=9, source_id=kept, terms=query_terms("penguins"))
    found = (await ItemStore(database).page(asked)).items

    assert (done.source.id, done.into and done.into.id) == (gone, kept)
    assert (done.moved.items, done.moved.repeated) == (2, 0)
    assert (done.moved.marks, done.moved.subscriptions, done.moved.packs) == (1, 1, 1)
    assert again == 1
    assert await rows(database, "SELECT DISTINCT source_id FROM raw_items") == [(kept,)]
    assert await rows(database, "SELECT raw_item_id FROM marks") == [(ids["Penguins"],)]
    assert await rows(
        database, "SELECT user_id, source_id FROM user_subscriptions ORDER BY user_id"
    ) == [(ANNA, kept), (BEN, kept)]
    assert await rows(database, "SELECT * FROM source_pack_sources") == [(1, kept, 7)]
    assert len(found) == 1
    assert [source.id for source in await SourceStore(database).list()] == [kept]
    assert await rows(database, "SELECT user_id, action, detail FROM audit_log") == [
        (None, "sources_merged", f"source {gone} into {kept}: 2 items")
    ]


async def test_an_item_that_both_have_is_one_and_its_mark_points_to_it(database: Database) -> None:
    await add_people(database)
    kept, gone = await add(database, dict(FIRST)), await add(database, dict(SECOND))
    await poll(database, kept, post(1))
    await poll(database, gone, post(1))
    [(first,), (second,)] = await rows(database, "SELECT id FROM raw_items ORDER BY id")
    await MarkStore(database).save(BEN, NewMark(item_id=second), now=NOON)

    [done] = await fix(database)

    assert (done.moved.items, done.moved.repeated, done.moved.marks) == (0, 1, 1)
    assert await rows(database, "SELECT id FROM raw_items") == [(first,)]
    assert await rows(database, "SELECT raw_item_id FROM marks") == [(first,)]


async def test_a_dry_run_tells_the_same_and_changes_nothing(database: Database) -> None:
    """And what is mended needs no mending: the second run finds nothing."""
    await add_people(database)
    await add(database, dict(FIRST))
    await poll(database, await add(database, dict(SECOND)), post(1))
    await add(database, {"handle": "ann, bob @carol"}, "many")
    await add(database, {"handle": "dora"}, "@emil")
    before = await snapshot(database)

    told = await fix(database, dry_run=True)
    unchanged = await snapshot(database)
    done = await fix(database)
    again = await fix(database)

    assert unchanged == before
    assert told == done
    assert [each.kind for each in done] == ["merge", "split", "rename"]
    assert again == []


async def test_a_late_poll_of_the_merged_source_stores_nothing(database: Database) -> None:
    """Both are being polled: the one that goes is fenced off, the one that stays polls anew."""
    kept, gone = await add(database, dict(FIRST)), await add(database, dict(SECOND))
    late = [await claimed(database, id_) for id_ in (kept, gone)]

    await fix(database)

    for claim in late:
        with pytest.raises(LeaseLostError):
            await finish(database, Fetched(drafts=(post(1),)), claim=claim)
    assert await rows(database, "SELECT count(*) FROM seen_items") == [(0,)]
    assert await rows(
        database, f"SELECT next_due_at FROM source_stats WHERE source_id = {gone}"
    ) == [(None,)]
    assert await poll(database, kept, post(1)) == 1


async def test_one_that_was_never_polled_is_fenced_off_by_a_row_like_any_first_one(
    database: Database,
) -> None:
    await add(database, dict(FIRST))
    gone = await add(database, dict(SECOND))

    await fix(database)

    [(because, due)] = await rows(
        database, f"SELECT because, next_due_at FROM source_stats WHERE source_id = {gone}"
    )
    assert from_text(because) == NEVER_POLLED
    assert due is None


async def test_many_handles_become_a_source_each_that_all_its_readers_follow(
    database: Database,
) -> None:
    await add_people(database)
    known = await add(database, dict(FIRST))
    many = await add(
        database,
        {"handles": ["@bob", "Ann", "this_is_no_handle"], "fetch_interval_minutes": 90},
        "many",
    )
    for user in (ANNA, BEN):
        await SubscriptionStore(database).change(user, add=[many], now=NOON)
    await poll(database, many, post(1))

    [done] = await fix(database, many)

    [_, bob] = await SourceStore(database).list()
    assert (done.added, done.found, done.left_out) == (("@bob",), ("@Ann",), ("this_is_no_handle",))
    assert (bob.name, bob.config) == ("@bob", {"handle": "bob", "fetch_interval_minutes": 90})
    assert await rows(
        database, "SELECT user_id, source_id FROM user_subscriptions ORDER BY user_id, source_id"
    ) == [(user, source) for user in (ANNA, BEN) for source in (known, bob.id)]
    assert await rows(database, "SELECT source_id, dedup_key FROM raw_items") == [
        (known, f"{known}:https://x.com/ann/status/1")
    ]


async def test_one_that_works_wakes_the_one_that_stopped_by_its_failures(
    database: Database,
) -> None:
    kept, _ = await add(database, dict(FIRST)), await add(database, dict(SECOND))
    await execute(
        database,
        "UPDATE sources SET is_active = 0, paused_because = 'errors', fetch_error_count = 5 "
        "WHERE id = :id",
        {"id": kept},
    )

    await fix(database)

    assert await rows(database, "SELECT is_active, fetch_error_count FROM sources ORDER BY id") == [
        (1, 0), (1, 0)
    ]  # fmt: skip


async def test_what_only_looks_alike_waits_for_a_person_and_never_becomes_public(
    database: Database,
) -> None:
    """Headers may open what is nobody else's business (T18)."""
    await add_people(database)
    store = SourceStore(database)
    feeds = [
        NewSource(type="rss", name="a", config={"url": "https://a.example/"}),
        NewSource(type="rss", name="b", config={"url": "http://a.example"}),
        NewSource(
            type="rss",
            name="c",
            config={"url": "https://a.example/", "headers": {"X-Key": "k"}},
            is_public=False,
            created_by=ANNA,
        ),
    ]
    public, alike, private = [(await store.add(each, now=NOON)).id for each in feeds]

    by_itself = await fix(database)
    named = await fix(database, alike, private)

    assert by_itself == []
    assert [(each.source.id, each.into and each.into.id) for each in named] == [(alike, public)]
    assert [source.id for source in await store.list()] == [public, private]


async def test_an_admin_mends_what_they_may_see(database: Database) -> None:
    """(T18): somebody's private source is not there for them; the command has the whole house."""
    await add_people(database)
    for config in (FIRST, SECOND):
        await add(database, dict(config), owner=ANNA)
    admin = RepairScope(user_id=ADMIN)

    found = await repairs(database).findings(admin)

    with pytest.raises(NotFoundError, match="there is no source 2"):
        await fix(database, 2, scope=admin)
    assert found == []
    assert len(await fix(database)) == 1


async def test_the_log_tells_no_name_of_a_private_source(database: Database) -> None:
    """(T18): every admin reads it."""
    await add_people(database)
    await add(database, {"handle": "ann"}, "@bob")
    await add(database, {"handle": "carol"}, "@secret", owner=ANNA)

    await fix(database)

    assert await rows(database, "SELECT detail FROM audit_log ORDER BY id") == [
        ("source 1 to @ann",), ("source 2",)
    ]  # fmt: skip
