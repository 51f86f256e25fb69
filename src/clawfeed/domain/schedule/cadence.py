"""The contract's rhythm (S004): how often a source publishes, at which hour, and so when to poll.

Works on publish times alone. Which sources follow it is the business of `schedule`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from enum import StrEnum

from clawfeed.domain.because import Because, Rule
from clawfeed.domain.schedule.longest_wait import LONGEST_WAIT
from clawfeed.domain.schedule.publish_hours import (
    ENOUGH_HISTORY,
    PublishHours,
    distinct_moments,
    next_time,
    publish_hours,
    read_hours,
)

LATEST_FOR_TYPE = 20
MANY_IN_ONE_DAY = 5
POLLS_PER_ANALYSIS = 10
# A newcomer's history is short, so each of its first hits may change the picture (S004-5).
NEWCOMER_POLLS = 3
SHORTEST_SHARE, LONGEST_SHARE = 0.85, 1.15


class Frequency(StrEnum):
    """How often a source publishes. Stored as `frequency_type`."""

    REALTIME = "realtime"
    HIGH = "high"
    DAILY = "daily"
    DAILY_FIXED = "daily_fixed"
    WEEKLY = "weekly"
    MONTHLY = "monthly"
    LOW = "low"

    @property
    def label(self) -> str:
        """What people read instead of the stored name (settled 11)."""
        return _LABELS[self]

    @property
    def cadence(self) -> Cadence:
        return _CADENCES[self]


class Cadence(StrEnum):
    """How often we poll, from all the time to once a day. Stored and shown."""

    P0 = "P0"
    P1 = "P1"
    P2 = "P2"
    P3 = "P3"
    P4 = "P4"
    P5 = "P5"
    P6 = "P6"

    @property
    def base(self) -> timedelta:
        return _BASES[self]


_LABELS: Mapping[Frequency, str] = {
    Frequency.REALTIME: "all day long",
    Frequency.HIGH: "several times a day",
    Frequency.DAILY: "about once a day",
    Frequency.DAILY_FIXED: "every 2-3 days",
    Frequency.WEEKLY: "about once a week",
    Frequency.MONTHLY: "about once a month",
    Frequency.LOW: "rarely",
}
_FROM_FAST_TO_SLOW = tuple(Frequency)
_CADENCES: Mapping[Frequency, Cadence] = dict(zip(Frequency, Cadence, strict=True))
# Looked up by what is stored: a walk over the members costs 5 µs, twice at every poll.
_FREQUENCY_NAMES: Mapping[str | None, Frequency] = {str(known): known for known in Frequency}
_CADENCE_NAMES: Mapping[str | None, Cadence] = {str(known): known for known in Cadence}
_BASES: Mapping[Cadence, timedelta] = {
    Cadence.P0: timedelta(minutes=15),
    Cadence.P1: timedelta(minutes=30),
    Cadence.P2: timedelta(hours=1),
    Cadence.P3: timedelta(hours=2),
    Cadence.P4: timedelta(hours=4),
    Cadence.P5: timedelta(hours=8),
    Cadence.P6: timedelta(hours=24),
}
# A mean gap below this many hours makes the type; at or above all of them it is `low`.
_BELOW_HOURS: tuple[tuple[int, Frequency], ...] = (
    (6, Frequency.REALTIME),
    (18, Frequency.HIGH),
    (36, Frequency.DAILY),
    (72, Frequency.DAILY_FIXED),
    # A week is 168 hours, 167 or 169 when the clocks change, and a few minutes of somebody's cron.
    (170, Frequency.WEEKLY),
    (720, Frequency.MONTHLY),
)
# Slow enough to have a time of day worth waiting for (S004-6).
_HAVE_AN_HOUR = frozenset({Frequency.DAILY, Frequency.DAILY_FIXED, Frequency.WEEKLY})


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishHabits:
    """What we believe about a source's publishing. None where nobody has looked yet."""

    frequency: Frequency | None = None
    cadence: Cadence | None = None
    hours: PublishHours | None = None

    @property
    def base(self) -> timedelta:
        """The time between two polls before any refinement; a stranger's is that of `daily`."""
        return (self.cadence or Cadence.P2).base


def read_habits(
    frequency: str | None, cadence: str | None, mean: float | None, deviation: float | None
) -> PublishHabits:
    """Habits as they were stored; whatever makes no sense is as if it were absent (S004-5)."""
    return PublishHabits(
        frequency=_FREQUENCY_NAMES.get(frequency),
        cadence=_CADENCE_NAMES.get(cadence),
        hours=read_hours(mean, deviation),
    )


def is_known(frequency: str | None, cadence: str | None) -> bool:
    """Whether both are names of ours, so that there is a rhythm to go by."""
    return frequency in _FREQUENCY_NAMES and cadence in _CADENCE_NAMES


