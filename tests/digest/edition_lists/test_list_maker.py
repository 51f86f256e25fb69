"""Which items an edition's list is made of."""

from __future__ import annotations

from datetime import timedelta

from clawfeed.digest.edition_config import EditionConfig
from clawfeed.digest.edition_lists.list_maker import EditionListMaker
from clawfeed.storage.database import Database
from clawfeed.storage.editions.editions import EditionStore
from clawfeed.storage.sources.subscriptions import DefaultContent
from tests.support.clocks import NOON
from tests.support.editions import NEW
from tests.support.items import add_item, add_source

MOMENT = timedelta(seconds=1)


async def test_the_list_is_of_the_periods_items_and_no_others(database: Database) -> None:
    """(S002-4): from its first moment until just before its end."""
    moments = {
        "Orchestra names a conductor from its own ranks": NEW.covers_from - MOMENT,
        "Ferry strike stops all traffic to the islands": NEW.covers_from,
        "Glacier lake drains overnight and floods a valley": NEW.covers_until - MOMENT,
        "Museum returns sixty bronzes to their makers' heirs": NEW.covers_until,
    }
    for number, (title, at) in enumerate(moments.items()):
        await add_item(database, await add_source(database, f"s{number}"), title, at=at)
    task = await EditionStore(database).get_or_add(NEW, now=NOON)

    found = await EditionListMaker(database, EditionConfig()).fetch(task)

    assert {story.title for story in found.stories} == set(list(moments)[1:3])
    assert (found.items, found.sources) == (2, 2)


async def test_everybodys_edition_is_made_of_the_default_content(database: Database) -> None:
    """(S001-15): here of one source; others are public, too, and not in it."""
    default, other = [await add_source(database, name) for name in ("a", "b")]
    wanted = "Ferry strike stops all traffic to the islands"
    await add_item(database, default, wanted, at=NOON - MOMENT)
    await add_item(database, other, "Orchestra names a conductor", at=NOON - MOMENT)
    task = await EditionStore(database).get_or_add(NEW, now=NOON)
    config = EditionConfig(default_content=DefaultContent(source_id=default))

    found = await EditionListMaker(database, config).fetch(task)

    assert [story.title for story in found.stories] == [wanted]
