"""What lasted: the stories of a week from its dailies, of a month from its weeklies."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from clawfeed.digest.selection.interest_match import InterestMatcher, StoryWording
from clawfeed.digest.selection.news_outlets import house_of
from clawfeed.domain.editions.digest import DigestContent, DigestStory, Section, StoryReason
from clawfeed.domain.editions.interests import ReaderInterests
from clawfeed.domain.editions.selection import (
    MOST_PER_SOURCE,
    MOST_STORIES,
    TOLD_BY_MANY,
    DropReason,
    Score,
)
from clawfeed.domain.ids import StoryId

# Whoever was told once was loud for a day, unless so many publishers told it.
WELL_CORROBORATED: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class LastingStory:
    """A story as the shorter editions told it, the oldest telling first, and what became of it."""

    story_id: StoryId
    tellings: tuple[DigestStory, ...]
    section: Section
    reason: StoryReason
    dropped: DropReason | None = None

    @property
    def last(self) -> DigestStory:
        return self.tellings[-1]


def select_lasting(
    editions: Sequence[DigestContent], interests: ReaderInterests | None = None
) -> list[LastingStory]:
    """Every story of *editions* with its verdict, the best first.

    Days told go before everything, then the sum of the other parts: what lasted, not what was
    loud. Two a source, an edition's number, and who was told once must be well corroborated: a
    quiet week is short. What the reader muted meanwhile is left out. Editions may come in any
    order; CPU-bound.
    """
    ordered = sorted(editions, key=lambda edition: (edition.covers_until, edition.made_at))
    tellings: defaultdict[StoryId, list[DigestStory]] = defaultdict(list)
    for edition in ordered:
        for story in edition.stories:
            tellings[story.story_id].append(story)
    newest = {story.story_id for edition in ordered[-1:] for story in edition.stories}
    found = [_lasting(each, goes_on=story in newest) for story, each in tellings.items()]
    found.sort(key=_rank)
    return _with_verdicts(found, InterestMatcher(interests or ReaderInterests()))


def _lasting(tellings: Sequence[DigestStory], *, goes_on: bool) -> LastingStory:
    reason = _reason(tellings)
    return LastingStory(
        story_id=tellings[0].story_id,
        tellings=tuple(tellings),
        section=_section(tellings[-1], reason, goes_on=goes_on),
        reason=reason,
    )


def _reason(tellings: Sequence[DigestStory]) -> StoryReason:
    reasons = [telling.reason for telling in tellings]
    # A weekly's telling stands for the days it counted itself.
    days = sum(max(1, reason.days_told) for reason in reasons)
    publishers = max(len(_houses(tellings)), *(reason.publishers for reason in reasons))
    loudest = max(reasons, key=lambda reason: (bool(reason.loud_at), reason.score.signal))
    return StoryReason(
        score=Score(
            corroboration=math.log2(publishers),
            signal=max(reason.score.signal for reason in reasons),
            recency=0.0,
            interest=max((reason.score.interest for reason in reasons), key=abs),
            lasting=math.log2(days),
        ),
        publishers=publishers,
        loud_at=loudest.loud_at,
        interests=tuple(dict.fromkeys(name for reason in reasons for name in reason.interests)),
        days_told=days,
    )


def _houses(tellings: Iterable[DigestStory]) -> set[str]:
    return {
        house_of(source.publisher) if source.publisher else source.source_name
        for telling in tellings
        for source in telling.sources
    } or {""}


def _section(last: DigestStory, reason: StoryReason, *, goes_on: bool) -> Section:
    if reason.publishers >= TOLD_BY_MANY:
        return Section.TOP
    if reason.interests:
        return Section.INTEREST
    if goes_on and reason.days_told > 1:
        return Section.DEVELOPING
    return Section.COMMUNITY if last.section is Section.COMMUNITY else Section.NOTEWORTHY


def _rank(story: LastingStory) -> tuple[int, float, StoryId]:
    return -story.reason.days_told, -story.reason.score.total, story.story_id


def _with_verdicts(stories: Iterable[LastingStory], matcher: InterestMatcher) -> list[LastingStory]:
    told: Counter[Hashable] = Counter()
    verdicts = []
    for story in stories:
        sources = [source.source_id or source.source_name for source in story.last.sources]
        free = next((each for each in sources if told[each] < MOST_PER_SOURCE), None)
        is_full = bool(sources) and free is None
        dropped = _why_not(story, matcher, told.total(), is_source_full=is_full)
        if dropped is None:
            told[free if sources else story.story_id] += 1
        verdicts.append(replace(story, dropped=dropped))
    return verdicts


def _why_not(
    story: LastingStory, matcher: InterestMatcher, chosen: int, *, is_source_full: bool
) -> DropReason | None:
    if _is_muted(story, matcher):
        return DropReason.MUTED
    if story.reason.days_told == 1 and story.reason.publishers < WELL_CORROBORATED:
        return DropReason.BELOW_FLOOR
    if is_source_full:
        return DropReason.SOURCE_FULL
    return DropReason.EDITION_FULL if chosen >= MOST_STORIES else None


def _is_muted(story: LastingStory, matcher: InterestMatcher) -> bool:
    return matcher.match(
        [
            StoryWording(
                title=telling.words.headline,
                lead=" ".join(sentence.text for sentence in telling.words.sentences),
            )
            for telling in story.tellings
        ]
    ).is_muted
