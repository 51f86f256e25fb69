"""A source that nobody named is called what it calls itself, from its first poll on (S001-17)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from clawfeed.domain.ids import SourceId, UserId
from clawfeed.domain.sources.source import Fetched, NotModified
from clawfeed.sources.discovery.new_source import SourceRequest, prepare
from clawfeed.sources.registry import Fetchers
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.storage.database import Database
from clawfeed.storage.source_changes.source_changes import SourceChanges
from clawfeed.storage.sources.sources import NewSource, SourceStore
from tests.storage.polling.test_poll_results import claim_one, finish
from tests.support.api_callers import ANNA, add_people
from tests.support.clocks import NOON
from tests.support.fakes import FakeFetcher


def unnamed(name: str = "") -> NewSource:
    fetchers = Fetchers(BUILT_IN)
    fetchers.add("rss", FakeFetcher())
    config = {"url": "https://www.a.example/feed"}
    return prepare(fetchers, SourceRequest(type="rss", config=config, name=name))


async def name_of(database: Database) -> str:
    [row] = await database.read("SELECT name FROM sources")
    return str(row["name"])


async def test_the_first_title_becomes_the_name_and_later_ones_do_not(database: Database) -> None:
    await SourceStore(database).add(unnamed(), now=NOON)
    names = [await name_of(database)]

    for outcome in (
        NotModified(),
        Fetched(drafts=()),
        Fetched(drafts=(), title="The A Times"),
        Fetched(drafts=(), title="We moved!"),
    ):
        await finish(database, outcome)
        names.append(await name_of(database))

    assert names == ["a.example", "a.example", "a.example", "The A Times", "The A Times"]


@pytest.mark.parametrize("name", ["My A", "a.example"])
async def test_what_a_person_chose_stays(database: Database, name: str) -> None:
    """Also the very name that we would have made."""
    await SourceStore(database).add(unnamed(name), now=NOON)

    await finish(database, Fetched(drafts=(), title="The A Times"))

    assert await name_of(database) == name


async def test_a_name_that_is_given_while_the_first_poll_runs_stays(database: Database) -> None:
    await add_people(database)
    changes = SourceChanges(database, BUILT_IN)
    added = await changes.add(unnamed(), UserId(ANNA), most=9, now=NOON)
    claim = await claim_one(database)

    await changes.update(
        SourceId(added.row.id), UserId(ANNA), lambda _: replace(unnamed(), name="Mine"), now=NOON
    )
    await finish(database, Fetched(drafts=(), title="The A Times"), claim=claim)

    assert await name_of(database) == "Mine"
