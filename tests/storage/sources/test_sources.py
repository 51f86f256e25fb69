"""Sources as rows."""

from __future__ import annotations

import pytest

from clawfeed.domain.errors import AlreadyExistsError, NotFoundError
from clawfeed.domain.ids import SourceId
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.storage.database import Database
from clawfeed.storage.source_changes.source_changes import identities
from clawfeed.storage.sources.sources import NewSource, SourceStore
from tests.storage.sources.polled import feed
from tests.support.clocks import NOON

HN = NewSource(type="hackernews", name="HN", config={"filter": "top", "min_score": 0})


async def test_a_source_comes_back_as_it_was_stored(database: Database) -> None:
    store = SourceStore(database)

    source = await store.add(HN, now=NOON)

    assert await store.get(source.id) == source
    assert (source.name, source.type, dict(source.config)) == (HN.name, HN.type, dict(HN.config))
    assert source.is_active
    assert await store.list() == [source]


async def test_the_same_type_and_config_is_refused_with_the_one_there_is(
    database: Database,
) -> None:
    """(S001-17), whatever the order of the keys or the name."""
    store = SourceStore(database)
    first = await store.add(HN, now=NOON)
    twin = NewSource(type="hackernews", name="Other", config={"min_score": 0, "filter": "top"})

    with pytest.raises(AlreadyExistsError, match=f"source {first.id} .HN. is the same"):
        await store.add(twin, now=NOON)

    assert await store.find_twin([twin.identity], None) == first


async def test_the_same_thing_under_an_older_name_of_its_type_is_found(database: Database) -> None:
    """(S001-17): rows of an older system have those."""
    store = SourceStore(database)
    old = NewSource(type="twitter_account", name="@a", config={"handle": "@a"})
    first = await store.add(old, now=NOON)

    new = NewSource(type="twitter_feed", name="a", config={"handle": "a"})

    assert await store.find_twin(identities(new, BUILT_IN), None) == first


async def test_an_unknown_source_is_not_found(database: Database) -> None:
    with pytest.raises(NotFoundError, match="no source 404"):
        await SourceStore(database).get(SourceId(404))


async def test_many_are_added_at_once_and_what_is_there_is_left_out(database: Database) -> None:
    store = SourceStore(database)
    await store.add(feed(0), now=NOON)
    new = [feed(number) for number in range(700)]

    ids = await store.add_many([*new, feed(1)], now=NOON)

    assert set(ids) == {each.identity for each in new[1:]}
    assert len(await store.list()) == 700
    assert dict((await store.get(ids[new[7].identity])).config) == new[7].config
