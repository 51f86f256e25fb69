"""Times on the wall and the zones they are read in, as people write them: one way for all."""

from __future__ import annotations

import re
from datetime import time
from typing import Final

# How people write an hour; also as a document of the API tells it.
TIME_OF_DAY: Final = r"^([01][0-9]|2[0-3]):[0-5][0-9]$"


def time_at(text: str) -> time | None:
    """The time of day that *text* is, `07:30`; None if it is none."""
    # `$` alone would let a line break through.
    return time.fromisoformat(text) if re.fullmatch(TIME_OF_DAY, text) and len(text) == 5 else None


def time_text(value: time | None) -> str | None:
    """What `time_at` reads: `07:30`; None for none."""
    return None if value is None else f"{value:%H:%M}"


def is_zone(name: str) -> bool:
    """Whether this machine knows a time zone of this name."""
    # A command that asks for none does not wait for this.
    from zoneinfo import ZoneInfo

    try:
        ZoneInfo(name)
    except (ValueError, OSError, KeyError):  # unknown, or no name of one
        return False
    return True
