"""The picture of a backtest as an SVG: sharp at any size, and it needs nothing installed."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import assert_never

from clawfeed.cli.backtest.plot import (
    FONT_SIZE,
    GRID,
    HEIGHT,
    TITLE,
    WIDTH,
    Curve,
    PlotMark,
    Shape,
    Stroke,
    Words,
)


def render(shapes: Sequence[Shape]) -> bytes:
    """The whole file."""
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="{FONT_SIZE}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">',
        f"<title>{TITLE}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        *(_element(shape) for shape in shapes),
        "</svg>",
    ]
    return ("\n".join(parts) + "\n").encode()


def _element(shape: Shape) -> str:
    match shape:
        case Stroke(x1=x1, y1=y1, x2=x2, y2=y2):
            return f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{GRID}"/>'
        case Words():
            return _text(shape)
        case Curve(spots=spots, colour=colour):
            path = " ".join(f"{x},{y}" for x, y in spots)
            return f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
        case PlotMark():
            return _mark(shape)
        case _:
            assert_never(shape)


def _text(words: Words) -> str:
    place = f'x="{words.x}" y="{words.y}"'
    if words.is_sideways:
        place = f'transform="translate({words.x} {words.y}) rotate(-90)"'
    return f'<text {place} text-anchor="{words.anchor}">{escape(words.text)}</text>'


def _mark(mark: PlotMark) -> str:
    x, y, colour = mark.x, mark.y, mark.colour
    if mark.is_square:
        return f'<rect x="{x - 4}" y="{y - 4}" width="8" height="8" fill="{colour}"/>'
    return f'<circle cx="{x}" cy="{y}" r="4.5" fill="{colour}"/>'
