"""A small SVG of delay against looks: logarithmic both ways, one line or point per rule."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

WIDTH, HEIGHT = 860, 520
LEFT, RIGHT, TOP, BOTTOM = 70, 200, 30, 60
# Told apart by most people with a colour weakness; the marks differ as well.
COLOURS = (
    "#d55e00", "#0072b2", "#009e73", "#cc79a7", "#7f7f7f",
    "#b8860b", "#56b4e9", "#6a3d9a", "#000000", "#8c564b",
)  # fmt: skip
TICKS = tuple(digit * 10**power for power in range(-1, 5) for digit in (1, 2, 5))

Line = tuple[str, Sequence[tuple[float, float]]]


def draw(lines: Sequence[Line]) -> str:
    """The whole SVG file."""
    points = [point for _name, points in lines for point in points]
    across = Axis([x for x, _ in points], LEFT, WIDTH - RIGHT)
    up = Axis([y for _, y in points], HEIGHT - BOTTOM, TOP)
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="13"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">',
        "<title>Mean delay against looks a day</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        *_grid(across, up),
        *(part for place, line in enumerate(lines) for part in _line(place, line, across, up)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


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


def _grid(across: Axis, up: Axis) -> list[str]:
    left, right, top, bottom = LEFT, WIDTH - RIGHT, TOP, HEIGHT - BOTTOM
    parts = []
    for tick in across.ticks():
        x = across.at(tick)
        parts += [_stroke(x, top, x, bottom), _text(x, bottom + 18, f"{tick:g}", "middle")]
    for tick in up.ticks():
        y = up.at(tick)
        parts += [_stroke(left, y, right, y), _text(left - 8, y + 4, f"{tick:g}", "end")]
    sideways = f'transform="translate(20 {(top + bottom) / 2}) rotate(-90)"'
    parts += [
        _text((left + right) / 2, HEIGHT - 16, "looks a day and source", "middle"),
        f'<text {sideways} text-anchor="middle">mean delay in minutes</text>',
    ]
    return parts


def _stroke(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="#ddd"/>'


def _text(x: float, y: float, words: str, anchor: str = "start") -> str:
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}">{escape(words)}</text>'


def _line(place: int, line: Line, across: Axis, up: Axis) -> list[str]:
    name, points = line
    colour = COLOURS[place % len(COLOURS)]
    spots = [(across.at(x), up.at(y)) for x, y in sorted(points)]
    path = " ".join(f"{x},{y}" for x, y in spots)
    legend_y = TOP + 12 + 22 * place
    return [
        f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>',
        *(_mark(place, x, y, colour) for x, y in spots),
        _mark(place, WIDTH - RIGHT + 24, legend_y - 4, colour),
        _text(WIDTH - RIGHT + 38, legend_y, name),
    ]


def _mark(place: int, x: float, y: float, colour: str) -> str:
    if place % 2:
        return f'<rect x="{x - 4}" y="{y - 4}" width="8" height="8" fill="{colour}"/>'
    return f'<circle cx="{x}" cy="{y}" r="4.5" fill="{colour}"/>'
