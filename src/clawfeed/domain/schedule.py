"""When to look at a source again, and because of which rule.

Pure arithmetic: the caller brings the clock and the dice.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

# Whatever any rule says, nobody is forgotten for longer than this (S004-6).
LONGEST_WAIT = timedelta(hours=24)


class Mode(StrEnum):
    """How a source's date is chosen (settled question 1). Stored and shown."""

    PINNED = "pinned"  # an interval somebody set, or a hot list
    FIXED = "fixed"  # its type's interval, until we know it better
    SMART = "smart"  # its own rhythm


@dataclass(frozen=True, slots=True, kw_only=True)
class Rhythm:
    """What past looks taught us about one source: its `source_stats` row as a value."""

    frequency_type: str | None = None
    cadence: str | None = None
    avg_publish_hour: float | None = None
    std_publish_hour: float | None = None
    last_article_at: datetime | None = None
    check_count: int = 0
    hit_count: int = 0
    fail_count: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class NextLook:
    """A date and the rule that chose it; people see both. No date: the source is paused."""

    at: datetime | None
    because: str
    mode: Mode
    backoff_until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a look turned out to bring, known only once it was compared with what is stored."""

    inserted: int
    published_at: tuple[datetime, ...]  # of the latest items, newest first


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What follows from a look: what we know now, and when we look again."""

    rhythm: Rhythm
    next_look: NextLook
    paused_because: str | None = None
