"""The list of an edition made from items: chosen, explained and ready to be stored (S002-4)."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from clawfeed.digest.edition_config import EditionConfig
from clawfeed.digest.edition_lists.audience import Audience, audience_of
from clawfeed.digest.edition_lists.rollup_list import LastingListMaker
from clawfeed.digest.selection.omitted_stories import left_out
from clawfeed.digest.selection.selection import (
    KNOWN_FOR,
    SelectionInput,
    StoryVerdict,
    select_edition,
    select_for_each,
)
from clawfeed.digest.selection.story_novelty import KnownStory
from clawfeed.digest.summaries.plain_text import plain_text
from clawfeed.digest.writer_interface import SourceText, StoryMaterial
from clawfeed.domain.editions.digest import StorySource
from clawfeed.domain.editions.edition import EditionTask, NewTask
from clawfeed.domain.editions.edition_item import EditionItem
from clawfeed.domain.editions.edition_list import ChosenStory, EditionList, ListedStory
from clawfeed.domain.editions.edition_scope import MADE_FROM
from clawfeed.domain.editions.interests import ReaderInterests
from clawfeed.domain.ids import ItemId, JsonValue, SourceId, StoryId
from clawfeed.storage.database import Database
from clawfeed.storage.editions.edition_items import (
    EditionItemQuery,
    read_edition_items,
    read_signals,
)
from clawfeed.storage.editions.edition_json import to_text
from clawfeed.storage.editions.stories import known_stories, last_tellings

# Beyond this a day is a flood, and its newest part is enough to choose from.
MOST_ITEMS = 20_000
# What a source's numbers are measured by.
USUAL_SPAN = timedelta(days=14)
# Feeds show an entry hours after the date it bears; what is older than this is no news.
NEWS_AGE_LIMIT = timedelta(hours=36)
# Who tells a story is listed up to here, and read up to here.
MOST_SOURCES, MOST_TEXTS, LONGEST_TEXT = 12, 5, 4_000
# The same source again and again is no longer list of witnesses.
MOST_OF_SOURCE = 2


class EditionListMaker:
    """Lists of editions of every type: from items, or from shorter editions."""

    def __init__(self, database: Database, config: EditionConfig) -> None:
        self._items = ItemListMaker(database, config)
        self._lasting = LastingListMaker(database, config)

    async def fetch(self, task: EditionTask) -> EditionList:
        maker = self._lasting if task.type in MADE_FROM else self._items
        return await maker.fetch(task)


class ItemListMaker:
    """Lists of editions that are made from items."""

    def __init__(self, database: Database, config: EditionConfig) -> None:
        self._db, self._config = database, config

    async def fetch(self, task: EditionTask) -> EditionList:
        """Choose among what the scope's sources brought in the time the edition covers."""
        audience = await audience_of(self._db, task, self._config)
        verdicts, items = await self.select(task, audience)
        return listed(verdicts, items, task)

    async def select(
        self, wanted: NewTask, audience: Audience
    ) -> tuple[list[StoryVerdict], list[EditionItem]]:
        """Every story of the time *wanted* covers with its verdict, and the items they are of."""
        given = await self._given(wanted, audience, told_before=None)
        return await asyncio.to_thread(select_edition, given), list(given.items)

    async def select_twice(
        self, wanted: NewTask, audience: Audience, tried: ReaderInterests, told_before: datetime
    ) -> tuple[SelectionInput, list[StoryVerdict], list[StoryVerdict]]:
        """What is chosen for *audience*, and what would be if *tried* were its interests.

        What was told from *told_before* on is chosen from again.
        """
        given = await self._given(wanted, audience, told_before=told_before)
        now, then = await asyncio.to_thread(select_for_each, given, (given.interests, tried))
        return given, now, then

    async def _given(
        self, wanted: NewTask, audience: Audience, *, told_before: datetime | None
    ) -> SelectionInput:
        return SelectionInput(
            items=await self._items(wanted, audience),
            usual=await self._usual(wanted, audience),
            known=await self._known(wanted, told_before),
            interests=audience.interests,
            now=wanted.covers_until,
        )

    async def _items(self, task: NewTask, audience: Audience) -> list[EditionItem]:
        return await read_edition_items(
            self._db,
            EditionItemQuery(
                sources=audience.sources,
                reader=audience.viewer,
                since=task.covers_from,
                until=task.covers_until,
                not_before=task.covers_from - NEWS_AGE_LIMIT,
                limit=MOST_ITEMS,
            ),
        )

    async def _usual(self, task: NewTask, audience: Audience) -> list[EditionItem]:
        rows = await read_signals(
            self._db, audience.sources, since=task.covers_until - USUAL_SPAN, limit=MOST_ITEMS
        )
        return [_bare_item(*row, task.covers_from) for row in rows]

    async def _known(self, task: NewTask, told_before: datetime | None) -> list[KnownStory]:
        since = task.covers_until - KNOWN_FOR
        stories = await known_stories(self._db, task.scope, since=since)
        ids = [story.id for story in stories]
        told = await last_tellings(self._db, ids, task.type, before=told_before)
        return [KnownStory(story=story, last=told.get(story.id)) for story in stories]


