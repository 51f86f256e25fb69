"""When to poll a source again, and because of which rule.

Pure arithmetic: the caller brings the clock and the dice. Three policies sit behind `next_poll`:
the interval of the contract, the rhythm of `cadence`, and a forecast the caller passes in.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, tzinfo
from enum import StrEnum
from itertools import pairwise
from typing import TypeAlias

from clawfeed.domain.because import Because, Rule
from clawfeed.domain.schedule.cadence import (
    LATEST_FOR_TYPE,
    Frequency,
    PublishHabits,
    analyse,
    frequency_of,
    next_cadence_poll,
    read_habits,
    slower,
)
from clawfeed.domain.schedule.interval import Interval
from clawfeed.domain.schedule.longest_wait import LONGEST_WAIT
from clawfeed.domain.schedule.publish_hours import ENOUGH_HISTORY, distinct_moments
from clawfeed.domain.schedule.server_hints import slow_down
from clawfeed.domain.sources.source import Hints

# A date that passed while we were polling becomes this soon, so that it is never in the past.
SHORTEST_DELAY = timedelta(seconds=1)
# Quiet for longer than all three of these is "stale": four usual gaps, three times its longest
# recent silence (a holiday is no death), and never within two days, or each weekend would alarm.
STALE_MEAN_GAPS = 4
STALE_LONGEST_GAPS = 3
STALE_NOT_BEFORE = timedelta(days=2)
# Whoever is stale is polled less often, but not for the sake of a long weekend.
SLOWED_NOT_BEFORE = timedelta(days=4)

# The learned schedule's date and its reason.
ForecastDate: TypeAlias = tuple[datetime, Because]


class Policy(StrEnum):
    """`SCHEDULER_POLICY`: who chooses the dates of sources that nobody pinned."""

    CADENCE = "cadence"  # S004 to the letter
    FORECAST = "forecast"  # the learned one
    FIXED = "fixed"  # the interval of its type


class Mode(StrEnum):
    """How a source's date is chosen (settled question 1). Stored and shown."""

    PINNED = "pinned"  # an interval somebody set, or a hot list
    FIXED = "fixed"  # its type's interval, until we know it better
    SMART = "smart"  # its own rhythm


@dataclass(frozen=True, slots=True, kw_only=True)
class Rhythm:
    """What past polls taught us about one source: its `source_stats` row as a value."""

    frequency_type: str | None = None
    cadence: str | None = None
    is_cadence_set: bool = False  # by a person: it stands until the type changes (S004-5)
    avg_publish_hour: float | None = None
    std_publish_hour: float | None = None
    last_article_at: datetime | None = None
    check_count: int = 0
    hit_count: int = 0
    fail_count: int = 0
    gone_count: int = 0  # how many of these, to the last one, were "gone for good" (410)
    is_stale: bool = False  # silent far beyond its own rhythm
    forecast: bytes | None = None  # what `forecast` learned, as stored; None before it did


@dataclass(frozen=True, slots=True, kw_only=True)
class NextPoll:
    """A date and the rule that chose it; people see both. No date: the source is paused."""

    at: datetime | None
    because: Because
    mode: Mode
    backoff_until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PollFindings:
    """What a poll turned out to bring, known only once it was compared with what is stored."""

    inserted: int
    # Of the latest items, newest first; None if nothing is new and nothing depends on them.
    published_at: tuple[datetime, ...] | None
    new: tuple[datetime | None, ...] = ()  # the dates of what was inserted
    is_overflown: bool = False  # everything the document held was new: some may have been missed
    over_quota: Because | None = None  # why some of it was not stored today

    @property
    def dates(self) -> tuple[datetime, ...]:
        return self.published_at or ()

    @property
    def dated(self) -> int:
        """How many items carry a date; enough where nobody had to count."""
        return ENOUGH_HISTORY if self.published_at is None else len(self.published_at)


@dataclass(frozen=True, slots=True, kw_only=True)
class PollDecision:
    """What follows from a poll: what we know now, and when we poll again."""

    rhythm: Rhythm
    next_poll: NextPoll
    paused_because: str | None = None


def mode_of(
    interval: Interval,
    *,
    dated: int = 0,
    policy: Policy = Policy.CADENCE,
    is_cadence_set: bool = False,
) -> Mode:
    """Who chooses the dates of a source with *dated* items that carry a date (settled 1).

    One whose cadence a person set has its rhythm from them.
    """
    if interval.is_pinned:
        return Mode.PINNED
    is_known = dated >= ENOUGH_HISTORY or is_cadence_set
    return Mode.SMART if is_known and policy is not Policy.FIXED else Mode.FIXED


