"""A source's schedule, explained: its week, and the dates to come with their reasons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from clawfeed.domain.because import Because, Rule
from clawfeed.domain.forecast import forecast
from clawfeed.domain.forecast.forecast_memory import PollPrice, forecast_date, recall
from clawfeed.domain.forecast.usual_hours import Description
from clawfeed.domain.schedule.interval import Interval
from clawfeed.domain.schedule.schedule import NextPoll, Policy, Rhythm, is_stale, next_poll

UPCOMING_POLLS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class ForecastReport:
    """What we believe about one source."""

    described: Description
    next_polls: tuple[NextPoll, ...]
    is_stale: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ForecastQuestion:
    """Everything the scheduler would go by at the next poll."""

    source_type: str
    interval: Interval
    rhythm: Rhythm
    published: Sequence[datetime]  # newest first
    next_at: datetime | None  # the date that stands; None while paused
    because: Because | None
    now: datetime
    policy: Policy
    timezone: tzinfo  # of the scheduler's rules
    poll_price: PollPrice
    spread: float
    shown_in: tzinfo | None = None  # of who looks at the week; None: the scheduler's


def build_report(question: ForecastQuestion) -> ForecastReport:
    """Explain the date that stands, and walk on from it as if nothing new came."""
    state = recall(question.rhythm.forecast, question.published, question.now)
    return ForecastReport(
        described=forecast.describe(state, question.shown_in or question.timezone),
        next_polls=tuple(_walk(question, forecast.to_bytes(state))),
        is_stale=is_stale(
            question.published, question.now, last_article_at=question.rhythm.last_article_at
        ),
    )


def _walk(question: ForecastQuestion, memory: bytes) -> list[NextPoll]:
    """The date that stands, then those that would follow; empty while paused."""
    polls: list[NextPoll] = []
    at, because = question.next_at, question.because or Because(Rule.OTHER_VERSION)
    while at is not None and len(polls) < UPCOMING_POLLS:
        following = _after(question, memory, at)
        polls.append(NextPoll(at=at, because=because, mode=following.mode))
        at, because = following.at, following.because
    return polls


def _after(question: ForecastQuestion, memory: bytes, at: datetime) -> NextPoll:
    """The poll that would follow one at *at*."""
    foresight = None
    if question.policy is Policy.FORECAST:
        foresight = forecast_date(
            memory,
            last_poll=at,
            now=at,
            poll_price=question.poll_price,
            spread=question.spread,
            timezone=question.timezone,
        )
    return next_poll(
        source_type=question.source_type,
        interval=question.interval,
        rhythm=question.rhythm,
        dated=len(question.published),
        last_poll=at,
        now=at,
        policy=question.policy,
        timezone=question.timezone,
        forecast=foresight,
    )
