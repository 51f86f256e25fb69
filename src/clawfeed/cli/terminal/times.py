"""Moments for people at a terminal: by the clock on their wall, or as seen from now."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

MINUTE, HOUR, DAY = 60, 3600, 86_400


def local(moment: datetime, timezone: str) -> str:
    """A moment for people, in the operator's time zone."""
    return f"{moment.astimezone(ZoneInfo(timezone)):%Y-%m-%d %H:%M}"


def until(moment: datetime, now: datetime) -> str:
    """`in 12 min`; `now` once it has come."""
    left = (moment - now).total_seconds()
    return f"in {_shown(left)}" if left > 0 else "now"


def ago(moment: datetime, now: datetime) -> str:
    """`12 min ago`."""
    return f"{_shown(max((now - moment).total_seconds(), 0.0))} ago"


def span(length: timedelta) -> str:
    """`12 min`."""
    return _shown(length.total_seconds())


def _shown(seconds: float) -> str:
    if seconds < 2 * MINUTE:
        return f"{seconds:.0f} s"
    if seconds < 2 * HOUR:
        return f"{seconds / MINUTE:.0f} min"
    if seconds < 2 * DAY:
        return f"{seconds / HOUR:.0f} h"
    return f"{seconds / DAY:.0f} d"
