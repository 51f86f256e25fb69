"""What fetching the list of an edition comes to: every story considered, and what became of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from clawfeed.domain.editions.digest import Section, StoryReason, WhatChanged
from clawfeed.domain.editions.selection import DropReason, Score
from clawfeed.domain.ids import ItemId, StoryId


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenStory:
    """What a chosen story brings along to be put into words.

    *material* is JSON that only the digest workshop reads; *fingerprint* is what its telling will
    be known by.
    """

    section: Section
    reason: StoryReason
    material: str
    fingerprint: str = ""
    what_changed: WhatChanged | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedStory:
    """A story that was considered. *known* is the one it continues; *dropped* says why it is out.

    A story without *chosen* is kept to be asked about, and to be recognised tomorrow.
    """

    title: str
    lead: str
    first_seen_at: datetime
    last_seen_at: datetime
    score: Score
    items: tuple[ItemId, ...] = ()
    known: StoryId | None = None
    chosen: ChosenStory | None = None
    dropped: DropReason | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EditionList:
    """*stories* in the edition's order, the chosen first; *left_out* counts all that are out."""

    stories: tuple[ListedStory, ...]
    items: int
    sources: int
    left_out: dict[DropReason, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListNumbers:
    """What an edition was chosen from."""

    items: int
    sources: int
    left_out: dict[DropReason, int] = field(default_factory=dict)
