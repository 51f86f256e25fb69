"""What people say about a channel's hours, read from texts: the same for programs and pages."""

from __future__ import annotations

from datetime import time

from clawfeed.domain.channels.channel import QuietHours
from clawfeed.domain.errors import InvalidInputError, RefusalCode
from clawfeed.domain.wall_clock import is_zone, time_at


def quiet_hours(start: time | None, end: time | None) -> QuietHours | None:
    """The hours between the two; none without either."""
    if (start is None) != (end is None):
        raise InvalidInputError(
            "quiet_from and quiet_until: give both, or neither", RefusalCode.HALF_QUIET
        )
    return QuietHours(start=start, end=end) if start is not None and end is not None else None


def time_of_day(field: str, text: str) -> time | None:
    """A time on the wall; None of an empty text. *field* is what its mistake is told of."""
    if not text:
        return None
    found = time_at(text)
    if found is None:
        raise InvalidInputError(
            "write a time of day like 07:30, or leave it empty", RefusalCode.WRONG_TIME, field=field
        )
    return found


def known_zone(text: str) -> str:
    """The name of a time zone that this machine knows."""
    if not is_zone(text):
        raise InvalidInputError(
            "there is no such time zone; write it like Europe/Berlin",
            RefusalCode.WRONG_ZONE,
            field="zone",
        )
    return text
