"""What a source knows of its items."""

from __future__ import annotations

from clawfeed.domain.sources.item import Draft
from clawfeed.domain.sources.source import Fetched
from clawfeed.storage.database import Database, execute
from clawfeed.storage.items.source_items import known_keys
from clawfeed.storage.sources.sources import SourceStore
from tests.storage.sources.polled import feed, poll
from tests.support.clocks import NOON


async def test_known_keys_outlive_their_items(database: Database) -> None:
    """(settled 5): `source check` says "known" for what a poll would not store again."""
    source = await SourceStore(database).add(feed(1), now=NOON)
    drafts = tuple(Draft(title=str(n), url=f"https://1.example/{n}") for n in range(3))
    await poll(database, source.id, Fetched(drafts=drafts[:2]))
    await execute(database, "DELETE FROM raw_items")
    keys = [f"{source.id}:{draft.url}" for draft in drafts]

    known = await known_keys(database, source.id, [*keys, *map(str, range(600))])

    assert known == set(keys[:2])
    assert await known_keys(database, source.id, []) == set()
