"""Whether a story is news to its readers, and the sentence that says what is new."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, assert_never

from clawfeed.digest.selection.news_outlets import publisher_of
from clawfeed.digest.stories.facts import facts_of, mentioned_in
from clawfeed.digest.stories.terms import LONGEST_LEAD
from clawfeed.digest.summaries.sentences import split_sentences
from clawfeed.domain.editions.digest import WhatChanged
from clawfeed.domain.editions.edition_item import EditionItem
from clawfeed.domain.editions.story import (
    AlreadyTold,
    ChangedStory,
    ItemText,
    News,
    NewStory,
    Story,
    Telling,
    compare_with_told,
)
from clawfeed.domain.editions.story_facts import (
    StoryFacts,
    ToldFacts,
    fingerprint_of,
    read_fingerprint,
)
from clawfeed.sources.documents.text_cleaning import clean_text, shorten

# What readers may be taken to have been told of one item, and where a new sentence is looked for.
LONGEST_TOLD: Final = 1_500
# Of a story that everybody tells, so many tellings hold everything there is to know.
MOST_READ: Final = 40
LONGEST_SENTENCE: Final = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownStory:
    """A story its scope has seen in the last days; *last* is its last telling, None if untold."""

    story: Story
    last: Telling | None = None


def news_of(items: Sequence[EditionItem], last: Telling | None) -> News:
    """What *items* are to readers who were told *last*."""
    return compare_with_told([_report(item) for item in items], last) if last else NewStory()


def fingerprint(items: Iterable[EditionItem], last: Telling | None, now: datetime) -> str:
    """What an edition that tells *items* has told, with all it told before. Opaque to callers."""
    facts, publishers, newest = StoryFacts(), frozenset[str](), None
    if last and (told := read_fingerprint(last.fingerprint)):
        facts, publishers, newest = told.facts, told.publishers, told.newest_at
    for item in list(items)[:MOST_READ]:
        facts |= mentioned_in(f"{item.title}\n{clean_text(item.content, LONGEST_TOLD)}")
        publishers |= {publisher_of(item)}
        # A clock that is ahead must not make tomorrow's news old.
        at = min(item.at, now)
        newest = max(newest, at) if newest else at
    return fingerprint_of(ToldFacts(facts=facts, publishers=publishers, newest_at=newest or now))


def what_changed(items: Sequence[EditionItem], news: News) -> WhatChanged | None:
    """What was told last, and one sentence of the sources with what is new; None if not changed."""
    match news:
        case NewStory() | AlreadyTold():
            return None
        case ChangedStory(last=last, new=new):
            sentence = _new_sentence(items, new)
            return WhatChanged(told_at=last.told_at, headline=last.headline, news=sentence)
        case _:
            assert_never(news)


def new_items_first(items: Sequence[EditionItem], last: Telling) -> list[EditionItem]:
    """Those that can have news before those that cannot; else in the order they came."""
    told = read_fingerprint(last.fingerprint)
    return sorted(items, key=lambda item: told is not None and item.at <= told.newest_at)


def _report(item: EditionItem) -> ItemText:
    return ItemText(
        publisher=publisher_of(item),
        at=item.at,
        headline=facts_of(item.title),
        lead=facts_of(clean_text(item.content, LONGEST_LEAD)),
    )


def _new_sentence(items: Sequence[EditionItem], new: StoryFacts) -> str:
    """The first that states most of what is new; items that can have news come first."""
    sentences = [sentence for item in items[:MOST_READ] for sentence in _sentences(item)]
    return max(sentences, key=lambda each: _count_new(each, new), default="")


def _sentences(item: EditionItem) -> list[str]:
    found = split_sentences(clean_text(item.content, LONGEST_TOLD))
    return [shorten(sentence, LONGEST_SENTENCE) for sentence in [*found, item.title]]


def _count_new(sentence: str, new: StoryFacts) -> int:
    said = facts_of(sentence)
    return len(said.numbers & new.numbers) + len(said.names & new.names)