def listed(
    verdicts: Sequence[StoryVerdict], items: Sequence[EditionItem], task: EditionTask
) -> EditionList:
    """The chosen in their order, then the best of the rest; of all others only their number."""
    chosen = [story for story in verdicts if story.dropped is None]
    rest = left_out(verdicts)
    return EditionList(
        stories=_each_once([_listed(story, task) for story in [*chosen, *rest.best]]),
        items=len(items),
        sources=len({item.source_id for item in items}),
        left_out=rest.counts,
    )


def _listed(story: StoryVerdict, task: EditionTask) -> ListedStory:
    moments = [item.at for item in story.items]
    is_chosen = story.dropped is None
    return ListedStory(
        title=story.title,
        lead=story.lead,
        first_seen_at=min(moments),
        last_seen_at=min(max(moments), task.covers_until),
        score=story.verdict.score,
        items=tuple(item.id for item in story.items),
        known=story.known.story.id if story.known else None,
        chosen=_chosen(story, task) if is_chosen else None,
        dropped=story.dropped,
    )


def _chosen(story: StoryVerdict, task: EditionTask) -> ChosenStory:
    changed = story.what_changed
    material = StoryMaterial(
        story_id=StoryId(story.known.story.id if story.known else 0),
        texts=tuple(
            SourceText(
                source=_source(number, item),
                text=plain_text(item.content, LONGEST_TEXT) if number <= MOST_TEXTS else "",
            )
            for number, item in enumerate(_witnesses(story.items)[:MOST_SOURCES], 1)
        ),
        language=task.language,
    )
    return ChosenStory(
        section=story.section,
        reason=story.reason,
        material=to_text(material),
        fingerprint=story.fingerprint,
        what_changed=changed,
    )


def _witnesses(items: Sequence[EditionItem]) -> list[EditionItem]:
    """Of items with one address the first: a list that points to an article is no second source.

    Of one source a few.
    """
    by_place = {item.url or f"item {item.id}": item for item in reversed(items)}
    heard: Counter[SourceId] = Counter()
    found = []
    for item in items:
        if by_place[item.url or f"item {item.id}"] is item:
            heard[item.source_id] += 1
            if heard[item.source_id] <= MOST_OF_SOURCE:
                found.append(item)
    return found


def _source(number: int, item: EditionItem) -> StorySource:
    return StorySource(
        number=number,
        source_name=item.source_name,
        publisher=item.publisher,
        title=item.title,
        published_at=item.at,
        url=item.url,
        item_id=item.id,
        source_id=item.source_id,
        is_dated=item.published_at is not None,
    )


def _each_once(stories: Sequence[ListedStory]) -> tuple[ListedStory, ...]:
    """Two that continue one story cannot both be it: the second begins a story of its own."""
    seen: set[StoryId] = set()
    found: list[ListedStory] = []
    for story in stories:
        is_taken = story.known is not None and story.known in seen
        found.append(replace(story, known=None) if is_taken else story)
        if story.known is not None:
            seen.add(story.known)
    return tuple(found)


def _bare_item(
    item_id: ItemId, source_id: SourceId, metadata: Mapping[str, JsonValue], at: datetime
) -> EditionItem:
    """An item of which only its numbers count."""
    return EditionItem(
        id=item_id,
        source_id=source_id,
        source_name="",
        source_type="",
        publisher="",
        title="",
        url=None,
        author=None,
        content="",
        published_at=None,
        fetched_at=at,
        metadata=metadata,
    )
