"""One happening told over days: which editions told it, and whether there is news since."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

from clawfeed.domain.editions.story_facts import StoryFacts, ToldFacts, read_fingerprint
from clawfeed.domain.ids import DigestId, StoryId

# What only leads say counts when so many publishers say it: one of them may just be chattier.
INDEPENDENT_PUBLISHERS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """What one scope's readers know of one happening. It keeps its id for as long as it is told."""

    id: StoryId
    scope: str
    title: str
    lead: str
    first_seen_at: datetime
    last_seen_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """One line of a story's timeline. *fingerprint* stands for what was said, words aside."""

    story_id: StoryId
    digest_id: DigestId
    headline: str
    fingerprint: str
    told_at: datetime
    what_changed: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemText:
    """What one item says of a story: in its headline, and in its first sentences."""

    publisher: str
    at: datetime
    headline: StoryFacts
    lead: StoryFacts


@dataclass(frozen=True, slots=True, kw_only=True)
class NewStory:
    """These readers have not heard of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AlreadyTold:
    """Told, and nothing happened since: it is left out."""

    last: Telling


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedStory:
    """Told, and there is more now: the edition says what changed since *last*."""

    last: Telling
    new: StoryFacts


News: TypeAlias = NewStory | AlreadyTold | ChangedStory


def compare_with_told(reports: Sequence[ItemText], last: Telling | None) -> News:
    """Whether *reports* are news to readers whose last telling was *last*.

    1. Only what was published after everything the last telling knew of can be news.
    2. A new number or name in a headline is news. One that only leads have is news if independent
       publishers have it; other words, a rounded number and one more who copies are not.
    """
    if last is None:
        return NewStory()
    told = read_fingerprint(last.fingerprint)
    if told is None:
        return AlreadyTold(last=last)
    new = _new_facts([report for report in reports if report.at > told.newest_at], told)
    return ChangedStory(last=last, new=new) if new else AlreadyTold(last=last)


def _new_facts(newer: Sequence[ItemText], told: ToldFacts) -> StoryFacts:
    headlines = _union(report.headline for report in newer).beyond(told.facts)
    leads = _union(report.lead for report in newer).beyond(told.facts)
    return headlines | StoryFacts(
        numbers=frozenset(
            n for n in leads.numbers if _publishers_of(n, newer) >= INDEPENDENT_PUBLISHERS
        ),
        names=frozenset(
            n for n in leads.names if _publishers_of(n, newer) >= INDEPENDENT_PUBLISHERS
        ),
    )


def _union(facts: Iterable[StoryFacts]) -> StoryFacts:
    found = StoryFacts()
    for each in facts:
        found |= each
    return found


def _publishers_of(fact: str, reports: Sequence[ItemText]) -> int:
    saying = (each.headline | each.lead for each in reports)
    return len(
        {
            report.publisher
            for report, said in zip(reports, saying, strict=True)
            if fact in said.numbers or fact in said.names
        }
    )
