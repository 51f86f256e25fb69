"""Moments are stored as seconds since 1970; everywhere else they are aware UTC datetimes."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

# Machines that share a database do not agree to the second; this much is normal.
CLOCKS_DIFFER = timedelta(minutes=5)
# Deadlines are strict (settled 13): what shall be due now was due a moment ago.
ONE_SECOND = timedelta(seconds=1)


def seconds(moment: datetime) -> float:
    """The stored form; exact to the microsecond and back."""
    return moment.timestamp()


def seconds_or_none(moment: datetime | None) -> float | None:
    return None if moment is None else moment.timestamp()


def moment(value: float) -> datetime:
    return datetime.fromtimestamp(value, UTC)


def moment_or_none(value: float | None) -> datetime | None:
    """None for no value, and for one that is no moment: a damaged row must not stop the others."""
    try:
        return None if value is None else datetime.fromtimestamp(value, UTC)
    except (TypeError, ValueError, OverflowError, OSError):
        return None


def duration(value: float) -> timedelta:
    """So many seconds; none for what is no such number: a damaged row must not stop the others."""
    try:
        return timedelta(seconds=max(0.0, value))
    except (TypeError, ValueError, OverflowError):
        return timedelta(0)