def next_poll(
    *,
    source_type: str,
    interval: Interval,
    rhythm: Rhythm,
    dated: int,
    last_poll: datetime,
    now: datetime,
    policy: Policy = Policy.CADENCE,
    dice: float = 0.5,
    timezone: tzinfo = UTC,
    hints: Hints = Hints(),  # noqa: B008 -- a frozen value
    forecast: ForecastDate | None = None,
) -> NextPoll:
    """Choose the next time to poll, and say which rule chose it.

    The date is always after *now*. A pinned or fixed source's is exactly its last poll plus its
    interval (S000-20), unless that has passed. A smart one's is at most 24 hours away, and only
    there is the server heard. Policy `forecast` without a *forecast* follows the cadence, and so
    does a source whose cadence a person set.
    """
    mode = mode_of(interval, dated=dated, policy=policy, is_cadence_set=rhythm.is_cadence_set)
    if mode is not Mode.SMART:
        at = max(last_poll + interval.every, now + SHORTEST_DELAY)
        return NextPoll(at=at, because=why_every(interval, source_type), mode=mode)
    # A clock that was set back must not push the date away.
    last_poll = min(last_poll, now)
    if policy is Policy.FORECAST and forecast is not None and not rhythm.is_cadence_set:
        at, because = forecast
    else:
        at, because = next_cadence_poll(
            habits_of(rhythm), last_poll=last_poll, now=now, timezone=timezone, dice=dice
        )
    silent = _while_silent(rhythm, last_poll=last_poll, now=now, dice=dice)
    if silent and (silent[0] >= at or policy is not Policy.FORECAST):
        at, because = silent
    latest = last_poll + LONGEST_WAIT
    at = max(min(at, latest), now + SHORTEST_DELAY)
    at, because = slow_down(at, because, hints, now=now, latest=latest)
    return NextPoll(at=at, because=because, mode=mode)


def habits_of(rhythm: Rhythm) -> PublishHabits:
    """The publishing habits a stored rhythm speaks of."""
    return read_habits(
        rhythm.frequency_type, rhythm.cadence, rhythm.avg_publish_hour, rhythm.std_publish_hour
    )


def learn(rhythm: Rhythm, published: Sequence[datetime], timezone: tzinfo) -> Rhythm:
    """*rhythm* with its habits taken anew from the history (S004-5)."""
    known = habits_of(rhythm)
    habits = analyse(known, published, timezone)
    if rhythm.is_cadence_set and known.frequency is None and known.cadence:
        # Set before the first poll: the first type is no changed type.
        habits = replace(habits, cadence=known.cadence)
    return replace(
        rhythm,
        frequency_type=habits.frequency,
        cadence=habits.cadence,
        is_cadence_set=rhythm.is_cadence_set and habits.cadence == rhythm.cadence,
        avg_publish_hour=habits.hours.mean if habits.hours else None,
        std_publish_hour=habits.hours.deviation if habits.hours else None,
    )


def widen_for_silence(rhythm: Rhythm, now: datetime) -> Rhythm:
    """*rhythm* as its silence deserves, where it deserves less than its past (settled 16).

    The time since the last item counts as a gap, and as the only one. What a person set stands.
    """
    silence = _silence(rhythm, now)
    if silence is None:
        return rhythm
    known = habits_of(rhythm).frequency
    silent = slower(known or Frequency.DAILY, frequency_of(silence))
    return replace(rhythm, frequency_type=silent, cadence=silent.cadence)


def _silence(rhythm: Rhythm, now: datetime) -> timedelta | None:
    """For how long a source has been silent that is polled less often for it."""
    if not rhythm.is_stale or rhythm.is_cadence_set or rhythm.last_article_at is None:
        return None
    silence = now - rhythm.last_article_at
    return silence if silence > SLOWED_NOT_BEFORE else None


def _while_silent(
    rhythm: Rhythm, *, last_poll: datetime, now: datetime, dice: float
) -> tuple[datetime, Because] | None:
    """The date that a silent source gets, under every policy that learns; None for others."""
    silence = _silence(rhythm, now)
    if silence is None:
        return None
    habits = PublishHabits(frequency=(silent := frequency_of(silence)), cadence=silent.cadence)
    at, cadence = next_cadence_poll(habits, last_poll=last_poll, now=now, timezone=UTC, dice=dice)
    because = Because(
        Rule.SILENCE,
        {
            "silent_days": round(silence / timedelta(days=1), 1),
            "every_minutes": cadence.parameters["every_minutes"],
        },
    )
    return at, because


def is_stale(
    published: Iterable[datetime], now: datetime, *, last_article_at: datetime | None = None
) -> bool:
    """Whether the source is silent far beyond its own rhythm: perhaps it moved or died.

    Fewer than three moments are no rhythm, so nothing can be said against it. *last_article_at*
    tells of items without a date.
    """
    moments = distinct_moments(published)[:LATEST_FOR_TYPE]
    if len(moments) < ENOUGH_HISTORY:
        return False
    gaps = [later - earlier for later, earlier in pairwise(moments)]
    mean_gap = (moments[0] - moments[-1]) / len(gaps)
    usual = max(mean_gap * STALE_MEAN_GAPS, max(gaps) * STALE_LONGEST_GAPS, STALE_NOT_BEFORE)
    return now - max(moments[0], last_article_at or moments[0]) > usual


def why_every(interval: Interval, source_type: str) -> Because:
    """The reason of a date that goes by an interval."""
    minutes = interval.minutes
    match interval.rule:
        case Rule.TYPE_INTERVAL:
            return Because(interval.rule, {"minutes": minutes, "type": source_type})
        case Rule.OWN_INTERVAL:
            return Because(interval.rule, {"minutes": minutes})
        case Rule.INTERVAL_SETTING:
            return Because(interval.rule, {"minutes": minutes, "setting": interval.setting})
