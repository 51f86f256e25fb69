"""The figures of a reason as people say them, in English and Chinese."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from clawfeed.domain.schedule.cadence import Frequency
from clawfeed.domain.wording.forecast_wording import FORECAST_WORDS, FORECAST_WORDS_ZH


def clock(hour: float) -> str:
    """An hour of the day as clocks show it."""
    minutes = round(hour * 60) % (24 * 60)
    return f"{minutes // 60:02}:{minutes % 60:02}"


def _in_minutes(minutes: float) -> str:
    """An interval as it is set: in minutes, however many."""
    return f"{minutes:g} min" if minutes >= 1 else f"{60 * minutes:g} s"


def _in_minutes_zh(minutes: float) -> str:
    return f"{minutes:g} 分钟" if minutes >= 1 else f"{60 * minutes:g} 秒"


def span(minutes: float) -> str:
    """So many minutes in the unit people would use."""
    return f"{minutes:g} min" if minutes < 60 else f"{minutes / 60:g} h"


def how_often(per_day: float) -> str:
    """Items a day in the unit people would use."""
    number, unit = _by_unit(per_day)
    if number == "0":
        return f"less than once a {unit}"
    return f"about once a {unit}" if number == "1" else f"about {number} times a {unit}"


def _by_unit(per_day: float) -> tuple[str, str]:
    """How many, as "0" if less than one and "1" if about one, and of which unit."""
    units = (("day", per_day), ("week", per_day * 7), ("month", per_day * 30))
    unit, number = next((each for each in units if each[1] >= 1), units[-1])
    if round(number, 1) < 1:
        return "0", unit
    return ("1" if round(number, 1) == 1 else _few(number)), unit


def how_often_zh(per_day: float) -> str:
    """The same in Chinese, with its verb."""
    number, unit = _by_unit(per_day)
    often = "不到 1" if number == "0" else f"约 {number}"
    return f"每{_UNITS_ZH[unit]}发布{often} 次"


def silence(days: float) -> str:
    """So many days in the unit people would use."""
    number, unit = _by_calendar(days)
    return _counted(number, unit)


def _silence_zh(days: float) -> str:
    number, unit = _by_calendar(days)
    return f"{number} {_SPANS_ZH[unit]}"


def _by_calendar(days: float) -> tuple[int, str]:
    for unit, length in (("year", 365.25), ("month", 30.44)):
        if days >= 2 * length:
            return int(days / length), unit
    return round(days), "day"


def _few(number: float) -> str:
    return f"{number:.0f}" if number >= 10 else f"{number:.1f}"


def _span_zh(minutes: float) -> str:
    return f"{minutes:g} 分钟" if minutes < 60 else f"{minutes / 60:g} 小时"


def _time_of(moment: str) -> str:
    """The hour and minute of a moment in UTC; a damaged one as it is."""
    try:
        return f"{datetime.fromisoformat(moment):%H:%M}"
    except ValueError:
        return moment


def _tenths(number: float) -> str:
    return f"{number:.1f}"


def _thousands(number: int) -> str:
    return f"{number:,}"


def _counted(number: float, thing: str) -> str:
    return f"{number:g} {thing}{'s' * (number != 1)}"


def _days(days: float) -> str:
    return _counted(round(days, 1), "day")


def _failures(failures: int) -> str:
    return _counted(failures, "failure") + " in a row" * (failures > 1)


def _failures_zh(failures: int) -> str:
    return f"{'连续' * (failures > 1)}失败 {failures} 次"


_FREQUENCIES: Mapping[str, str] = {str(frequency): frequency.label for frequency in Frequency}
_FREQUENCIES_ZH: Mapping[str, str] = {
    Frequency.REALTIME: "全天不断",
    Frequency.HIGH: "每天数次",
    Frequency.DAILY: "约每天一次",
    Frequency.DAILY_FIXED: "每两三天一次",
    Frequency.WEEKLY: "约每周一次",
    Frequency.MONTHLY: "约每月一次",
    Frequency.LOW: "很低",
}
_UNITS_ZH: Mapping[str, str] = {"day": "天", "week": "周", "month": "月"}
_SPANS_ZH: Mapping[str, str] = {"day": "天", "month": "个月", "year": "年"}

Shown = Mapping[str, Callable[[Any], str]]
# How a parameter is shown, by its name.
_SHOWN_FIGURES: Shown = {
    "hour": clock,
    "deviation": _tenths,
    "until": _time_of,
    "left": _thousands,
    "limit": _thousands,
    "share": _few,
    "posts_per_day": _few,
    "posts_found": _few,
}
SHOWN_IN_ENGLISH: Shown = {
    **_SHOWN_FIGURES,
    "frequency": lambda name: _FREQUENCIES.get(name, name),
    "minutes": _in_minutes,
    "every_minutes": span,
    "per_day": how_often,
    "days": _days,
    "every_days": _days,
    "failures": _failures,
    "silent_days": silence,
    "posts": lambda posts: _counted(posts, "post"),
    "asked_minutes": span,
    **FORECAST_WORDS,
}
SHOWN_IN_CHINESE: Shown = {
    **_SHOWN_FIGURES,
    "frequency": lambda name: _FREQUENCIES_ZH.get(name, name),
    "minutes": _in_minutes_zh,
    "every_minutes": _span_zh,
    "per_day": how_often_zh,
    "every_days": lambda days: f"{round(days, 1):g}",
    "failures": _failures_zh,
    "silent_days": _silence_zh,
    "asked_minutes": _span_zh,
    **FORECAST_WORDS_ZH,
}
