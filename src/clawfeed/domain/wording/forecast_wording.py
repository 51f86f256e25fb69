"""How people read what the learned schedule goes by: chances, days of the week, hours, dates."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

# How days and hours are stored: by these codes, several with commas between them.
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
EVERY_DAY, ON_WEEKDAYS, AT_WEEKENDS, ANY_HOUR = "every_day", "weekdays", "weekends", "any"
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAYS: Mapping[str, str] = dict(
    zip(
        WEEKDAYS,
        ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
        strict=True,
    )
)
_DAYS_ZH: Mapping[str, str] = {
    day: f"周{name}" for day, name in zip(WEEKDAYS, "一二三四五六日", strict=True)
}
_DAY_GROUPS: Mapping[str, str] = {
    EVERY_DAY: "every day",
    ON_WEEKDAYS: "on weekdays",
    AT_WEEKENDS: "at weekends",
}
_DAY_GROUPS_ZH: Mapping[str, str] = {
    EVERY_DAY: "每天",
    ON_WEEKDAYS: "工作日",
    AT_WEEKENDS: "周末",
}


def _expected(items: float) -> str:
    """Less than one item is a chance: nobody can picture 0.3 of one."""
    if round(items, 1) >= 1:
        return f"about {items:.1f} new items expected by then"
    return f"something new by then in {_chance(items)} of 100 cases"


def _expected_zh(items: float) -> str:
    if round(items, 1) >= 1:
        return f"预计届时约有 {items:.1f} 条新内容"
    return f"届时有新内容的可能性约为 {_chance(items)}%"


def _chance(items: float) -> int:
    """In how many of a hundred cases something comes, if *items* are expected."""
    return max(1, round(100 * -math.expm1(-max(items, 0.0))))


def words_for_days(code: str) -> str:
    """The days of a code, in English."""
    named = [_DAYS[day] for day in code.split(",") if day in _DAYS]
    return _DAY_GROUPS.get(code) or "on " + " and ".join(f"{name}s" for name in named)


def _on_days_zh(code: str) -> str:
    named = [_DAYS_ZH[day] for day in code.split(",") if day in _DAYS_ZH]
    return _DAY_GROUPS_ZH.get(code) or "和".join(named)


def words_for_hours(code: str) -> str:
    """The hours of a code, in English."""
    if code == ANY_HOUR:
        return "at any hour"
    return f"around {code}" if ":" in code else " and ".join(code.split(","))


def _at_hours_zh(code: str) -> str:
    if code == ANY_HOUR:
        return "（时间不定）"
    if ":" in code:
        return f" {code} 左右"
    return " " + "、".join(f"{hours} 点" for hours in code.split(","))


def _day(day: str) -> str:
    """A date with its weekday; a damaged one as it is."""
    try:
        on = date.fromisoformat(day)
    except ValueError:
        return day
    return f"{_DAYS[WEEKDAYS[on.weekday()]][:3]} {on.day} {_MONTHS[on.month - 1]}"


def _day_zh(day: str) -> str:
    try:
        on = date.fromisoformat(day)
    except ValueError:
        return day
    return f"{on.month} 月 {on.day} 日（{_DAYS_ZH[WEEKDAYS[on.weekday()]]}）"


# How a parameter is shown, by its name.
FORECAST_WORDS: Mapping[str, Callable[[Any], str]] = {
    "expected": _expected,
    "on_days": words_for_days,
    "at_hours": words_for_hours,
    "next_expected": _day,
}
FORECAST_WORDS_ZH: Mapping[str, Callable[[Any], str]] = {
    "expected": _expected_zh,
    "on_days": _on_days_zh,
    "at_hours": _at_hours_zh,
    "next_expected": _day_zh,
}
