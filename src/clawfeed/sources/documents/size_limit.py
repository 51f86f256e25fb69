"""How much text one document may bring in all, whatever its markup grows into.

Links are made absolute: a base of 2,000 characters and 30,000 relative images made 63 MB of half a
megabyte, which the parse process sends, the collector checks and the database stores.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final, NamedTuple

from clawfeed.domain.sources.item import Draft
from clawfeed.sources.documents.html_sanitizer import words_only

# Three times the largest feed that is fetched. Honest markup grows by half at most.
MOST_CONTENT: Final = 16_000_000
# What is left of a content beyond that: enough to know what it is about.
LONGEST_LEFT: Final = 1000


class BoundedDrafts(NamedTuple):
    """The drafts in their order; *shortened* of them lost their markup and most of their words."""

    drafts: tuple[Draft, ...]
    shortened: int


def bounded(drafts: Iterable[Draft], most: int = MOST_CONTENT) -> BoundedDrafts:
    """*drafts* whose contents have *most* characters in all, and beyond that a few words each.

    The first ones keep everything; none is left out.
    """
    kept: list[Draft] = []
    total = shortened = 0
    for draft in drafts:
        if total + len(draft.content) <= most:
            total += len(draft.content)
            kept.append(draft)
        else:
            shortened += 1
            kept.append(replace(draft, content=words_only(draft.content, LONGEST_LEFT)))
    return BoundedDrafts(tuple(kept), shortened)


def warnings_of(shortened: int) -> tuple[str, ...]:
    """What to say about `BoundedDrafts.shortened`."""
    if not shortened:
        return ()
    limit = f"{MOST_CONTENT // 10**6} MB of text in one answer"
    return (f"{shortened} items were cut to a few words: more than {limit}",)
