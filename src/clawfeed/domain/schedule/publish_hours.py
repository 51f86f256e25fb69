"""The usual time of day at which a source publishes (S004-3), and when the clock shows it next."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from itertools import pairwise
from statistics import fmean

# Two moments make one gap, and one gap is no rhythm (S004-2, S004-3).
ENOUGH_HISTORY = 3
LATEST_FOR_HOURS = 30
# The deviation of a robot is still given an hour, that of chaos no more than six (S004-3).
SMALLEST_DEVIATION, LARGEST_DEVIATION = 1.0, 6.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishHours:
    """The usual time of day: hours since local midnight, and how far items stray from it."""

    mean: float
    deviation: float


def read_hours(mean: float | None, deviation: float | None) -> PublishHours | None:
    """The hours as they were stored; None if they make no sense."""
    if mean is None or deviation is None or not 0 <= mean < 24:
        return None
    is_sound = SMALLEST_DEVIATION <= deviation <= LARGEST_DEVIATION
    return PublishHours(mean=mean, deviation=deviation) if is_sound else None


def distinct_moments(published: Iterable[datetime]) -> list[datetime]:
    """The moments at which something appeared, newest first.

    Items of one moment count once: a first import stamps a whole archive with its own time, and
    one burst is not a rhythm (settled 9).
    """
    return sorted(set(published), reverse=True)


def publish_hours(published: Iterable[datetime], timezone: tzinfo) -> PublishHours | None:
    """The usual time of day over the latest 30 moments; None for fewer than 3 (S004-3).

    The clock is cut at its widest empty arc first, so that 23:30 and 00:30 have midnight
    between them and not noon (settled 7).
    """
    moments = distinct_moments(published)[:LATEST_FOR_HOURS]
    if len(moments) < ENOUGH_HISTORY:
        return None
    hours = _cut_at_widest_arc(sorted(_hour_of(moment.astimezone(timezone)) for moment in moments))
    mean = fmean(hours)
    # By hand: statistics.pstdev computes in fractions and costs 140 µs at every poll.
    spread = math.sqrt(math.fsum((hour - mean) ** 2 for hour in hours) / len(hours))
    deviation = min(max(spread, SMALLEST_DEVIATION), LARGEST_DEVIATION)
    # Rounded before the clock is closed again, so that 23.999 becomes 0 and never 24.
    return PublishHours(mean=round(mean, 2) % 24, deviation=round(deviation, 2))


def next_time(hour: float, now: datetime, timezone: tzinfo) -> datetime:
    """The next moment the local clock shows *hour*; passed today means tomorrow (S004-6)."""
    today = now.astimezone(timezone).date()
    at = _moment(today, hour, timezone)
    return at if at > now else _moment(today + timedelta(days=1), hour, timezone)


def _moment(day: date, hour: float, timezone: tzinfo) -> datetime:
    # Wall-clock arithmetic: 09:42 is 09:42 on the day the clocks change, too.
    return (datetime.combine(day, time(0), timezone) + timedelta(hours=hour)).astimezone(UTC)


def _hour_of(local: datetime) -> float:
    return local.hour + local.minute / 60 + local.second / 3600


def _cut_at_widest_arc(hours: Sequence[float]) -> list[float]:
    """Sorted *hours* as a run that starts after the widest gap; past midnight counts from 24.

    Where no gap is wider than the one around midnight, the clock stays as it is.
    """
    gaps = [later - earlier for earlier, later in pairwise([hours[-1] - 24, *hours])]
    start = gaps.index(max(gaps))
    return [*hours[start:], *(hour + 24 for hour in hours[:start])]
