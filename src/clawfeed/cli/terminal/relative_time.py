"""Moments as seen from now, short enough for a column."""

from __future__ import annotations

from datetime import datetime, timedelta

MINUTE, HOUR, DAY = 60, 3600, 86_400


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
