"""A finished edition: what it tells, in its order, and why. Stored as it is, rendered when read."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.editions.selection import DropReason, Score
from clawfeed.domain.ids import ItemId, SourceId, StoryId


class WordsBy(StrEnum):
    """Who put a story into words. Stored and shown."""

    MODEL = "model"
    LEAD = "lead"  # its sources: the best one's lead, and what another adds
    TELLINGS = "tellings"  # the shorter editions that told it before


class Section(StrEnum):
    """Where in an edition a story stands; sections come in this order. Stored and shown."""

    TOP = "top"  # told by many
    INTEREST = "interest"  # what the reader asked for
    DEVELOPING = "developing"  # told before, and there is more now
    COMMUNITY = "community"  # what lists and people are talking about
    NOTEWORTHY = "noteworthy"  # told by few, and worth it


@dataclass(frozen=True, slots=True, kw_only=True)
class StorySource:
    """Where a story was told. *number* is what `[n]` points to: from 1, within its story.

    Nothing in it comes from a model. An item that is gone leaves *item_id* None. Where its source
    gives no date, it is not *is_dated*, and *published_at* is when we first saw it.
    """

    number: int
    source_name: str
    publisher: str
    title: str
    published_at: datetime
    url: str | None = None
    item_id: ItemId | None = None
    source_id: SourceId | None = None
    is_dated: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """Plain text, and the numbers of the sources that say so."""

    text: str
    cites: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryWords:
    """A headline and two or three sentences, plain text in *language*.

    *ungrounded* counts what a model said that its sources do not, and that was taken out.
    """

    headline: str
    sentences: tuple[Sentence, ...]
    by: WordsBy
    language: str
    ungrounded: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryReason:
    """Why a story is in: the parts of its score, and what stands behind them.

    *loud_at* names the source where it stood out; *interests* are the reader's words it met;
    *days_told* counts the shorter editions that told it.
    """

    score: Score
    publishers: int = 1
    loud_at: str = ""
    interests: tuple[str, ...] = ()
    days_told: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatChanged:
    """What these readers were told last, and what is new since (one sentence of the sources)."""

    told_at: datetime
    headline: str
    news: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestStory:
    story_id: StoryId
    section: Section
    words: StoryWords
    sources: tuple[StorySource, ...]
    reason: StoryReason
    first_seen_at: datetime
    what_changed: WhatChanged | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOutStory:
    """One of the best that are not in, and why not."""

    headline: str
    because: DropReason
    score: float
    story_id: StoryId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestNumbers:
    """From *items* of *sources*: *stories*, read in *minutes*. *ungrounded* as in `StoryWords`."""

    items: int
    sources: int
    stories: int
    minutes: int
    ungrounded: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelUse:
    """What a model's words cost: *remembered* answers were paid for before, by any edition."""

    model: str
    calls: int = 0
    remembered: int = 0
    tokens: int = 0
    cost_micros: int = 0  # millionths of the currency that prices are in


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestContent:
    """One edition, whole. *summary* is about three lines of plain text."""

    type: EditionType
    period: str
    covers_from: datetime
    covers_until: datetime
    made_at: datetime
    language: str
    zone: str
    title: str
    summary: tuple[str, ...]
    numbers: DigestNumbers
    stories: tuple[DigestStory, ...]
    left_out: tuple[LeftOutStory, ...] = ()
    left_out_counts: dict[DropReason, int] = field(default_factory=dict)
    model: ModelUse | None = None
