"""What is remembered of a source's rhythm: a few hundred numbers, and their small blob."""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple

from clawfeed.domain.forecast.weekly_profile import (
    CELL,
    CELLS_A_DAY,
    DAY,
    HOUR,
    HOURS_A_WEEK,
    OFFSET,
    CountSums,
    Shape,
    add_up,
)

# Upper edges of "expected items since the last one": just published ... long overdue.
SINCE_EDGES = (0.02, 0.05, 0.12, 0.3, 0.6, 1.0, 1.6, 2.5, 5.0)
SINCE_PLACES = len(SINCE_EDGES) + 1
# What we believe of a source nobody has watched yet: a poll soon, then its own rate.
PRIOR_ITEMS, PRIOR_DAYS = 0.2, 0.02
# Half-life of the profile: how fast past hours lose their say.
PROFILE_DAYS = 45.0
# And of bursts.
ACTIVITY_HOURS = 12.0
# For so long a shape stands in for the slightly older one of later moments.
SHAPE_HOLDS = 6 * HOUR
# From so many days watched on, more of them change nothing.
DAYS_ENOUGH = 16.0
VERSION = 1
# Version; seven numbers; two exponents; since-last counts; the profile's counts in 16 bits.
_LAYOUT = struct.Struct(f"<B7d2b{2 * SINCE_PLACES}f{HOURS_A_WEEK + CELLS_A_DAY}H")
_CHECKSUM = struct.Struct("<I")
_LARGEST_COUNT = 65535
_NO_COUNTS = (0.0,) * SINCE_PLACES


class CachedShape:
    """The shape worked out last, for as long as it is asked for again: most polls find nothing."""

    __slots__ = ("age", "days", "hours", "shape", "sums")

    def __init__(self, sums: CountSums, hours: Sequence[float]) -> None:
        self.sums = sums
        self.hours = hours  # of the state they were worked out for
        self.age = self.days = 0.0
        self.shape: Shape | None = None

    def shape_at(self, age: float, days: float) -> Shape:
        if self.shape is None or (self.age, self.days) != (age, days):
            self.age, self.days = age, days
            self.shape = Shape(self.sums, age=age, days=days)
        return self.shape


