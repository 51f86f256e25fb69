"""A source's week as a drawing: 7 days by 24 hours, what is expected and what came."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Final

from clawfeed.domain.forecast.usual_hours import Description

CELL: Final = 14
GAP: Final = 1
LEFT_MARGIN: Final = 30
TOP_MARGIN: Final = 14
DAYS: Final = 7
HOURS: Final = 24
WIDTH: Final = LEFT_MARGIN + HOURS * CELL
HEIGHT: Final = TOP_MARGIN + DAYS * CELL
# The busiest hour is full; below this nobody sees a colour.
FAINTEST_STRENGTH: Final = 0.08


@dataclass(frozen=True, slots=True, kw_only=True)
class HourCell:
    """One hour of the week; *strength* is 0 to 1, *came* how many items were published in it."""

    x: int
    y: int
    strength: float
    came: int
    is_next: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DayRow:
    """One day of the week: what is expected of it, and its busiest hour."""

    day: int
    y: int
    expected: float
    busiest: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class WeekMap:
    cells: tuple[HourCell, ...]
    days: tuple[DayRow, ...]
    width: int = WIDTH
    height: int = HEIGHT
    size: int = CELL - GAP
    hours: tuple[tuple[int, int], ...] = tuple(
        (hour, LEFT_MARGIN + hour * CELL) for hour in range(0, HOURS, 6)
    )


def week_heatmap(
    described: Description,
    published: Sequence[datetime],
    next_poll: datetime | None,
    zone: tzinfo,
) -> WeekMap:
    """The week as *described*, with the items *published* lately and the next poll, in *zone*."""
    came = Counter(_hour_of(moment, zone) for moment in published)
    marked = _hour_of(next_poll, zone) if next_poll else None
    is_known = described.habit is not None
    week = described.week if is_known else (0.0,) * len(described.week)
    top = max(week, default=0.0) or 1.0
    cells = tuple(
        HourCell(
            x=LEFT_MARGIN + hour % HOURS * CELL,
            y=TOP_MARGIN + hour // HOURS * CELL,
            strength=_strength(level / top),
            came=came[hour],
            is_next=hour == marked,
        )
        for hour, level in enumerate(week)
    )
    return WeekMap(cells=cells, days=tuple(_days(week, described.rate)))


def _hour_of(moment: datetime, zone: tzinfo) -> int:
    """The hour of the week, Monday 00:00 first."""
    there = moment.astimezone(zone)
    return there.weekday() * HOURS + there.hour


def _strength(part: float) -> float:
    return round(part, 2) if part >= FAINTEST_STRENGTH else 0.0


def _days(week: Sequence[float], rate: float) -> list[DayRow]:
    total = sum(week) or 1.0
    rows = []
    for day in range(DAYS):
        hours = range(day * HOURS, (day + 1) * HOURS)
        levels = [week[hour] for hour in hours]
        rows.append(
            DayRow(
                day=day,
                y=TOP_MARGIN + day * CELL,
                expected=round(sum(levels) / total * rate * DAYS, 1),
                busiest=levels.index(max(levels)) if max(levels) > 0 else None,
            )
        )
    return rows
