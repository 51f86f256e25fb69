"""Finished editions, made up for tests of what is done with them."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

from clawfeed.domain.editions.digest import (
    DigestContent,
    DigestNumbers,
    DigestStory,
    LeftOutStory,
    ModelUse,
    Section,
    Sentence,
    StoryReason,
    StorySource,
    StoryWords,
    WhatChanged,
    WordsBy,
)
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.editions.selection import DropReason, Score
from clawfeed.domain.ids import ItemId, SourceId, StoryId
from tests.support.clocks import NOON

HOUR = timedelta(hours=1)


def told_by(number: int, name: str, title: str, **changes: Any) -> StorySource:
    """Where a story was told, some hours before noon."""
    source = StorySource(
        number=number,
        source_name=name,
        publisher=f"{name.lower().replace(' ', '')}.example",
        title=title,
        published_at=NOON - number * HOUR,
        url=f"https://news.example/{number}",
        item_id=ItemId(number),
        source_id=SourceId(number),
    )
    return replace(source, **changes)


def a_story(
    headline: str = "Rust 1.90 is out",
    *,
    story_id: int = 1,
    section: Section = Section.TOP,
    by: WordsBy = WordsBy.LEAD,
    **changes: Any,
) -> DigestStory:
    """Told by two, cited by both of its sentences."""
    story = DigestStory(
        story_id=StoryId(story_id),
        section=section,
        words=StoryWords(
            headline=headline,
            sentences=(
                Sentence(text="The release brings a faster linker.", cites=(1,)),
                Sentence(text="Builds are a third quicker.", cites=(1, 2)),
            ),
            by=by,
            language="en",
        ),
        sources=(
            told_by(1, "Rust Blog", "Announcing Rust 1.90"),
            told_by(2, "Hacker News", "Rust 1.90"),
        ),
        reason=StoryReason(
            score=Score(corroboration=2.3, signal=0.97, recency=0.9, interest=1.0),
            publishers=5,
            loud_at="Hacker News",
            interests=("rust",),
        ),
        first_seen_at=NOON - 2 * HOUR,
    )
    return replace(story, **changes)


def an_edition(*stories: DigestStory, **changes: Any) -> DigestContent:
    """A daily edition in English, read in Berlin; of one story if none are given."""
    told = stories or (a_story(),)
    content = DigestContent(
        type=EditionType.DAILY,
        period="2026-11-15",
        covers_from=NOON - 24 * HOUR,
        covers_until=NOON,
        made_at=NOON,
        language="en",
        zone="Europe/Berlin",
        title="Rust, chips and the weather",
        summary=("Rust has a new release.", "Chips get cheaper."),
        numbers=DigestNumbers(items=312, sources=41, stories=len(told), minutes=3),
        stories=told,
        left_out=(
            LeftOutStory(headline="A quiet day", because=DropReason.BELOW_FLOOR, score=0.4),
            LeftOutStory(headline="Third of its source", because=DropReason.SOURCE_FULL, score=1.7),
        ),
        left_out_counts={DropReason.BELOW_FLOOR: 120, DropReason.SOURCE_FULL: 1},
    )
    return replace(content, **changes)


CHANGED = WhatChanged(told_at=NOON - 24 * HOUR, headline="Rust 1.90 is near", news="It is here.")
MODEL = ModelUse(model="small-words", calls=12, remembered=4, tokens=9_300)
