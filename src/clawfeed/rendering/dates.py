"""Moments in the reader's zone and language, without asking the machine for either."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import Final
from zoneinfo import ZoneInfo

from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.wording.because_wording import Language

_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
_WEEKDAYS: Final = (
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
)  # fmt: skip
_WEEKDAYS_ZH: Final = "一二三四五六日"


def zone_named(name: str) -> tuple[tzinfo, str]:
    """The zone and what to call it; UTC where this machine knows none of that name."""
    with suppress(ValueError, OSError, KeyError):  # unknown, or no name at all
        return (UTC if name == "UTC" else ZoneInfo(name)), name
    return UTC, "UTC"


def day_and_time(moment: datetime, zone: tzinfo, language: Language, *, year: int) -> str:
    """`14 Nov 08:15`, with its year if that is another than *year*."""
    there = moment.astimezone(zone)
    is_other = there.year != year
    if language is Language.CHINESE:
        return f"{there.year}年" * is_other + f"{there.month}月{there.day}日 {there:%H:%M}"
    month = _MONTHS[there.month - 1][:3]
    return f"{there.day} {month}" + f" {there.year}" * is_other + f" {there:%H:%M}"


def age(span: timedelta, language: Language) -> str:
    """How long, in the unit people would use: `25 min`, `3 h`, `2 days`."""
    minutes = max(0, int(span.total_seconds() // 60))
    if minutes < 60:
        number, unit = minutes, 0
    elif minutes < 36 * 60:
        number, unit = round(minutes / 60), 1
    else:
        number, unit = round(minutes / 1440), 2
    return f"{number} {_UNITS[language][unit]}"


_UNITS: Final = {
    Language.ENGLISH: ("min", "h", "days"),
    Language.CHINESE: ("分钟", "小时", "天"),
}


def period_worded(kind: EditionType, name: str, language: Language) -> str:
    """The day, week or month an edition is called by; one of another spelling as it is."""
    with suppress(ValueError):
        return _PERIODS[language][kind](name)
    return name


def _day(name: str) -> str:
    day = date.fromisoformat(name)
    return f"{_WEEKDAYS[day.weekday()]} {day.day} {_MONTHS[day.month - 1]} {day.year}"


def _day_zh(name: str) -> str:
    day = date.fromisoformat(name)
    return f"{day.year}年{day.month}月{day.day}日 星期{_WEEKDAYS_ZH[day.weekday()]}"


def _hour(name: str) -> str:
    day, _, hour = name.partition("T")
    return f"{_day(day)}, {hour}"


def _hour_zh(name: str) -> str:
    day, _, hour = name.partition("T")
    return f"{_day_zh(day)} {hour}"


def _week(name: str) -> str:
    monday = date.fromisoformat(f"{name}-1")
    return f"week {monday.isocalendar().week} of {monday.isocalendar().year}"


def _week_zh(name: str) -> str:
    monday = date.fromisoformat(f"{name}-1")
    return f"{monday.isocalendar().year}年第{monday.isocalendar().week}周"


def _month(name: str) -> str:
    first = date.fromisoformat(f"{name}-01")
    return f"{_MONTHS[first.month - 1]} {first.year}"


def _month_zh(name: str) -> str:
    first = date.fromisoformat(f"{name}-01")
    return f"{first.year}年{first.month}月"


_PERIODS: Mapping[Language, Mapping[EditionType, Callable[[str], str]]] = {
    Language.ENGLISH: {
        EditionType.FOUR_HOURS: _hour,
        EditionType.DAILY: _day,
        EditionType.WEEKLY: _week,
        EditionType.MONTHLY: _month,
    },
    Language.CHINESE: {
        EditionType.FOUR_HOURS: _hour_zh,
        EditionType.DAILY: _day_zh,
        EditionType.WEEKLY: _week_zh,
        EditionType.MONTHLY: _month_zh,
    },
}
