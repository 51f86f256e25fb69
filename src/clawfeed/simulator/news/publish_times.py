"""When a feed publishes: plans that name the moment of every item, past and future."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

WORKDAYS = 5
OPENS_AT = timedelta(hours=9)
OPEN_FOR = timedelta(hours=8)
# An item lands anywhere in the first nine tenths of its slot, so two never swap places.
USED_SHARE = 0.9


class Plan(Protocol):
    """The moments of items 0, 1, 2, ... counted from the world's beginning.

    A pure function: equal arguments give equal moments, and moments never decrease with *index*,
    whatever the *dice* (in [0, 1)) of each. None: this item will never be published.
    """

    def offset(self, index: int, dice: float) -> timedelta | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Every:
    """One item in every *gap*, day and night, at no particular moment of it."""

    gap: timedelta

    def offset(self, index: int, dice: float) -> timedelta | None:
        return index * self.gap + dice * USED_SHARE * self.gap


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkingHours:
    """*per_day* items between 9 and 17 UTC, Monday to Friday (worlds begin on a Monday)."""

    per_day: int = 4

    def offset(self, index: int, dice: float) -> timedelta | None:
        workday, slot = divmod(index, self.per_day)
        week, weekday = divmod(workday, WORKDAYS)
        into_the_day = OPEN_FOR * ((slot + dice * USED_SHARE) / self.per_day)
        return timedelta(weeks=week, days=weekday) + OPENS_AT + into_the_day


@dataclass(frozen=True, slots=True, kw_only=True)
class Bursts:
    """Silence, then *size* items within minutes; again after every *gap*."""

    gap: timedelta
    size: int = 5
    spacing: timedelta = timedelta(seconds=20)

    def offset(self, index: int, dice: float) -> timedelta | None:
        burst, place = divmod(index, self.size)
        return burst * self.gap + (place + dice * USED_SHARE) * self.spacing


@dataclass(frozen=True, slots=True)
class At:
    """Exactly these moments, in rising order, and nothing after the last."""

    moments: tuple[timedelta, ...]

    def offset(self, index: int, dice: float) -> timedelta | None:
        del dice  # nothing here is left to chance
        return self.moments[index] if index < len(self.moments) else None


NEVER = At(())


def once(after: timedelta = timedelta(0)) -> At:
    return At((after,))


def count_until(elapsed: timedelta, moment: Callable[[int], timedelta | None]) -> int:
    """How many of the rising *moment*s have come when *elapsed* has passed.

    Doubling, then halving: a feed that is years old costs some forty questions.
    """

    def has_come(index: int) -> bool:
        at = moment(index)
        return at is not None and at <= elapsed

    if not has_come(0):
        return 0
    step = 1
    while has_come(step):
        step *= 2
    low, high = step // 2, step  # item `low` has come, item `high` has not
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if has_come(middle) else (low, middle)
    return high
