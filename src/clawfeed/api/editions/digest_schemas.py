"""Finished editions over HTTP: the shapes that programs rely on."""

from __future__ import annotations

from datetime import datetime

from pydantic import BaseModel, ConfigDict

from clawfeed.api.http.request_fields import Input
from clawfeed.domain.editions.digest import Section, WordsBy
from clawfeed.domain.editions.edition import TaskState
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.editions.selection import DropReason


class DigestInput(Input):
    """Which of your editions; the daily one if nothing is said."""

    model_config = ConfigDict(json_schema_extra={"example": {"type": "daily"}})

    type: EditionType = EditionType.DAILY


class DigestHeadSchema(BaseModel):
    """An edition without its stories. *is_own* tells yours from everybody's."""

    id: int
    type: EditionType
    period: str
    title: str
    language: str
    is_own: bool
    created_at: datetime
    published_at: datetime | None


class DigestList(BaseModel):
    digests: list[DigestHeadSchema]
    next_cursor: str | None


class ScoreSchema(BaseModel):
    """The parts of a story's score; *total* is their sum."""

    total: float
    corroboration: float
    signal: float
    recency: float
    interest: float
    lasting: float


class SentenceSchema(BaseModel):
    """*cites* are numbers of the story's sources."""

    text: str
    cites: list[int]


class StorySourceSchema(BaseModel):
    number: int
    name: str
    publisher: str
    title: str
    url: str | None
    published_at: datetime
    raw_item_id: int | None
    source_id: int | None


class WhatChangedSchema(BaseModel):
    told_at: datetime
    headline: str
    news: str


class ReasonSchema(BaseModel):
    """Why a story is in: a sentence in the edition's language, and what stands behind it."""

    because: str
    score: ScoreSchema
    publishers: int
    loud_source: str
    interests: list[str]
    days_told: int


class DigestStorySchema(BaseModel):
    """*number* counts through the edition; pages have it as `story-N`."""

    number: int
    story_id: int
    section: Section
    headline: str
    sentences: list[SentenceSchema]
    words_by: WordsBy
    language: str
    ungrounded: int
    sources: list[StorySourceSchema]
    reason: ReasonSchema
    first_seen_at: datetime
    what_changed: WhatChangedSchema | None


class LeftOutSchema(BaseModel):
    story_id: int | None
    headline: str
    dropped: DropReason
    because: str
    score: float


class DigestNumbersSchema(BaseModel):
    """From *items* of *sources*: *stories*, read in *minutes*."""

    items: int
    sources: int
    stories: int
    minutes: int
    ungrounded: int


class ModelUseSchema(BaseModel):
    """What the words cost; *cost_micros* are millionths of the currency of your prices."""

    model: str
    calls: int
    remembered: int
    tokens: int
    cost_micros: int


class DigestSchema(DigestHeadSchema):
    """One edition, whole."""

    covers_from: datetime
    covers_until: datetime
    made_at: datetime
    zone: str
    summary: list[str]
    numbers: DigestNumbersSchema
    stories: list[DigestStorySchema]
    left_out: list[LeftOutSchema]
    left_out_counts: dict[str, int]
    model: ModelUseSchema | None


class EditionTaskSchema(BaseModel):
    """How far an edition is."""

    id: int
    type: EditionType
    period: str
    state: TaskState


class MadeDigestSchema(BaseModel):
    """Your edition of now. Without a *digest* it is still in the making: ask again."""

    task: EditionTaskSchema
    digest: DigestSchema | None


class PreviewStorySchema(BaseModel):
    """A story that would be in, or why it would not."""

    headline: str
    section: Section
    score: ScoreSchema
    publishers: int
    interests: list[str]
    raw_item_ids: list[int]
    sources: list[str]
    dropped: DropReason | None


class EditionPreviewSchema(BaseModel):
    """The chosen, and the best of what is left out, with its counts by reason."""

    items: int
    sources: int
    stories: list[PreviewStorySchema]
    left_out: list[PreviewStorySchema]
    left_out_counts: dict[str, int]


class TellingSchema(BaseModel):
    digest_id: int
    told_at: datetime
    headline: str
    what_changed: str


class StoryReportSchema(BaseModel):
    """Why a story is in an edition, or why not, and when it was told before."""

    digest_id: int
    story_id: int
    headline: str
    is_in: bool
    section: Section | None
    dropped: DropReason | None
    because: str
    score: ScoreSchema | None
    first_seen_at: datetime | None
    timeline: list[TellingSchema]
