"""A small picture of delay against polls: logarithmic both ways, one line or point per rule.

Here is what goes where; `svg` and `png` only put the same shapes on paper.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

WIDTH, HEIGHT = 860, 520
LEFT, RIGHT, TOP, BOTTOM = 70, 200, 30, 60
TITLE = "Mean delay against polls a day"
FONT_SIZE = 13
GRID = "#ddd"
# Told apart by most people with a colour weakness; the marks differ as well.
COLOURS = (
    "#d55e00", "#0072b2", "#009e73", "#cc79a7", "#7f7f7f",
    "#b8860b", "#56b4e9", "#6a3d9a", "#000000", "#8c564b",
)  # fmt: skip
TICKS = tuple(digit * 10**power for power in range(-1, 5) for digit in (1, 2, 5))

Line: TypeAlias = tuple[str, Sequence[tuple[float, float]]]
Anchor: TypeAlias = Literal["start", "middle", "end"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stroke:
    """A thin straight line of the grid."""

    x1: float
    y1: float
    x2: float
    y2: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """A text whose baseline is at *y*; sideways, it reads upwards and the baseline is at *x*."""

    x: float
    y: float
    text: str
    anchor: Anchor = "start"
    is_sideways: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """One rule's line."""

    spots: tuple[tuple[float, float], ...]
    colour: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlotMark:
    """A dot, or a square, around its middle."""

    x: float
    y: float
    colour: str
    is_square: bool


Shape: TypeAlias = Stroke | Words | Curve | PlotMark


def lay_out(lines: Sequence[Line]) -> list[Shape]:
    """Everything on the picture, in the order it is drawn."""
    points = [point for _name, points in lines for point in points]
    across = Axis([x for x, _ in points], LEFT, WIDTH - RIGHT)
    up = Axis([y for _, y in points], HEIGHT - BOTTOM, TOP)
    curves = (part for place, line in enumerate(lines) for part in _line(place, line, across, up))
    return [*_grid(across, up), *curves]


class Axis:
    """A logarithmic scale that just holds its values."""

    def __init__(self, values: Sequence[float], start: float, end: float) -> None:
        positive = [value for value in values if value > 0] or [1.0]
        self.low = max(tick for tick in TICKS if tick <= max(min(positive), TICKS[0]))
        self.high = min(tick for tick in TICKS if tick >= min(max(positive) * 1.01, TICKS[-1]))
        self.start, self.end = start, end

    def at(self, value: float) -> float:
        """Where *value* is drawn; what lies outside sits on the edge."""
        value = min(max(value, self.low), self.high)
        share = math.log(value / self.low) / math.log(self.high / self.low)
        return round(self.start + share * (self.end - self.start), 1)

    def ticks(self) -> list[float]:
        return [tick for tick in TICKS if self.low <= tick <= self.high]


def _grid(across: Axis, up: Axis) -> list[Shape]:
    left, right, top, bottom = LEFT, WIDTH - RIGHT, TOP, HEIGHT - BOTTOM
    shapes: list[Shape] = []
    for tick in across.ticks():
        x = across.at(tick)
        shapes.append(Stroke(x1=x, y1=top, x2=x, y2=bottom))
        shapes.append(Words(x=x, y=bottom + 18, text=f"{tick:g}", anchor="middle"))
    for tick in up.ticks():
        y = up.at(tick)
        shapes.append(Stroke(x1=left, y1=y, x2=right, y2=y))
        shapes.append(Words(x=left - 8, y=y + 4, text=f"{tick:g}", anchor="end"))
    return [*shapes, *_axis_names((left + right) / 2, (top + bottom) / 2)]


def _axis_names(middle: float, centre: float) -> tuple[Words, Words]:
    across = Words(x=middle, y=HEIGHT - 16, text="polls a day and source", anchor="middle")
    up = Words(x=20, y=centre, text="mean delay in minutes", anchor="middle", is_sideways=True)
    return across, up


def _line(place: int, line: Line, across: Axis, up: Axis) -> list[Shape]:
    name, points = line
    colour, is_square = COLOURS[place % len(COLOURS)], bool(place % 2)
    spots = tuple((across.at(x), up.at(y)) for x, y in sorted(points))
    legend_y = TOP + 12 + 22 * place
    middles = [*spots, (WIDTH - RIGHT + 24, legend_y - 4)]
    return [
        Curve(spots=spots, colour=colour),
        *(PlotMark(x=x, y=y, colour=colour, is_square=is_square) for x, y in middles),
        Words(x=WIDTH - RIGHT + 38, y=legend_y, text=name),
    ]
