"""A source's schedule, explained: its week, and the dates to come with their reasons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from clawfeed.domain import forecast
from clawfeed.domain.foresight import Worth, foresee, recall
from clawfeed.domain.interval import Interval
from clawfeed.domain.schedule import NextLook, Policy, Rhythm, is_stale, next_look

DATES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """What we believe about one source. *week* holds 168 local hours, 1 is its average."""

    text: str
    items_per_day: float
    week: tuple[float, ...]
    next_looks: tuple[NextLook, ...]
    is_stale: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Everything the scheduler would go by at the next look."""

    source_type: str
    interval: Interval
    rhythm: Rhythm
    published: Sequence[datetime]  # newest first
    next_at: datetime | None  # the date that stands; None while paused
    because: str
    now: datetime
    policy: Policy
    timezone: tzinfo
    worth: Worth
    spread: float


def look_out(question: Question) -> Outlook:
    """Explain the date that stands, and walk on from it as if nothing new came."""
    state = recall(question.rhythm.forecast, question.published, question.now)
    described = forecast.describe(state, question.timezone)
    return Outlook(
        text=described.text,
        items_per_day=round(described.rate, 2),
        week=described.week,
        next_looks=tuple(_walk(question, forecast.to_bytes(state))),
        is_stale=is_stale(question.published, question.now),
    )


def _walk(question: Question, memory: bytes) -> list[NextLook]:
    """The date that stands, then those that would follow; empty while paused."""
    looks: list[NextLook] = []
    at, because = question.next_at, question.because
    while at is not None and len(looks) < DATES:
        following = _after(question, memory, at)
        looks.append(NextLook(at=at, because=because, mode=following.mode))
        at, because = following.at, following.because
    return looks


def _after(question: Question, memory: bytes, at: datetime) -> NextLook:
    """The look that would follow one at *at*."""
    foresight = None
    if question.policy is Policy.FORECAST:
        foresight = foresee(
            memory, last_look=at, now=at, worth=question.worth, spread=question.spread
        )
    return next_look(
        source_type=question.source_type,
        interval=question.interval,
        rhythm=question.rhythm,
        dated=len(question.published),
        last_look=at,
        now=at,
        policy=question.policy,
        timezone=question.timezone,
        forecast=foresight,
    )