class CellsAhead(NamedTuple):
    """The cells from a moment on, as they are expected then.

    In levels, not in items: they are added up without being multiplied one by one.
    """

    start: float
    first: int  # which cell since the epoch the moment is in
    whole: float  # the level of that cell; of its place in *levels*, part is over
    levels: Sequence[float]
    since: Sequence[float]  # expected since the newest item, before each cell and after the last
    keeps_minutes: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """All that polls taught us about when a source publishes. The default knows nothing."""

    items: float = 0.0  # seen, forgotten slowly
    days: float = 0.0  # watched, forgotten alike
    recent: float = 0.0  # items of the last hours
    expected: float = 0.0  # what they should have been
    since: float = 0.0  # items expected since the newest one
    unit_at: float = 0.0  # when an item counts 1 in the profile; later ones count more
    learned_at: float = 0.0  # the last poll that taught us, 0 if none
    found: tuple[float, ...] = _NO_COUNTS  # items by how much was expected since the one before
    awaited: tuple[float, ...] = _NO_COUNTS  # and what was expected then
    hours: tuple[float, ...] = (0.0,) * HOURS_A_WEEK
    minutes: tuple[float, ...] = (0.0,) * CELLS_A_DAY  # five-minute cells of the day
    # No knowledge of its own: what was worked out from the counts above.
    memo: CachedShape | None = field(default=None, compare=False, repr=False)
    # Nor has this: what the poll planned by is what the next one learns from. Never copied.
    seen_ahead: CellsAhead | None = field(default=None, init=False, compare=False, repr=False)

    @property
    def rate(self) -> float:
        """Items a day."""
        return (self.items + PRIOR_ITEMS) / (self.days + PRIOR_DAYS)

    def age(self, at: float) -> float:
        """How much an item counted at *at* outweighs the unit of the profile's counts."""
        return float(2.0 ** ((at - self.unit_at) / DAY / PROFILE_DAYS)) if self.unit_at else 1.0

    def shape(self, at: float) -> Shape:
        """When it publishes, as believed at *at*, give or take hours."""
        age = self.age(at // SHAPE_HOLDS * SHAPE_HOLDS)
        days = min(self.days // 0.25 * 0.25, DAYS_ENOUGH)
        return self._memo().shape_at(age, days)

    def ahead(self, start: float, size: int) -> CellsAhead:
        """At least *size* cells from *start* on; those it was asked for last are still known."""
        known = self.seen_ahead
        if known is None or known.start != start or len(known.levels) < size:
            known = self._look_ahead(start, size)
            object.__setattr__(self, "seen_ahead", known)
        return known

    def _look_ahead(self, start: float, size: int) -> CellsAhead:
        shape, first = self.shape(start), math.floor((start - OFFSET) / CELL)
        levels = shape.levels(first, size)
        whole = levels[0]
        levels[0] = whole * (1 - (start - OFFSET) % CELL / CELL)  # part of it is over
        since = list(accumulate(levels, initial=self.since / (self.rate * CELL / DAY)))
        return CellsAhead(start, first, whole, levels, since, shape.keeps_minutes)

    @property
    def sums(self) -> CountSums:
        """What the counts add up to; copy it before counting on."""
        return self._memo().sums

    def _memo(self) -> CachedShape:
        memo = self.memo
        if memo is None or memo.hours is not self.hours:
            memo = CachedShape(add_up(self.hours, self.minutes), self.hours)
            object.__setattr__(self, "memo", memo)
        return memo


def to_bytes(state: Forecast) -> bytes:
    """About a kilobyte for the source's row. Rounds the profile to 1/32000 of its peak or less."""
    hours_exponent, hours = _packed(state.hours)
    minutes_exponent, minutes = _packed(state.minutes)
    numbers = (
        state.items,
        state.days,
        state.recent,
        state.expected,
        state.since,
        state.unit_at,
        state.learned_at,
    )
    exponents = (hours_exponent, minutes_exponent)
    body = _LAYOUT.pack(
        VERSION, *numbers, *exponents, *state.found, *state.awaited, *hours, *minutes
    )
    return body + _CHECKSUM.pack(zlib.crc32(body))


def from_bytes(blob: bytes) -> Forecast:
    """The state as it was stored; ValueError if the blob is damaged or from another version."""
    body, checksum = blob[: _LAYOUT.size], blob[_LAYOUT.size :]
    if len(blob) != _LAYOUT.size + _CHECKSUM.size or body[0] != VERSION:
        raise ValueError("not a forecast of this version")
    if _CHECKSUM.pack(zlib.crc32(body)) != checksum:
        raise ValueError("a damaged forecast")
    values = _LAYOUT.unpack(body)
    items, days, recent, expected, since, unit_at, learned_at = values[1:8]
    places, profile = values[10 : 10 + 2 * SINCE_PLACES], values[10 + 2 * SINCE_PLACES :]
    return Forecast(
        items=items,
        days=days,
        recent=recent,
        expected=expected,
        since=since,
        unit_at=unit_at,
        learned_at=learned_at,
        found=places[:SINCE_PLACES],
        awaited=places[SINCE_PLACES:],
        hours=_unpacked(values[8], profile[:HOURS_A_WEEK]),
        minutes=_unpacked(values[9], profile[HOURS_A_WEEK:]),
    )


def _packed(counts: Sequence[float]) -> tuple[int, list[int]]:
    """Whole multiples of a power of two, so that storing twice changes nothing."""
    exponent = max(math.frexp(max(counts) / _LARGEST_COUNT)[1], -126)
    unit = math.ldexp(1.0, exponent)
    return exponent, [round(count / unit) for count in counts]


def _unpacked(exponent: int, counts: Sequence[int]) -> tuple[float, ...]:
    unit = math.ldexp(1.0, exponent)
    return tuple([count * unit for count in counts])
