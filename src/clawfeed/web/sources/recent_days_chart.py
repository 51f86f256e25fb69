"""A source's last seven days as a drawing: what its rhythm let expect, and what came."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from enum import StrEnum
from math import sqrt
from typing import Final

from clawfeed.domain.forecast.usual_hours import Description

DAYS: Final = 7
HOURS: Final = 24
COLUMN: Final = 44
BAR: Final = 14
TOP_MARGIN: Final = 14
TALLEST: Final = 70
BASE: Final = TOP_MARGIN + TALLEST
# Items come by chance, too: within two standard deviations of it nothing is remarkable.
USUAL_SPREAD: Final = 2.0


class WeekVerdict(StrEnum):
    """How the week went; each has its text, `verdict.CODE`."""

    AS_EXPECTED = "as_expected"
    MORE = "more"
    LESS = "less"


@dataclass(frozen=True, slots=True, kw_only=True)
class DayBars:
    """One day in the reader's zone, as far as we watched it and it has passed.

    Of a day before we knew the source nothing was *expected*. Heights are of the drawing.
    """

    date: date
    expected: float | None
    came: int
    x: int
    expected_height: float
    came_height: float

    @property
    def weekday(self) -> int:
        return self.date.weekday()

    @property
    def told(self) -> str:
        """What was expected, as people would say a number of items."""
        if self.expected is None:
            return "–"
        return f"{self.expected:.0f}" if self.expected >= 10 else f"{self.expected:.1f}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecentDays:
    """The days, oldest first; the last one is today. *since* if we know it for less than a week."""

    days: tuple[DayBars, ...]
    verdict: WeekVerdict
    since: datetime | None = None
    width: int = DAYS * COLUMN
    height: int = BASE + 16
    base: int = BASE
    bar: int = BAR

    @property
    def came(self) -> int:
        return sum(day.came for day in self.days)

    @property
    def expected(self) -> int:
        return round(sum(day.expected or 0.0 for day in self.days))


@dataclass(frozen=True, slots=True, kw_only=True)
class RecentPublishing:
    """What was *published* lately of a source that we have *known_since*."""

    published: Sequence[datetime]
    known_since: datetime

    def begins(self, earliest: datetime) -> datetime:
        """From when on nothing escaped us: feeds begin with what they list, or when we came."""
        return max(earliest, min([self.known_since, *self.published]))


def recent_days(
    described: Description, seen: RecentPublishing, now: datetime, zone: tzinfo
) -> RecentDays | None:
    """What *described* let expect of each day, and what was *seen*; None if nothing is known.

    Expected is what is believed now: what was believed then is written down nowhere.
    """
    if described.habit is None:
        return None
    today = now.astimezone(zone).date()
    dates = [today - timedelta(days=ago) for ago in reversed(range(DAYS))]
    midnight = datetime.combine(dates[0], time(), zone)
    begins = seen.begins(midnight).astimezone(zone)
    counts = Counter(moment.astimezone(zone).date() for moment in seen.published)
    expected = [_expected(described, day, begins, now.astimezone(zone)) for day in dates]
    top = max(*(level or 0.0 for level in expected), *(counts[day] for day in dates), 1.0)
    days = tuple(
        DayBars(
            date=day,
            expected=level,
            came=counts[day],
            x=place * COLUMN + (COLUMN - 2 * BAR) // 2,
            expected_height=round((level or 0.0) / top * TALLEST, 1),
            came_height=round(counts[day] / top * TALLEST, 1),
        )
        for place, (day, level) in enumerate(zip(dates, expected, strict=True))
    )
    return RecentDays(
        days=days,
        verdict=_verdict(sum(day.expected or 0.0 for day in days), sum(day.came for day in days)),
        since=begins if begins > midnight else None,
    )


def _expected(described: Description, day: date, begins: datetime, ends: datetime) -> float | None:
    """The items of one day between two moments; None if it was over before."""
    if day < begins.date():
        return None
    total = sum(described.week) or 1.0
    start = day.weekday() * HOURS
    first = _hours(begins) if day == begins.date() else 0.0
    last = _hours(ends) if day == ends.date() else float(HOURS)
    part = sum(
        level * max(0.0, min(last, hour + 1) - max(first, hour))
        for hour, level in enumerate(described.week[start : start + HOURS])
    )
    return part / total * described.rate * DAYS


def _hours(moment: datetime) -> float:
    return moment.hour + moment.minute / 60


def _verdict(expected: float, came: int) -> WeekVerdict:
    if abs(came - expected) <= USUAL_SPREAD * sqrt(max(expected, 1.0)):
        return WeekVerdict.AS_EXPECTED
    return WeekVerdict.MORE if came > expected else WeekVerdict.LESS
