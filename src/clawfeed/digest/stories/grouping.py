"""Items that tell the same story, put together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from clawfeed.digest.stories.linkage import group
from clawfeed.digest.stories.similarity import similarities
from clawfeed.digest.stories.terms import Terms, terms_of

# How alike the items of one story are on average. Wrongly put together hurts more than wrongly
# kept apart: on labelled headlines B-cubed precision is .87 here, recall .83.
CUT = 0.11
# What is told again after this long is another story, or the same one's next day.
WINDOW = timedelta(hours=48)


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryText:
    """What an item says, as plain text, and when."""

    title: str
    lead: str = ""
    at: datetime


def group_stories(texts: Sequence[StoryText]) -> list[list[int]]:
    """The numbers of *texts*, one list a story; every number is in one list.

    Equal headlines within the window are one text from the start: thousands of copies cost no more
    than one. CPU-bound: call it away from the event loop.
    """
    copies = _copies(texts)
    terms = [terms for terms, _ in copies]
    alike = {
        (one, other): value
        for (one, other), value in similarities(terms).items()
        if abs(texts[copies[one][1][0]].at - texts[copies[other][1][0]].at) <= WINDOW
    }
    groups = group(len(copies), alike, CUT)
    return [sorted(number for each in found for number in copies[each][1]) for found in groups]


def _copies(texts: Sequence[StoryText]) -> list[tuple[Terms, list[int]]]:
    """Each different headline of a window with the numbers of those that have it."""
    found: dict[tuple[str, int], list[int]] = defaultdict(list)
    all_terms = [terms_of(text.title, text.lead) for text in texts]
    for number, text in enumerate(texts):
        window = int(text.at.timestamp() // WINDOW.total_seconds())
        title = all_terms[number].title or f"\0{number}"
        found[title, window].append(number)
    return [(all_terms[numbers[0]], numbers) for numbers in found.values()]
