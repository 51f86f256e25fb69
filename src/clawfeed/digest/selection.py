"""From the items of a period to the stories worth telling, each with its reasons."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from clawfeed.digest.signals import UsualSignals, signal_of
from clawfeed.digest.stories.grouping import StoryText, group_stories
from clawfeed.digest.stories.terms import LONGEST_LEAD
from clawfeed.domain.edition_item import EditionItem
from clawfeed.domain.ids import ItemId, SourceId
from clawfeed.domain.selection import Candidate, Teller, Verdict, choose
from clawfeed.sources.documents.text import clean_text


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryVerdict:
    """A story with its items, the one that tells it best first, and what became of it."""

    items: tuple[EditionItem, ...]
    verdict: Verdict

    @property
    def headline(self) -> str:
        return self.items[0].title


def select_stories(
    items: Sequence[EditionItem], usual: Sequence[EditionItem], now: datetime
) -> list[StoryVerdict]:
    """Every story of *items* with its verdict, the best first.

    *usual* are older items too: what a source's numbers are measured by. CPU-bound: call it away
    from the event loop.
    """
    loud = UsualSignals(_signals(usual))
    texts = [_text(item) for item in items]
    stories = [[items[number] for number in numbers] for numbers in group_stories(texts)]
    by_id = {item.id: item for item in items}
    return [
        StoryVerdict(items=_items_of(verdict, by_id), verdict=verdict)
        for verdict in choose((_candidate(story, loud) for story in stories), now)
    ]


def _items_of(verdict: Verdict, by_id: Mapping[ItemId, EditionItem]) -> tuple[EditionItem, ...]:
    return tuple(by_id[teller.item_id] for teller in verdict.candidate.tellers)


def _signals(items: Sequence[EditionItem]) -> Mapping[SourceId, Sequence[float]]:
    found: dict[SourceId, dict[ItemId, float]] = defaultdict(dict)
    for item in items:
        signal = signal_of(item.metadata)
        if signal is not None:
            found[item.source_id][item.id] = signal
    return {source: list(signals.values()) for source, signals in found.items()}


def _text(item: EditionItem) -> StoryText:
    lead = clean_text(item.content, LONGEST_LEAD)
    return StoryText(title=item.title, lead=lead, at=item.published_at or item.fetched_at)


def _candidate(story: Sequence[EditionItem], loud: UsualSignals) -> Candidate:
    """The items of one story as tellers: who has most to say about it first, then the earliest."""
    ordered = sorted(story, key=lambda item: (-min(len(item.content), 2_000), item.id))
    return Candidate(
        tellers=tuple(
            Teller(
                item_id=item.id,
                source_id=item.source_id,
                # Of two sources that say nothing of who they are, each speaks for itself.
                publisher=item.publisher or f"source {item.source_id}",
                at=item.published_at or item.fetched_at,
                signal=loud.loudness(item.source_id, signal_of(item.metadata)),
            )
            for item in ordered
        )
    )
