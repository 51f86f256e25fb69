"""What an edition would tell now, without making one: everybody's default content (S001-15)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import datetime, timedelta

from clawfeed.digest.selection import StoryVerdict, select_stories
from clawfeed.storage.database import Database
from clawfeed.storage.edition_items import EditionItemQuery, read_edition_items
from clawfeed.storage.sources import SourceStore

# Beyond this a day is a flood, and its newest part is enough to choose from.
MOST_ITEMS = 20_000
# What a source's numbers are measured by.
USUAL = timedelta(days=14)


@dataclass(frozen=True, slots=True, kw_only=True)
class EditionPreview:
    """The stories with their verdicts, the best first; of how many items, of how many sources."""

    stories: list[StoryVerdict]
    items: int
    sources: int


async def preview_edition(database: Database, *, since: datetime, now: datetime) -> EditionPreview:
    """From what public sources brought in [*since*, *now*)."""
    sources = [each.id for each in await SourceStore(database).list() if each.is_public]
    usual = await read_edition_items(
        database,
        EditionItemQuery(
            sources=sources, reader=None, since=min(since, now - USUAL), until=now, limit=MOST_ITEMS
        ),
    )
    items = [item for item in usual if item.fetched_at >= since]
    stories = await asyncio.to_thread(select_stories, items, usual, now)
    return EditionPreview(
        stories=stories, items=len(items), sources=len({item.source_id for item in items})
    )
