"""What a parse worker makes of an answer: drafts, ready to be stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from clawfeed.domain.sources.item import Draft

LONGEST_TITLE: Final = 500
LONGEST_NAME: Final = 200
# The beginning of a text, for a title of what has none.
LONGEST_LEAD: Final = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedDrafts:
    """The drafts in their document's order. *dropped* entries could not be used.

    *shortened* ones lost their markup (`size_limit`).
    """

    drafts: tuple[Draft, ...] = ()
    dropped: int = 0
    shortened: int = 0
