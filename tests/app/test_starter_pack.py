"""What a fresh database holds, and what a new reader starts with."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from clawfeed.app.clock import system_clock
from clawfeed.app.settings.config import Config
from clawfeed.app.settings.config_loading import load_config
from clawfeed.app.starter_pack import FEEDS, SLUG
from clawfeed.app.wiring.entry_points import opened_database
from clawfeed.app.wiring.people import signing_in_of
from clawfeed.auth.client_address import Client
from clawfeed.domain.ids import PackId, SourceId, UserId
from clawfeed.storage.config_table import ConfigTable
from clawfeed.storage.database import Database, execute
from clawfeed.storage.people.users import NewUser, UserStore
from clawfeed.storage.sources.packs import PackContent, PackStore
from clawfeed.storage.sources.source_status import SourceStates
from clawfeed.storage.sources.sources import NewSource, SourceStore
from clawfeed.storage.sources.subscriptions import DefaultContent, SubscriptionStore


def configured(url: str, folder: Path, **settings: str) -> Config:
    return load_config({"DATABASE_URL": url, **settings}, directory=folder)


async def test_a_fresh_database_holds_the_starter_pack_once(
    empty_database_url: str, tmp_path: Path
) -> None:
    """(S001-18): two hot lists, a dozen feeds in English and Chinese, all public and polite."""
    config = configured(empty_database_url, tmp_path)

    for _ in range(2):
        async with opened_database(config) as database:
            states = await SourceStates(database).states()
            pack = await PackStore(database).get(None, SLUG)

    sources = [state.source for state in states]
    kinds = Counter(source.type for source in sources)
    assert kinds == {"hackernews": 1, "github_trending": 1, "rss": len(FEEDS)}
    assert kinds["rss"] >= 12
    assert {source.config.get("url") for source in sources} >= set(FEEDS.values())
    assert all(source.is_public and source.host for source in sources)
    in_chinese = sum(not source.name.isascii() for source in sources)
    assert min(in_chinese, kinds["rss"] - in_chinese) >= 4
    assert [each.id for each in pack.sources] == [source.id for source in sources]


async def test_an_emptied_starter_pack_stays_empty(empty_database_url: str, tmp_path: Path) -> None:
    """(S001-18)."""
    config = configured(empty_database_url, tmp_path)
    async with opened_database(config) as database:
        await execute(database, "DELETE FROM sources")
        await execute(database, "DELETE FROM source_packs")

    async with opened_database(config) as database:
        assert await SourceStore(database).list() == []
        assert await PackStore(database).list(None, limit=999) == []


async def test_without_it_or_with_sources_of_their_own_nothing_is_added(
    empty_database_url: str, tmp_path: Path
) -> None:
    """(S001-18): turned on later, it does not come after all."""
    without = configured(empty_database_url, tmp_path, STARTER_PACK="false")
    async with opened_database(without) as database:
        assert await SourceStore(database).list() == []

    async with opened_database(configured(empty_database_url, tmp_path)) as database:
        assert await SourceStore(database).list() == []


@pytest.mark.parametrize(
    ("settings", "in_table", "expected"),
    [
        ({}, None, [1, 2]),
        ({"DEFAULT_SOURCE_ID": "2"}, None, [2]),
        ({"DEFAULT_SOURCE_ID": "3"}, None, [1, 2]),  # somebody's own: not for others
        ({"DEFAULT_SOURCE_ID": "2"}, "one", [1]),
        ({"DEFAULT_PACK": "one", "DEFAULT_SOURCE_ID": "2"}, None, [1]),
        ({"DEFAULT_PACK": "nowhere"}, None, [1, 2]),
    ],
)
async def test_the_first_login_subscribes_to_the_default_content(
    database: Database,
    tmp_path: Path,
    settings: dict[str, str],
    in_table: str | None,
    expected: list[int],
) -> None:
    """(S001-15): the default pack, else DEFAULT_SOURCE_ID, else all public sources."""
    people = UserStore(database)
    anna = await people.add(NewUser(email="anna@example.org", name="Anna"), now=system_clock())
    await three_sources(database, anna.id)
    if in_table:
        await ConfigTable(database).save("DEFAULT_PACK", in_table, now=system_clock())
    signing_in = signing_in_of(load_config(settings, directory=tmp_path), database)
    subscriptions = SubscriptionStore(database)

    await signing_in.sign_in_known(anna, Client(address="203.0.113.9"))
    first = [each.source_id for each in await subscriptions.list(anna.id, limit=999)]
    await subscriptions.change(anna.id, remove=[SourceId(1), SourceId(2)], now=system_clock())
    await signing_in.sign_in_known(anna, Client(address="203.0.113.9"))

    assert first == expected
    assert await subscriptions.list(anna.id, limit=999) == []


async def test_what_was_deleted_is_nobodys_default(database: Database) -> None:
    """(S001-15): a pack of which nothing is left is passed over."""
    anna = await UserStore(database).add(
        NewUser(email="anna@example.org", name="Anna"), now=system_clock()
    )
    await three_sources(database, anna.id)
    await execute(database, "UPDATE sources SET is_deleted = 1 WHERE id = 1")

    default = DefaultContent(pack="one", source_id=SourceId(1))
    await SubscriptionStore(database).follow_default(anna.id, default, now=system_clock())

    rows = await database.read("SELECT source_id FROM user_subscriptions")
    assert [row["source_id"] for row in rows] == [2]


async def three_sources(database: Database, owner: UserId) -> None:
    """Two public ones, the first in the pack "one"; the third is the owner's alone."""
    for number in range(3):
        is_public = number < 2
        new = NewSource(
            type="rss",
            name=str(number),
            config={"url": f"https://{number}.example"},
            is_public=is_public,
            created_by=None if is_public else owner,
        )
        await SourceStore(database).add(new, now=system_clock())
    content = PackContent(name="One", source_ids=(SourceId(1),))
    pack = await PackStore(database).add(owner, "one", content, now=system_clock())
    assert pack.id == PackId(1)
