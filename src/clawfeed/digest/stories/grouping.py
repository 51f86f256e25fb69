"""Items that tell the same story, put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from clawfeed.digest.stories.clustering import group
from clawfeed.digest.stories.facts import facts_of
from clawfeed.digest.stories.similarity import similarities
from clawfeed.digest.stories.terms import folded_title, terms_of

# How alike the items of one story are on average. Wrongly put together hurts more than wrongly
# kept apart: on labelled headlines B-cubed precision is .92 here and recall .82; at .12 it is .91
# and .83 with more F1, and a day of mostly single stories would lose ten points of precision.
GROUP_LIKENESS = 0.14
# What was told before must be so much more like it, the more so where the headlines name others: a
# week of known stories holds many that only look like today's, and readers would be told that one
# goes on which does not. A toll that rises differs in its numbers, and must still be one story.
KNOWN_WEIGHT, KNOWN_OF_OTHERS = 0.7, 0.3
# What is told again after this long is another story, or the same one's next day.
WINDOW = timedelta(hours=48)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryText:
    """What an item says, as plain text, and when. *window* is for how long it stays the story.

    *is_known*: no item of today, but a story of the days before.
    """

    title: str
    lead: str = ""
    at: datetime
    window: timedelta = WINDOW
    is_known: bool = False


def group_stories(texts: Sequence[StoryText]) -> list[list[int]]:
    """The numbers of *texts*, one list a story; every number is in one list.

    The same texts make the same stories in whatever order they come. Equal headlines within the
    window are one text from the start: thousands of copies cost no more than one. CPU-bound: call
    it away from the event loop.
    """
    copies = _copies(texts)
    firsts = [texts[numbers[0]] for numbers in copies]

    def may_meet(one: int, other: int) -> bool:
        mine, yours = firsts[one], firsts[other]
        return abs(mine.at - yours.at) <= max(mine.window, yours.window)

    are_known = [all(texts[number].is_known for number in numbers) for numbers in copies]
    known = frozenset(number for number, is_known in enumerate(are_known) if is_known)
    graph = similarities((terms_of(text.title, text.lead) for text in firsts), may_meet, known)
    names = [_names(text.title) for text in firsts]
    for one, near in enumerate(graph):
        for other in near:
            if are_known[one] is not are_known[other]:
                near[other] *= _weight(names[one], names[other])
    return [
        sorted(n for each in found for n in copies[each]) for found in group(graph, GROUP_LIKENESS)
    ]


def _names(title: str) -> frozenset[str]:
    """Each word of its names: people are called by one of theirs the next day."""
    return frozenset(word for name in facts_of(title).names for word in name.split())


def _weight(names: frozenset[str], others: frozenset[str]) -> float:
    is_of_others = bool(names) and bool(others) and names.isdisjoint(others)
    return KNOWN_OF_OTHERS if is_of_others else KNOWN_WEIGHT


def _copies(texts: Sequence[StoryText]) -> list[list[int]]:
    """The numbers of each different headline of a window, in an order of their own."""
    found: dict[tuple[str, int], list[int]] = {}
    order = sorted(range(len(texts)), key=lambda n: (texts[n].at, texts[n].title, texts[n].lead))
    for number in order:
        text = texts[number]
        window = int(text.at.timestamp() // WINDOW.total_seconds())
        title = folded_title(text.title) or f"\0{number}"
        found.setdefault((title, window), []).append(number)
    return list(found.values())
