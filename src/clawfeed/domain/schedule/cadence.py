"""The contract's rhythm (S004): how often a source publishes, at which hour, and so when to poll.

Works on publish times alone. Which sources follow it is the business of `schedule`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from enum import StrEnum
from itertools import pairwise
from statistics import fmean

from clawfeed.domain.because import Because, Rule
from clawfeed.domain.schedule.longest_wait import LONGEST_WAIT

# Two moments make one gap, and one gap is no rhythm (S004-2, S004-3).
ENOUGH_HISTORY = 3
LATEST_FOR_TYPE = 20
LATEST_FOR_HOURS = 30
MANY_IN_ONE_DAY = 5
# The deviation of a robot is still given an hour, that of chaos no more than six (S004-3).
SMALLEST_DEVIATION, LARGEST_DEVIATION = 1.0, 6.0
CHECKS_PER_ANALYSIS = 10
# A newcomer's history is short, so each of its first hits may change the picture (S004-5).
NEWCOMER_CHECKS = 3
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
class PublishHours:
    """The usual time of day: hours since local midnight, and how far items stray from it."""

    mean: float
    deviation: float


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
        hours=_read_hours(mean, deviation),
    )


def is_known(frequency: str | None, cadence: str | None) -> bool:
    """Whether both are names of ours, so that there is a rhythm to go by."""
    return frequency in _FREQUENCY_NAMES and cadence in _CADENCE_NAMES


def distinct_moments(published: Iterable[datetime]) -> list[datetime]:
    """The moments at which something appeared, newest first.

    Items of one moment count once: a first import stamps a whole archive with its own time, and
    one burst is not a rhythm (settled 9).
    """
    return sorted(set(published), reverse=True)


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


def publish_hours(published: Iterable[datetime], timezone: tzinfo) -> PublishHours | None:
    """The usual time of day over the latest 30 moments; None for fewer than 3 (S004-3).

    The clock is cut at its widest empty arc first, so that 23:30 and 00:30 have midnight
    between them and not noon (settled 7).
    """
    moments = distinct_moments(published)[:LATEST_FOR_HOURS]
    if len(moments) < ENOUGH_HISTORY:
        return None
    hours = _cut_at_widest_arc(sorted(_hour_of(moment.astimezone(timezone)) for moment in moments))
    mean = fmean(hours)
    # By hand: statistics.pstdev computes in fractions and costs 140 µs at every poll.
    spread = math.sqrt(math.fsum((hour - mean) ** 2 for hour in hours) / len(hours))
    deviation = min(max(spread, SMALLEST_DEVIATION), LARGEST_DEVIATION)
    # Rounded before the clock is closed again, so that 23.999 becomes 0 and never 24.
    return PublishHours(mean=round(mean, 2) % 24, deviation=round(deviation, 2))


def is_analysis_due(*, check_count: int, is_hit: bool) -> bool:
    """Whether the check just counted is one that reads the history anew (S004-5)."""
    return check_count % CHECKS_PER_ANALYSIS == 0 or (is_hit and check_count <= NEWCOMER_CHECKS)


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


def next_check(
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
    at = _next_time((hours.mean + hours.deviation) % 24, now, timezone)
    if at <= last_poll + longest:
        poll_at = f"{at.astimezone(timezone):%H:%M}"
        return at, Because(Rule.USUAL_HOUR, {**usual, "poll_at": poll_at})
    until_then = {**usual, "every_minutes": _minutes(longest)}
    return last_poll + longest, Because(Rule.BEFORE_USUAL_HOUR, until_then)


def _next_time(hour: float, now: datetime, timezone: tzinfo) -> datetime:
    """The next moment the local clock shows *hour*; passed today means tomorrow (S004-6)."""
    today = now.astimezone(timezone).date()
    at = _moment(today, hour, timezone)
    return at if at > now else _moment(today + timedelta(days=1), hour, timezone)


def _moment(day: date, hour: float, timezone: tzinfo) -> datetime:
    # Wall-clock arithmetic: 09:42 is 09:42 on the day the clocks change, too.
    return (datetime.combine(day, time(0), timezone) + timedelta(hours=hour)).astimezone(UTC)


def _busiest_day(items: Mapping[datetime, int], timezone: tzinfo) -> int:
    """How many items the busiest day had.

    The largest burst counts once: a first import stamps a whole archive with one time (settled 9).
    """
    burst = max(items, key=lambda moment: items[moment])
    days: Counter[date] = Counter()
    for moment, count in items.items():
        days[moment.astimezone(timezone).date()] += 1 if moment == burst else count
    return max(days.values())


def _hour_of(local: datetime) -> float:
    return local.hour + local.minute / 60 + local.second / 3600


def _cut_at_widest_arc(hours: Sequence[float]) -> list[float]:
    """Sorted *hours* as a run that starts after the widest gap; past midnight counts from 24.

    Where no gap is wider than the one around midnight, the clock stays as it is.
    """
    gaps = [later - earlier for earlier, later in pairwise([hours[-1] - 24, *hours])]
    start = gaps.index(max(gaps))
    return [*hours[start:], *(hour + 24 for hour in hours[:start])]


def _read_hours(mean: float | None, deviation: float | None) -> PublishHours | None:
    if mean is None or deviation is None or not 0 <= mean < 24:
        return None
    is_sound = SMALLEST_DEVIATION <= deviation <= LARGEST_DEVIATION
    return PublishHours(mean=mean, deviation=deviation) if is_sound else None


def _minutes(wait: timedelta) -> float:
    return wait.total_seconds() / 60
