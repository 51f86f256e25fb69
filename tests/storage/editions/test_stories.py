"""Stories keep their identity, and remember which edition told them."""

from __future__ import annotations

from dataclasses import replace

from clawfeed.domain.editions.story import AlreadyTold, NewStory, compare_with_told
from clawfeed.domain.ids import StoryId
from clawfeed.storage.database import Database, execute
from clawfeed.storage.editions.editions import EditionStore
from clawfeed.storage.editions.stories import last_tellings, read_timeline
from tests.support.clocks import NOON
from tests.support.editions import NEW, Rows


async def test_a_story_told_over_days_is_news_only_if_it_changed(database: Database) -> None:
    store, rows = EditionStore(database), Rows(database)
    digests = [
        await rows.digest(await store.get_or_add(replace(NEW, period=day), now=NOON))
        for day in ("2026-11-13", "2026-11-14", "2026-11-15")
    ]
    story, never_told = StoryId(await rows.story()), StoryId(await rows.story())
    # Stored out of order, and the last two in the same second.
    for digest, fingerprint, at in [(2, "c", 20.0), (0, "a", 10.0), (1, "b", 20.0)]:
        await rows.telling(story, digests[digest], fingerprint, at)

    last = (await last_tellings(database, [story, never_told, story], NEW.type)).get(story)
    timeline = await read_timeline(database, story)

    assert last is not None
    assert [telling.fingerprint for telling in timeline] == ["a", "b", "c"]
    assert last == timeline[-1]
    assert never_told not in await last_tellings(database, [never_told], NEW.type)
    assert compare_with_told([], last) == AlreadyTold(last=last)
    assert compare_with_told([], None) == NewStory()


async def test_what_a_withdrawn_digest_said_was_not_told(database: Database) -> None:
    """A reset removes the digest; its stories may be told again."""
    rows = Rows(database)
    digest = await rows.digest(await EditionStore(database).get_or_add(NEW, now=NOON))
    story = StoryId(await rows.story())
    await rows.telling(story, digest, "a", 1.0)

    await execute(database, "DELETE FROM digests")

    assert await read_timeline(database, story) == []
