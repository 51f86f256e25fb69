"""The overview's drawings, in numbers: bars of cadences, and a day of waiting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from clawfeed.domain.schedule.cadence import Cadence
from clawfeed.storage.operations.collector_activity import HourOfPolls

WIDTH: Final = 420
ROW: Final = 22
LABEL, NUMBER = 96, 48
LONGEST_BAR: Final = WIDTH - LABEL - NUMBER
HEIGHT: Final = 110
# Less than this nobody would see.
SHORTEST_BAR: Final = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CadenceBar:
    """How many sources are polled so often; *cadence* is None for those nobody knows yet."""

    cadence: Cadence | None
    count: int
    y: int
    width: float

    @property
    def minutes(self) -> int:
        return int(self.cadence.base.total_seconds() // 60) if self.cadence else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CadenceChart:
    bars: tuple[CadenceBar, ...]
    width: int = WIDTH
    label: int = LABEL
    longest: int = LONGEST_BAR

    @property
    def height(self) -> int:
        return ROW * len(self.bars)

    @property
    def total(self) -> int:
        return sum(bar.count for bar in self.bars)


@dataclass(frozen=True, slots=True, kw_only=True)
class LagBar:
    """An hour: *longest* and *mean* are the heights of its two bars."""

    x: float
    longest: float
    mean: float
    hour: HourOfPolls


@dataclass(frozen=True, slots=True, kw_only=True)
class LagChart:
    """*longest* is the longest wait of all, *scale* the lag at the upper edge."""

    bars: tuple[LagBar, ...]
    bar: float
    longest: timedelta
    scale: timedelta
    width: int = WIDTH
    height: int = HEIGHT


def cadence_chart(counts: Mapping[str, int]) -> CadenceChart:
    """All cadences, in their order; the longest bar is full."""
    most = max(counts.values(), default=0)
    known = [(each, counts.get(each, 0)) for each in Cadence]
    unknown = [(None, counts[""])] if counts.get("") else []
    return CadenceChart(
        bars=tuple(
            CadenceBar(cadence=cadence, count=count, y=number * ROW, width=_of(count, most))
            for number, (cadence, count) in enumerate([*known, *unknown])
        )
    )


def _of(count: int, most: int) -> float:
    return round(max(SHORTEST_BAR, LONGEST_BAR * count / most), 1) if count else 0.0


def lag_chart(hours: Sequence[HourOfPolls]) -> LagChart:
    """The hours as bars, the last one at the right; the longest wait of all reaches the edge."""
    longest = max((hour.longest_lag for hour in hours), default=timedelta(0))
    # Where nobody waits, a tenth of a second must not look like a mountain.
    scale = max(longest, timedelta(seconds=10))
    step = WIDTH / max(1, len(hours))

    def height(lag: timedelta) -> float:
        return round(max(SHORTEST_BAR, HEIGHT * (lag / scale)), 1)

    return LagChart(
        bars=tuple(
            LagBar(
                x=round(number * step, 1),
                longest=height(hour.longest_lag) if hour.polls else 0.0,
                mean=height(hour.mean_lag) if hour.polls else 0.0,
                hour=hour,
            )
            for number, hour in enumerate(hours)
        ),
        bar=round(step - 2, 1),
        longest=longest,
        scale=scale,
    )
