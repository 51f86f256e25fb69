"""What people say about a channel's hours, read from texts: the same for programs and pages."""

from __future__ import annotations

import re
from datetime import time
from typing import Final
from zoneinfo import ZoneInfo

from clawfeed.domain.channels.channel import QuietHours
from clawfeed.domain.errors import InvalidInputError, Refusal

_CLOCK: Final = re.compile("(?:[01][0-9]|2[0-3]):[0-5][0-9]", re.ASCII)


def quiet_hours(start: time | None, end: time | None) -> QuietHours | None:
    """The hours between the two; none without either."""
    if (start is None) != (end is None):
        raise InvalidInputError(
            "quiet_from and quiet_until: give both, or neither", Refusal.HALF_QUIET
        )
    return QuietHours(start=start, end=end) if start is not None and end is not None else None


def time_of_day(name: str, text: str) -> time | None:
    """A time on the wall; None of an empty text. *name* is what its mistake is told of."""
    if not text:
        return None
    if not _CLOCK.fullmatch(text):
        raise InvalidInputError(
            f"{name}: write a time of day like 07:30, or leave it empty", Refusal.WRONG_TIME
        )
    return time.fromisoformat(text)


def known_zone(text: str) -> str:
    """The name of a time zone that this machine knows."""
    try:
        ZoneInfo(text)
    except (ValueError, OSError, KeyError):  # unknown, or no name of one
        raise InvalidInputError(
            "there is no such time zone: write it like Europe/Berlin", Refusal.WRONG_ZONE
        ) from None
    return text
