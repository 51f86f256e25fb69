"""Stories as writers get them, and as an edition has them."""

from __future__ import annotations

from datetime import timedelta

from clawfeed.digest.writer_interface import SourceText, StoryMaterial
from clawfeed.domain.editions.digest import (
    DigestStory,
    Section,
    Sentence,
    StoryReason,
    StorySource,
    StoryWords,
    WordsBy,
)
from clawfeed.domain.editions.selection import Score
from clawfeed.domain.ids import StoryId
from tests.support.clocks import NOON


def source_text(
    number: int, title: str, text: str = "", *, days: int = 0, url: str | None = None
) -> SourceText:
    source = StorySource(
        number=number,
        source_name=f"Paper {number}",
        publisher=f"paper{number}.example",
        title=title,
        published_at=NOON + timedelta(days=days),
        url=url,
    )
    return SourceText(source=source, text=text)


def material(*texts: SourceText, language: str = "en") -> StoryMaterial:
    return StoryMaterial(story_id=StoryId(1), texts=texts, language=language)


def told(
    headline: str,
    *sentences: str,
    section: Section = Section.TOP,
    worth: float = 1.0,
    titles: tuple[str, ...] = (),
) -> DigestStory:
    return DigestStory(
        story_id=StoryId(1),
        section=section,
        words=StoryWords(
            headline=headline,
            sentences=tuple(Sentence(text=text, cites=(1,)) for text in sentences),
            by=WordsBy.LEAD,
            language="en",
        ),
        sources=tuple(
            source_text(number, title).source for number, title in enumerate((headline, *titles), 1)
        ),
        reason=StoryReason(score=Score(corroboration=worth, signal=0, recency=0, interest=0)),
        first_seen_at=NOON,
    )
