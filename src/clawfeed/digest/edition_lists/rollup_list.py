"""The list of an edition made from shorter ones: a week from its days, a month from its weeks."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import pairwise

from clawfeed.digest.edition_config import EditionConfig
from clawfeed.digest.edition_lists.audience import audience_of
from clawfeed.digest.edition_lists.rollup_selection import LastingStory, select_lasting
from clawfeed.digest.selection.omitted_stories import left_out
from clawfeed.digest.writer_interface import SourceText, StoryMaterial
from clawfeed.domain.editions.digest import DigestContent, DigestStory, StorySource, WhatChanged
from clawfeed.domain.editions.edition import EditionTask, NewTask
from clawfeed.domain.editions.edition_list import ChosenStory, EditionList, ListedStory
from clawfeed.domain.editions.edition_scope import MADE_FROM
from clawfeed.domain.ids import StoryId
from clawfeed.storage.database import Database
from clawfeed.storage.digests.told_digests import told_digests
from clawfeed.storage.editions.edition_json import to_text


class LastingListMaker:
    """Lists of editions that are made from shorter ones of the same scope."""

    def __init__(self, database: Database, config: EditionConfig) -> None:
        self._db, self._config = database, config

    async def fetch(self, task: EditionTask) -> EditionList:
        """Choose among what the shorter editions of the time it covers have told."""
        audience = await audience_of(self._db, task, self._config)
        made_from, since, until = MADE_FROM[task.type], task.covers_from, task.covers_until
        found = await told_digests(self._db, task.scope, made_from, since=since, until=until)
        editions = [digest.content for digest in found]
        stories = await asyncio.to_thread(select_lasting, editions, audience.interests)
        return lasting_list(stories, editions, task)


def lasting_list(
    stories: Sequence[LastingStory], editions: Sequence[DigestContent], task: NewTask
) -> EditionList:
    """The chosen in their order, then the best of the rest; items and sources as they were then."""
    made_at = {
        id(story): edition for edition in editions for story in edition.stories
    }  # a telling does not know its edition
    chosen = [story for story in stories if story.dropped is None]
    rest = left_out(stories)
    return EditionList(
        stories=tuple(_listed(story, made_at, task) for story in [*chosen, *rest.best]),
        items=sum(edition.numbers.items for edition in editions),
        sources=max((edition.numbers.sources for edition in editions), default=0),
        left_out=rest.counts,
    )


def _listed(story: LastingStory, editions: dict[int, DigestContent], task: NewTask) -> ListedStory:
    words = story.last.words
    return ListedStory(
        title=words.headline,
        lead=" ".join(sentence.text for sentence in words.sentences),
        first_seen_at=min(telling.first_seen_at for telling in story.tellings),
        last_seen_at=min(editions[id(story.last)].covers_until, task.covers_until),
        score=story.reason.score,
        known=StoryId(story.story_id),
        chosen=None if story.dropped else _chosen(story, editions, task),
        dropped=story.dropped,
    )


def _chosen(story: LastingStory, editions: dict[int, DigestContent], task: NewTask) -> ChosenStory:
    texts = tuple(
        SourceText(source=_source(number, telling, editions[id(telling)]), text=_text(telling))
        for number, telling in enumerate(reversed(story.tellings), 1)
    )
    material = StoryMaterial(story_id=story.story_id, texts=texts, language=task.language)
    return ChosenStory(
        section=story.section,
        reason=story.reason,
        material=to_text(material),
        what_changed=_what_changed(story, editions),
    )


def _text(telling: DigestStory) -> str:
    return "\n".join(sentence.text for sentence in telling.words.sentences)


def _source(number: int, telling: DigestStory, edition: DigestContent) -> StorySource:
    """Where it was told that day: the first of its sources, under the headline of the day."""
    first = telling.sources[0] if telling.sources else None
    return StorySource(
        number=number,
        source_name=first.source_name if first else "",
        publisher=first.publisher if first else "",
        title=telling.words.headline,
        published_at=edition.covers_until,
        url=first.url if first else None,
        item_id=first.item_id if first else None,
        source_id=first.source_id if first else None,
    )


def _what_changed(story: LastingStory, editions: dict[int, DigestContent]) -> WhatChanged | None:
    """How the story stood before its last telling, for those that were told more than once."""
    steps = list(pairwise(story.tellings))
    if not steps:
        return None
    before, last = steps[-1]
    return WhatChanged(
        told_at=editions[id(before)].made_at,
        headline=before.words.headline,
        news=last.what_changed.news if last.what_changed else "",
    )
