"""An edition in its reader's words and hours: what every rendering shows, before any markup.

All texts are single lines that steer nothing; a renderer only has to escape them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, tzinfo
from itertools import groupby

from clawfeed.domain.editions.digest import (
    DigestContent,
    DigestStory,
    ModelUse,
    Section,
    StorySource,
    WhatChanged,
    WordsBy,
)
from clawfeed.domain.ids import StoryId
from clawfeed.rendering.dates import age, day_and_time, period_worded, zone_named
from clawfeed.rendering.safe_text import one_line, safe_link
from clawfeed.rendering.story_reasons import reason_sentence
from clawfeed.rendering.wording import Noun, Phrase, Wording, wording_of

# Of the stories that are not in, the best so many are named; the others are counted.
MOST_LEFT_OUT = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedSource:
    """*link* is None where there is nowhere to send a reader."""

    number: int
    name: str
    title: str
    link: str | None
    published_at: datetime
    when: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceView:
    """A sentence, and the sources that say so: only such as the story has."""

    text: str
    cites: tuple[CitedSource, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryView:
    """*number* counts through the edition, from 1."""

    number: int
    story_id: StoryId
    headline: str
    sentences: tuple[SentenceView, ...]
    changed: tuple[str, ...]
    why: str
    first_seen: str  # goes behind *why*, with the space that its language has there
    sources: tuple[CitedSource, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOutView:
    """One of the best that are not in, and why, as one line; without an id there is no more."""

    line: str
    story_id: StoryId | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionView:
    name: str
    stories: tuple[StoryView, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EditionView:
    """One edition as it is read from top to bottom; *language* is what its texts are in."""

    language: str
    title: str
    facts: str
    covers: str
    summary_name: str
    summary: tuple[str, ...]
    sections: tuple[SectionView, ...]
    nothing: str
    sources_name: str
    left_out_name: str
    left_out_counts: tuple[str, ...]
    left_out: tuple[LeftOutView, ...]
    notes: tuple[str, ...]

    @property
    def left_out_lines(self) -> tuple[str, ...]:
        """How many were left out by each reason, then the best of them."""
        return (*self.left_out_counts, *(each.line for each in self.left_out))


def view_of(content: DigestContent) -> EditionView:
    """*content* in the words of its readers."""
    return _Viewer(content).edition()


def told_order(content: DigestContent) -> list[DigestStory]:
    """The stories as they are numbered: section by section, and within one as they were chosen."""
    order = list(Section)
    return sorted(content.stories, key=lambda story: order.index(story.section))


class _Viewer:
    """Knows whose edition it is: their words, their zone, and when it was made."""

    def __init__(self, content: DigestContent) -> None:
        self._content = content
        self._wording: Wording = wording_of(content.language)
        zone, self._zone_name = zone_named(content.zone)
        self._zone: tzinfo = zone
        self._year = content.made_at.astimezone(zone).year

    def edition(self) -> EditionView:
        content, wording = self._content, self._wording
        return EditionView(
            language=str(wording.language),
            title=one_line(content.title),
            facts=self._facts(),
            covers=self._covers(),
            summary_name=wording.say(Phrase.SUMMARY),
            summary=tuple(filter(None, map(one_line, content.summary))),
            sections=tuple(self._sections()),
            nothing="" if content.stories else wording.say(Phrase.NOTHING),
            sources_name=wording.say(Phrase.SOURCES),
            left_out_name=wording.say(Phrase.LEFT_OUT),
            left_out_counts=tuple(self._left_out_counts()),
            left_out=tuple(self._left_out()),
            notes=tuple(self._notes()),
        )

    def _facts(self) -> str:
        numbers, counted = self._content.numbers, self._wording.counted
        return self._wording.say(
            Phrase.FACTS,
            items=counted(Noun.ITEM, numbers.items),
            sources=counted(Noun.SOURCE, numbers.sources),
            stories=counted(Noun.STORY, numbers.stories),
            minutes=counted(Noun.MINUTE, numbers.minutes),
        )

    def _covers(self) -> str:
        content, language = self._content, self._wording.language
        return self._wording.say(
            Phrase.COVERS,
            type=self._wording.types[content.type],
            period=one_line(period_worded(content.type, content.period, language)),
            start=self._when(content.covers_from),
            end=self._when(content.covers_until),
            zone=self._zone_name,
        )

    def _when(self, moment: datetime) -> str:
        return day_and_time(moment, self._zone, self._wording.language, year=self._year)

    def _sections(self) -> Iterator[SectionView]:
        numbered = enumerate(told_order(self._content), 1)
        for section, stories in groupby(numbered, key=lambda each: each[1].section):
            told = tuple(self._story(story, number) for number, story in stories)
            yield SectionView(name=self._wording.sections[section], stories=told)

    def _story(self, story: DigestStory, number: int) -> StoryView:
        sources = tuple(map(self._source, story.sources))
        by_number = {each.number: each for each in sources}
        changed = story.what_changed
        return StoryView(
            number=number,
            story_id=story.story_id,
            headline=one_line(story.words.headline),
            sentences=tuple(
                SentenceView(
                    text=one_line(each.text),
                    cites=tuple(by_number[cite] for cite in each.cites if cite in by_number),
                )
                for each in story.words.sentences
            ),
            changed=() if changed is None else tuple(self._changed(changed)),
            why=reason_sentence(story, self._content.made_at, self._wording),
            first_seen=self._wording.say(Phrase.FIRST_SEEN, when=self._when(story.first_seen_at)),
            sources=sources,
        )

    def _source(self, source: StorySource) -> CitedSource:
        at = source.published_at
        old = age(self._content.made_at - at, self._wording.language)
        when = f"{self._when(at)} · {self._wording.say(Phrase.AGE, age=old)}"
        return CitedSource(
            number=source.number,
            name=one_line(source.source_name) or one_line(source.publisher),
            title=one_line(source.title),
            link=safe_link(source.url),
            published_at=at,
            # A date ahead of us is the source's mistake; an age of nothing would be ours. What has
            # no date may be of any age.
            when=when if source.is_dated and at <= self._content.made_at else self._when(at),
        )

    def _changed(self, changed: WhatChanged) -> Iterator[str]:
        headline = self._wording.say(Phrase.QUOTED, text=one_line(changed.headline))
        yield self._wording.say(
            Phrase.TOLD_BEFORE, when=self._when(changed.told_at), headline=headline
        )
        if news := one_line(changed.news):
            yield self._wording.say(Phrase.NEW_SINCE, news=news)

    def _left_out_counts(self) -> Iterator[str]:
        counts = self._content.left_out_counts
        for because, number in sorted(counts.items(), key=lambda each: -each[1]):
            if number:
                yield self._wording.say(
                    Phrase.LEFT_OUT_COUNT,
                    stories=self._wording.counted(Noun.STORY, number),
                    why=self._wording.dropped[because],
                )

    def _left_out(self) -> Iterator[LeftOutView]:
        for each in self._content.left_out[:MOST_LEFT_OUT]:
            line = self._wording.say(
                Phrase.LEFT_OUT_STORY,
                headline=one_line(each.headline),
                why=self._wording.dropped[each.because],
            )
            yield LeftOutView(line=line, story_id=each.story_id)

    def _notes(self) -> Iterator[str]:
        content, wording = self._content, self._wording
        if content.stories:
            yield from self._whose_words()
        if content.model is not None:
            yield from self._cost(content.model)
        if content.numbers.ungrounded:
            sentences = wording.counted(Noun.SENTENCE, content.numbers.ungrounded)
            yield wording.say(Phrase.UNGROUNDED, sentences=sentences)

    def _whose_words(self) -> Iterator[str]:
        content, wording = self._content, self._wording
        written = sum(each.words.by is WordsBy.MODEL for each in content.stories)
        others = len(content.stories) - written
        model = one_line(content.model.model) if content.model else ""
        if not written:
            yield wording.say(Phrase.BY_SOURCES)
        elif not others:
            yield wording.say(Phrase.BY_MODEL, model=model)
        else:
            yield wording.say(
                Phrase.BY_MODEL_AND_SOURCES,
                model=model,
                written=wording.counted(Noun.STORY, written),
                others=wording.counted(Noun.STORY, others),
            )

    def _cost(self, use: ModelUse) -> Iterator[str]:
        wording = self._wording
        if use.calls:
            yield wording.say(
                Phrase.MODEL_COST,
                calls=wording.counted(Noun.CALL, use.calls),
                tokens=wording.counted(Noun.TOKEN, use.tokens),
            )
        if use.remembered:
            answers = wording.counted(Noun.STORY, use.remembered)
            yield wording.say(Phrase.REMEMBERED, answers=answers)
