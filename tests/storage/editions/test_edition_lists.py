"""The list of an edition as rows: stories that keep their identity, articles, what is left out."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from clawfeed.domain.editions.edition import EditionTask, TaskState
from clawfeed.domain.editions.edition_list import EditionList, ListNumbers
from clawfeed.domain.editions.selection import DropReason
from clawfeed.domain.errors import LeaseLostError
from clawfeed.domain.ids import ItemId, StoryId
from clawfeed.storage.database import Database
from clawfeed.storage.editions.edition_claims import EditionClaims
from clawfeed.storage.editions.edition_lists import best_left_out, list_numbers, save_list
from clawfeed.storage.editions.editions import EditionStore
from clawfeed.storage.editions.stories import known_stories
from tests.support.clocks import NOON
from tests.support.edition_driving import DROPPED, HOLDER, chosen
from tests.support.editions import NEW
from tests.support.items import add_item, add_source

HOUR = timedelta(hours=1)
FOUND = EditionList(
    stories=(chosen(1), chosen(2), DROPPED),
    items=7,
    sources=3,
    left_out={DropReason.EDITION_FULL: 4},
)


async def held(database: Database) -> EditionTask:
    store = EditionStore(database)
    task = await EditionClaims(database).claim((await store.get_or_add(NEW, now=NOON)).id, HOLDER)
    assert task
    return task


async def save(database: Database, task: EditionTask, found: EditionList = FOUND) -> None:
    await database.run(lambda: save_list(task, task, found, now=NOON))


async def titles(database: Database) -> list[str]:
    rows = await database.read(
        "SELECT s.title FROM edition_articles a JOIN stories s ON s.id = a.story_id "
        "ORDER BY a.position"
    )
    return [row["title"] for row in rows]


async def test_a_list_is_stored_with_its_numbers_and_the_best_of_the_rest(
    database: Database,
) -> None:
    """(S002-4)."""
    task = await held(database)

    await save(database, task)

    assert await titles(database) == ["story 1", "story 2"]
    assert await list_numbers(database, task.id) == ListNumbers(
        items=7, sources=3, left_out={DropReason.EDITION_FULL: 4}
    )
    [left] = await best_left_out(database, task.id, 5)
    assert (left.headline, left.because) == ("left out", DropReason.EDITION_FULL)


async def test_a_list_that_is_fetched_again_replaces_the_first(database: Database) -> None:
    """(S002-4): after a reset, or a crash that nobody saw."""
    task = await held(database)
    await save(database, task)

    await save(database, task, replace(FOUND, stories=(chosen(3),)))

    assert await titles(database) == ["story 3"]


async def test_who_lost_the_task_leaves_no_trace(database: Database) -> None:
    """(S002-9)."""
    task = await held(database)
    late = replace(task, claim=task.claim - 1)

    with pytest.raises(LeaseLostError):
        await save(database, late, FOUND)

    assert await titles(database) == []
    assert await database.read("SELECT id FROM stories") == []


async def test_a_story_keeps_its_id_and_its_beginning_across_days(database: Database) -> None:
    task = await held(database)
    await save(database, task, replace(FOUND, stories=(chosen(1),)))
    [first] = await known_stories(database, task.scope, since=NOON - HOUR)
    later = replace(
        chosen(1),
        title="story 1, the next day",
        known=first.id,
        first_seen_at=NOON + HOUR,
        last_seen_at=NOON + HOUR,
    )

    await save(database, task, replace(FOUND, stories=(later,)))

    [story] = await known_stories(database, task.scope, since=NOON - HOUR)
    assert (story.id, story.title) == (first.id, "story 1, the next day")
    assert (story.first_seen_at, story.last_seen_at) == (NOON, NOON + HOUR)
    assert await known_stories(database, "another scope", since=NOON - HOUR) == []
    assert await known_stories(database, task.scope, since=NOON + 2 * HOUR) == []


async def test_a_story_of_another_scope_is_not_continued(database: Database) -> None:
    """(T18): a private headline must not come back elsewhere."""
    task = await held(database)
    foreign = replace(chosen(1), known=StoryId(999))

    await save(database, task, replace(FOUND, stories=(foreign,)))

    [story] = await known_stories(database, task.scope, since=NOON - HOUR)
    assert story.id != 999


async def test_items_that_were_removed_meanwhile_do_not_stop_the_list(database: Database) -> None:
    item = await add_item(database, await add_source(database, "a"), "x")
    task = await held(database)
    stories = (replace(chosen(1), items=(ItemId(item), ItemId(item + 1))),)

    await save(database, task, replace(FOUND, stories=stories))

    rows = await database.read("SELECT raw_item_id FROM story_items")
    assert [row["raw_item_id"] for row in rows] == [item]
    assert (await EditionStore(database).get(task.id)).state is TaskState.INIT
