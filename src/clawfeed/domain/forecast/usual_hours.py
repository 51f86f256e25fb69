"""When a source usually publishes, as people would say it: which days, at which hours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo

from clawfeed.domain.forecast.state import Forecast
from clawfeed.domain.forecast.weekly_profile import (
    CELL,
    CELLS_A_DAY,
    CELLS_AN_HOUR,
    HOURS_A_WEEK,
    OFFSET,
)
from clawfeed.domain.wording.because_figures import how_often, how_often_zh
from clawfeed.domain.wording.because_wording import Language
from clawfeed.domain.wording.forecast_wording import (
    ANY_HOUR,
    AT_WEEKENDS,
    EVERY_DAY,
    FORECAST_WORDS_ZH,
    ON_WEEKDAYS,
    WEEKDAYS,
    words_for_days,
    words_for_hours,
)

# Parts of the week's items that make a habit: of one day, of two, of the weekend, of other days.
ONE_DAY, TWO_DAYS = 0.45, 0.6
MOSTLY_WEEKEND, HARDLY_WEEKEND = 0.7, 0.12
# Hours so much busier than the mean belong together, if they have this part of the busiest one's
# (an item counts a little in the hours beside its own), and must hold this part of all items.
BUSY, NEAR_BUSIEST, BUSY_PART = 1.4, 0.4, 0.4
# One hour that holds this part of all items is a time of day, known from so many items on.
TIME_PART, TIME_ITEMS = 0.6, 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Habit:
    """Its days and hours, as codes that `forecast_wording` puts into words."""

    on_days: str
    at_hours: str

    @property
    def is_none(self) -> bool:
        return (self.on_days, self.at_hours) == (EVERY_DAY, ANY_HOUR)


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """What was learned, for people: its habit, the items a day, the level of 168 local hours.

    Without a *habit* nothing was seen yet: what the scheduler assumes then is no knowledge.
    """

    habit: Habit | None
    rate: float
    week: tuple[float, ...]

    @property
    def text(self) -> str:
        return self.told(Language.ENGLISH)

    def told(self, language: Language) -> str:
        """All of it in one sentence without its full stop."""
        is_chinese = language is Language.CHINESE
        if self.habit is None:
            return "还没有见过它发布内容" if is_chinese else "nothing of it was seen yet"
        return (_told_zh if is_chinese else _told)(self.habit, self.rate)


def describe(state: Forecast, tz: tzinfo = UTC) -> Description:
    """What was learned, in the reader's time zone: the habit, the rate, and the week's profile."""
    week = local_week(state, tz)
    if not state.items:
        return Description(habit=None, rate=0.0, week=week)
    return Description(habit=habit_of(state, tz), rate=state.rate, week=week)


def _told(habit: Habit, rate: float) -> str:
    days = "" if habit.on_days == EVERY_DAY else f" {words_for_days(habit.on_days)}"
    mostly = "" if habit.at_hours == ANY_HOUR else "mostly "
    return f"publishes {how_often(rate)}, {mostly}{words_for_hours(habit.at_hours)}{days}"


def _told_zh(habit: Habit, rate: float) -> str:
    if habit.is_none:
        return f"{how_often_zh(rate)}，时间不定"
    words = FORECAST_WORDS_ZH
    usual = words["on_days"](habit.on_days) + words["at_hours"](habit.at_hours)
    return f"{how_often_zh(rate)}，通常{usual}"


def local_week(state: Forecast, tz: tzinfo) -> tuple[float, ...]:
    """The level of each hour of the week on the clock of *tz*; 1 is the source's average."""
    shift = round(_offset(state, tz) / timedelta(hours=1))
    week = state.shape(state.learned_at).week()
    return tuple(week[(hour - shift) % HOURS_A_WEEK] for hour in range(HOURS_A_WEEK))


def habit_of(state: Forecast, tz: tzinfo) -> Habit:
    """Its usual days and hours on the clock of *tz*; every day and any hour if it has none."""
    week = local_week(state, tz)
    on_days = _days(week)
    at_hours = _time_of_day(state, tz) or _hours(week, on_days) or ANY_HOUR
    return Habit(on_days=on_days, at_hours=at_hours)


def days_of(on_days: str) -> frozenset[int]:
    """Which days of the week a code means; Monday is 0."""
    groups = {EVERY_DAY: range(7), ON_WEEKDAYS: range(5), AT_WEEKENDS: (5, 6)}
    return frozenset(groups.get(on_days) or map(WEEKDAYS.index, on_days.split(",")))


def _offset(state: Forecast, tz: tzinfo) -> timedelta:
    at = datetime.fromtimestamp(state.learned_at, UTC)
    return at.astimezone(tz).utcoffset() or timedelta()


def _days(week: Sequence[float]) -> str:
    total = max(sum(week), 1e-9)
    parts = [sum(week[day * 24 : day * 24 + 24]) / total for day in range(7)]
    weekend = parts[5] + parts[6]
    first, second = sorted(range(7), key=lambda day: -parts[day])[:2]
    if parts[first] >= ONE_DAY:
        return WEEKDAYS[first]
    if weekend > MOSTLY_WEEKEND or (weekend >= TWO_DAYS and min(first, second) == 5):
        return AT_WEEKENDS
    if parts[first] + parts[second] >= TWO_DAYS:
        return ",".join(WEEKDAYS[day] for day in sorted((first, second)))
    return ON_WEEKDAYS if weekend < HARDLY_WEEKEND else EVERY_DAY


def _time_of_day(state: Forecast, tz: tzinfo) -> str:
    """As "09:00" if most items come within one hour around it; else nothing."""
    total = sum(state.minutes)
    if total < TIME_ITEMS * state.age(state.learned_at):
        return ""
    twice = [*state.minutes, *state.minutes]
    held = [sum(twice[cell : cell + CELLS_AN_HOUR]) for cell in range(CELLS_A_DAY)]
    start = held.index(max(held))
    if held[start] < TIME_PART * total:
        return ""
    inside = twice[start : start + CELLS_AN_HOUR]
    middle = sum((place + 0.5) * count for place, count in enumerate(inside)) / held[start]
    seconds = (start + middle) * CELL + OFFSET + _offset(state, tz).total_seconds()
    # Scheduled posts have round times, and nobody wants to read 08:58.
    quarters = round(seconds / 900) % 96
    return f"{quarters // 4:02}:{quarters % 4 * 15:02}"


def _hours(week: Sequence[float], on_days: str) -> str:
    """As "07-10,17-19" its busiest hours, if they hold much of what it publishes; else nothing."""
    days = days_of(on_days)
    hourly = [sum(week[day * 24 + hour] for day in days) for hour in range(24)]
    least = max(BUSY * sum(hourly) / 24, NEAR_BUSIEST * max(hourly))
    spans = _spans([level >= least for level in hourly])
    spans = sorted(spans, key=lambda span: -_mass(hourly, span))[:2]
    if not spans or sum(_mass(hourly, span) for span in spans) < BUSY_PART * sum(hourly):
        return ""
    return ",".join(f"{start:02d}-{end % 24:02d}" for start, end in sorted(spans))


def _spans(busy: Sequence[bool]) -> list[tuple[int, int]]:
    """Runs of busy hours as [start, end); one over midnight ends beyond 24."""
    starts = [hour for hour in range(24) if busy[hour] and not busy[hour - 1]]
    return [
        (start, next(hour for hour in range(start, start + 25) if not busy[hour % 24]))
        for start in starts
    ]


def _mass(hourly: Sequence[float], span: tuple[int, int]) -> float:
    return sum(hourly[hour % 24] for hour in range(*span))
