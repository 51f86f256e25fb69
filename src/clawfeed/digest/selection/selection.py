"""From the items of a period to the stories worth telling, each with its reasons."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final

from clawfeed.digest.selection.interest_match import InterestMatch, InterestMatcher, StoryWording
from clawfeed.digest.selection.news_outlets import publisher_of
from clawfeed.digest.selection.popularity import UsualSignals, signal_of
from clawfeed.digest.selection.story_novelty import (
    KnownStory,
    fingerprint,
    new_items_first,
    news_of,
    what_changed,
)
from clawfeed.digest.stories.grouping import StoryText, group_stories
from clawfeed.digest.stories.terms import LONGEST_LEAD
from clawfeed.domain.editions.digest import Section, StoryReason, WhatChanged
from clawfeed.domain.editions.edition_item import EditionItem
from clawfeed.domain.editions.interests import ReaderInterests
from clawfeed.domain.editions.selection import (
    TOLD_BY_MANY,
    Candidate,
    DropReason,
    SelectionResult,
    StoryItem,
    choose,
)
from clawfeed.domain.editions.story import AlreadyTold, ChangedStory, News
from clawfeed.domain.ids import ItemId, SourceId
from clawfeed.sources.documents.text_cleaning import clean_text

# A story that comes back within this time is the one its readers know.
KNOWN_FOR: Final = timedelta(days=7)
# Louder than three quarters of what its source brings: worth saying.
POPULAR_FROM: Final = 0.75
# Who has this much to say has all it takes to tell a story well.
LONGEST_COMPARED: Final = 2_000
# A muted word anywhere in what may be put into words is one too many.
LONGEST_READ: Final = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionInput:
    """All that decides an edition.

    *usual* are older items too: what a source's numbers are measured by. *known* are the stories
    this scope has seen in the last days, told or not.
    """

    items: Sequence[EditionItem]
    usual: Sequence[EditionItem] = ()
    known: Sequence[KnownStory] = ()
    interests: ReaderInterests = field(default_factory=ReaderInterests)
    now: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryVerdict:
    """A story with its items, the one that tells it best first, and what became of it.

    *known* is the story it continues. *fingerprint* goes with its telling, if it is told.
    """

    items: tuple[EditionItem, ...]
    verdict: SelectionResult
    known: KnownStory | None
    news: News
    reason: StoryReason
    section: Section
    fingerprint: str
    what_changed: WhatChanged | None
    title: str
    lead: str

    @property
    def dropped(self) -> DropReason | None:
        """Why it is not in the edition; None if it is."""
        return self.verdict.dropped


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """A story on its way to a verdict."""

    items: tuple[EditionItem, ...]
    known: KnownStory | None
    news: News
    match: InterestMatch


def select_edition(given: SelectionInput) -> list[StoryVerdict]:
    """Every story of the items with its verdict, the best first.

    CPU-bound: call it away from the event loop. The same input gives the same verdicts, in
    whatever order the items come.
    """
    [verdicts] = select_for_each(given, (given.interests,))
    return verdicts


def select_for_each(
    given: SelectionInput, readers: Iterable[ReaderInterests]
) -> list[list[StoryVerdict]]:
    """The same for each of *readers* instead of the given interests.

    Which items tell the same story is most of the work, and is found once.
    """
    loud = UsualSignals(_signals([*given.usual, *given.items]))
    grouped = _stories(given)
    return [_select(given, reader, grouped, loud) for reader in readers]


def _select(
    given: SelectionInput,
    reader: ReaderInterests,
    grouped: Sequence[tuple[list[EditionItem], KnownStory | None]],
    loud: UsualSignals,
) -> list[StoryVerdict]:
    matcher = InterestMatcher(reader, (item.title for item in given.items))
    stories = [_found(*story, matcher) for story in grouped]
    by_first = {min(item.id for item in story.items): story for story in stories}
    return [
        _story_verdict(by_first[min(t.item_id for t in verdict.candidate.items)], verdict, given)
        for verdict in choose((_candidate(story, loud) for story in stories), given.now)
    ]


def _signals(items: Sequence[EditionItem]) -> Mapping[SourceId, Sequence[float]]:
    found: dict[SourceId, dict[ItemId, float]] = defaultdict(dict)
    for item in items:
        signal = signal_of(item.metadata)
        if signal is not None:
            found[item.source_id][item.id] = signal
    return {source: list(signals.values()) for source, signals in found.items()}


def _stories(given: SelectionInput) -> list[tuple[list[EditionItem], KnownStory | None]]:
    """The items of each story, and which known story it continues.

    Known stories are grouped as if they were items. Of two in one group the most recently told
    goes on.
    """
    texts = [*(_text(item) for item in given.items), *(_known_text(each) for each in given.known)]
    found = []
    for numbers in group_stories(texts):
        items = [given.items[n] for n in numbers if n < len(given.items)]
        known = [given.known[n - len(given.items)] for n in numbers if n >= len(given.items)]
        if items:
            found.append((items, max(known, key=_how_recent, default=None)))
    return found


def _text(item: EditionItem) -> StoryText:
    lead = clean_text(item.content, LONGEST_LEAD)
    return StoryText(title=item.title, lead=lead, at=item.at)


def _known_text(known: KnownStory) -> StoryText:
    story = known.story
    return StoryText(
        title=story.title,
        lead=story.lead[:LONGEST_LEAD],
        at=story.last_seen_at,
        window=KNOWN_FOR,
        is_known=True,
    )


def _how_recent(known: KnownStory) -> tuple[datetime, datetime, int]:
    told_at = known.last.told_at if known.last else datetime.min.replace(tzinfo=UTC)
    return told_at, known.story.last_seen_at, -known.story.id


def _found(items: list[EditionItem], known: KnownStory | None, matcher: InterestMatcher) -> _Found:
    """Who has most to say about it first, then the earliest; where there is news, that first."""
    ordered = sorted(items, key=lambda item: (-min(len(item.content), LONGEST_COMPARED), item.id))
    news = news_of(ordered, known.last if known else None)
    if isinstance(news, ChangedStory):
        ordered = new_items_first(ordered, news.last)
    return _Found(items=tuple(ordered), known=known, news=news, match=_match(ordered, matcher))


def _match(items: Sequence[EditionItem], matcher: InterestMatcher) -> InterestMatch:
    if matcher.is_idle:
        return InterestMatch()
    return matcher.match(
        [
            StoryWording(
                title=item.title,
                lead=clean_text(item.content, LONGEST_LEAD),
                text=clean_text(item.content, LONGEST_READ),
            )
            for item in items
        ]
    )


def _candidate(story: _Found, loud: UsualSignals) -> Candidate:
    return Candidate(
        items=tuple(
            StoryItem(
                item_id=item.id,
                source_id=item.source_id,
                publisher=publisher_of(item),
                at=item.at,
                signal=loud.loudness(item.source_id, signal_of(item.metadata)),
            )
            for item in story.items
        ),
        interest=story.match.score,
        is_muted=story.match.is_muted,
        is_old_news=isinstance(story.news, AlreadyTold),
    )


def _story_verdict(story: _Found, verdict: SelectionResult, given: SelectionInput) -> StoryVerdict:
    by_id = {item.id: item for item in story.items}
    items = tuple(by_id[item.item_id] for item in verdict.candidate.items)
    last = story.known.last if story.known else None
    reason = _reason(story, verdict, by_id)
    return StoryVerdict(
        items=items,
        verdict=verdict,
        known=story.known,
        news=story.news,
        reason=reason,
        section=_section(story, reason, items[0]),
        fingerprint=fingerprint(items, last, given.now) if verdict.dropped is None else "",
        what_changed=what_changed(items, story.news),
        title=items[0].title,
        lead=clean_text(items[0].content, LONGEST_LEAD),
    )


def _reason(
    story: _Found, verdict: SelectionResult, by_id: Mapping[ItemId, EditionItem]
) -> StoryReason:
    items = verdict.candidate.items
    loudest = max(items, key=lambda item: item.signal or 0.0)
    is_loud = (loudest.signal or 0.0) >= POPULAR_FROM
    return StoryReason(
        score=verdict.score,
        publishers=len({item.publisher for item in items}),
        loud_at=by_id[loudest.item_id].source_name if is_loud else "",
        interests=story.match.names,
    )


def _section(story: _Found, reason: StoryReason, first: EditionItem) -> Section:
    """The first that fits, in the order sections come in."""
    if reason.publishers >= TOLD_BY_MANY:
        return Section.TOP
    if reason.interests:
        return Section.INTEREST
    if isinstance(story.news, ChangedStory):
        return Section.DEVELOPING
    return Section.COMMUNITY if signal_of(first.metadata) is not None else Section.NOTEWORTHY