def classify(published: Iterable[datetime], timezone: tzinfo) -> Frequency:
    """How often the source publishes, by its latest 20 moments (S004-2).

    "In one day" means within one calendar day of *timezone*, the days people see (settled 10),
    and any one of the days among the latest 20. There each item counts: whoever stamps fifty a
    day with midnight publishes fifty a day.
    """
    items = Counter(published)
    moments = sorted(items, reverse=True)[:LATEST_FOR_TYPE]
    if len(moments) < ENOUGH_HISTORY:
        return Frequency.DAILY
    if _busiest_day({moment: items[moment] for moment in moments}, timezone) >= MANY_IN_ONE_DAY:
        return Frequency.REALTIME
    return frequency_of((moments[0] - moments[-1]) / (len(moments) - 1))


def frequency_of(gap: timedelta) -> Frequency:
    """The type that a mean gap makes (S004-2)."""
    for hours, frequency in _BELOW_HOURS:
        if gap < timedelta(hours=hours):
            return frequency
    return Frequency.LOW


def slower(one: Frequency, other: Frequency) -> Frequency:
    return max(one, other, key=_FROM_FAST_TO_SLOW.index)


def is_analysis_due(*, check_count: int, is_hit: bool) -> bool:
    """Whether the poll just counted is one that reads the history anew (S004-5)."""
    return check_count % POLLS_PER_ANALYSIS == 0 or (is_hit and check_count <= NEWCOMER_POLLS)


def analyse(known: PublishHabits, published: Sequence[datetime], timezone: tzinfo) -> PublishHabits:
    """Habits according to the history, respecting what a person set by hand (S004-5).

    A cadence somebody chose stays until the type changes; too little history changes nothing
    that is known.
    """
    if len(distinct_moments(published)) < ENOUGH_HISTORY:
        frequency = known.frequency or Frequency.DAILY
        return PublishHabits(frequency=frequency, cadence=known.cadence or frequency.cadence)
    frequency = classify(published, timezone)
    kept = known.cadence if frequency is known.frequency else None
    hours = publish_hours(published, timezone)
    return PublishHabits(frequency=frequency, cadence=kept or frequency.cadence, hours=hours)


def next_cadence_poll(
    habits: PublishHabits, *, last_poll: datetime, now: datetime, timezone: tzinfo, dice: float
) -> tuple[datetime, Because]:
    """When S004-6 polls again, and why. *dice* is in [0, 1).

    Waits count from the last poll, as a fixed interval's do, and are never over 24 hours
    (settled 11: the cap beats jitter and 2 x base). Only a *now* long after the last poll can
    find the answer in its past.
    """
    if habits.hours and has_usual_hour(habits):
        return _after_the_usual_hour(habits, habits.hours, last_poll, now, timezone)
    frequency = habits.frequency or Frequency.DAILY
    share = jitter(dice)
    because = Because(
        Rule.CADENCE,
        {
            "frequency": str(frequency),
            "cadence": str(habits.cadence or Cadence.P2),
            "every_minutes": _minutes(habits.base),
        },
    )
    return last_poll + min(habits.base * share, LONGEST_WAIT), because


def has_usual_hour(habits: PublishHabits) -> bool:
    """Whether its polls go by the clock; all others go by the base and its jitter alone."""
    return habits.hours is not None and habits.frequency in _HAVE_AN_HOUR


def jitter(dice: float) -> float:
    """Which part of its base a poll waits; *dice* is in [0, 1)."""
    return SHORTEST_SHARE + (LONGEST_SHARE - SHORTEST_SHARE) * dice


def _after_the_usual_hour(
    habits: PublishHabits, hours: PublishHours, last_poll: datetime, now: datetime, timezone: tzinfo
) -> tuple[datetime, Because]:
    longest = min(2 * habits.base, LONGEST_WAIT)
    usual = {"hour": hours.mean, "deviation": hours.deviation}
    at = next_time((hours.mean + hours.deviation) % 24, now, timezone)
    if at <= last_poll + longest:
        poll_at = f"{at.astimezone(timezone):%H:%M}"
        return at, Because(Rule.USUAL_HOUR, {**usual, "poll_at": poll_at})
    until_then = {**usual, "every_minutes": _minutes(longest)}
    return last_poll + longest, Because(Rule.BEFORE_USUAL_HOUR, until_then)


def _busiest_day(items: Mapping[datetime, int], timezone: tzinfo) -> int:
    """How many items the busiest day had.

    The largest burst counts once: a first import stamps a whole archive with one time (settled 9).
    """
    burst = max(items, key=lambda moment: items[moment])
    days: Counter[date] = Counter()
    for moment, count in items.items():
        days[moment.astimezone(timezone).date()] += 1 if moment == burst else count
    return max(days.values())


def _minutes(wait: timedelta) -> float:
    return wait.total_seconds() / 60
