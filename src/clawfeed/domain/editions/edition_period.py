"""The periods editions are made for, in the reader's time zone, daylight saving included.

An edition bears the name of the period in which it is read, as a newspaper does; it tells of the
period before (`previous`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, tzinfo
from enum import StrEnum

from clawfeed.domain.errors import InvalidInputError, RefusalCode

MIDNIGHT = time()
_MOMENT = timedelta(microseconds=1)


class EditionType(StrEnum):
    """How long a period one edition covers (settled question 12)."""

    FOUR_HOURS = "4h"
    DAILY = "daily"
    WEEKLY = "weekly"
    MONTHLY = "monthly"


@dataclass(frozen=True, slots=True, kw_only=True)
class Calendar:
    """Whose days: their zone, and the time of day at which their day's edition begins."""

    zone: tzinfo
    begins: time = MIDNIGHT

    @property
    def shift(self) -> timedelta:
        return timedelta(hours=self.begins.hour, minutes=self.begins.minute)


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """From *starts_at* until just before *ends_at*. *name* is unique within its type."""

    type: EditionType
    name: str
    starts_at: datetime
    ends_at: datetime
    calendar: Calendar

    @property
    def previous(self) -> Period:
        """The one that ends when this one begins."""
        return period_at(self.type, self.starts_at - _MOMENT, self.calendar)

    @property
    def next(self) -> Period:
        return period_at(self.type, self.ends_at, self.calendar)


def period_at(kind: EditionType, moment: datetime, calendar: Calendar) -> Period:
    """The one period that *moment* belongs to: periods neither overlap nor leave gaps."""
    wall = moment.astimezone(calendar.zone).replace(tzinfo=None, fold=0)
    label = _FLOORS[kind](wall - calendar.shift)
    # Where the clock shows an hour twice, the period that began the first time goes on.
    while _instant(_step(kind, label, 1), calendar) <= moment:
        label = _step(kind, label, 1)
    return _period(kind, label, calendar)


def system_day(now: datetime, zone: tzinfo) -> str:
    """The name of the system's daily edition of *now*: its days begin at midnight (S002-13)."""
    return period_at(EditionType.DAILY, now, Calendar(zone=zone)).name


def period_named(kind: EditionType, name: str, calendar: Calendar) -> Period:
    """The period of this name, as a person gives it; `InvalidInputError` if there is none."""
    example, pattern = _SPELLINGS[kind]
    try:
        if not re.fullmatch(pattern, name):
            raise ValueError(name)  # noqa: TRY301 -- one sentence for everything unreadable
        named = _started(kind, name, calendar)
        found = period_at(kind, named, calendar)
    except (ValueError, OverflowError):
        found = None
    if found is None or found.name != name:
        raise InvalidInputError(
            f"{name!r} is not the name of a {kind} edition: write it like {example}",
            RefusalCode.EDITION_NAME,
            example=example,
        )
    return found


def _period(kind: EditionType, label: datetime, calendar: Calendar) -> Period:
    return Period(
        type=kind,
        name=_name(kind, label + calendar.shift),
        starts_at=_instant(label, calendar),
        ends_at=_instant(_step(kind, label, 1), calendar),
        calendar=calendar,
    )


def _instant(label: datetime, calendar: Calendar) -> datetime:
    """When the wall clock first shows this time; where it skips the time, when it skips.

    The zone alone would put a skipped time after the ones that follow it, and periods out of order.
    """
    wall = (label + calendar.shift).replace(tzinfo=calendar.zone)
    found = wall.astimezone(UTC)
    if found.astimezone(calendar.zone).replace(tzinfo=None) == wall.replace(tzinfo=None):
        return found
    before, after = wall.replace(fold=1).astimezone(UTC), found
    offset = before.astimezone(calendar.zone).utcoffset()
    while after - before > _MOMENT:
        middle = before + (after - before) / 2
        is_before = middle.astimezone(calendar.zone).utcoffset() == offset
        before, after = (middle, after) if is_before else (before, middle)
    return after


def _step(kind: EditionType, label: datetime, by: int) -> datetime:
    if kind is EditionType.MONTHLY:
        months = label.year * 12 + label.month - 1 + by
        return label.replace(year=months // 12, month=months % 12 + 1)
    return label + by * _LENGTHS[kind]


def _name(kind: EditionType, start: datetime) -> str:
    match kind:
        case EditionType.FOUR_HOURS:
            return f"{start:%Y-%m-%dT%H:%M}"
        case EditionType.DAILY:
            return f"{start:%Y-%m-%d}"
        case EditionType.WEEKLY:
            year, week, _ = start.isocalendar()
            return f"{year:04}-W{week:02}"
        case EditionType.MONTHLY:
            return f"{start:%Y-%m}"


def _started(kind: EditionType, name: str, calendar: Calendar) -> datetime:
    match kind:
        case EditionType.FOUR_HOURS:
            start = datetime.strptime(name, "%Y-%m-%dT%H:%M")  # noqa: DTZ007 -- a wall clock's
        case EditionType.WEEKLY:
            start = datetime.strptime(f"{name}-1", "%G-W%V-%u") + calendar.shift  # noqa: DTZ007
        case EditionType.DAILY:
            start = datetime.strptime(name, "%Y-%m-%d") + calendar.shift  # noqa: DTZ007
        case EditionType.MONTHLY:
            start = datetime.strptime(name, "%Y-%m") + calendar.shift  # noqa: DTZ007
    return _instant(start - calendar.shift, calendar)


def _midnight(wall: datetime) -> datetime:
    return datetime.combine(wall.date(), MIDNIGHT)


_LENGTHS: Mapping[EditionType, timedelta] = {
    EditionType.FOUR_HOURS: timedelta(hours=4),
    EditionType.DAILY: timedelta(days=1),
    EditionType.WEEKLY: timedelta(weeks=1),
}
_FLOORS: Mapping[EditionType, Callable[[datetime], datetime]] = {
    EditionType.FOUR_HOURS: lambda wall: _midnight(wall) + timedelta(hours=wall.hour // 4 * 4),
    EditionType.DAILY: _midnight,
    EditionType.WEEKLY: lambda wall: _midnight(wall) - timedelta(days=wall.weekday()),
    EditionType.MONTHLY: lambda wall: _midnight(wall).replace(day=1),
}
_SPELLINGS: Mapping[EditionType, tuple[str, str]] = {
    EditionType.FOUR_HOURS: ("2026-11-15T08:00", r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}"),
    EditionType.DAILY: ("2026-11-15", r"[0-9]{4}-[0-9]{2}-[0-9]{2}"),
    EditionType.WEEKLY: ("2026-W46", r"[0-9]{4}-W[0-9]{2}"),
    EditionType.MONTHLY: ("2026-11", r"[0-9]{4}-[0-9]{2}"),
}
