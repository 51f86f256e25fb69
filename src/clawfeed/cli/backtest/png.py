"""The picture of a backtest as a PNG, for chats and slides; needs Pillow (`clawfeed[plot]`)."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import assert_never

from PIL import Image, ImageDraw, ImageFont
from PIL.PngImagePlugin import PngInfo

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

# Twice the SVG's units, so that it is sharp on today's screens.
SCALE = 2
# Pillow draws hard edges: drawn this much larger and shrunk, they are smooth.
OVERSAMPLING = 2
# Where a text hangs, in Pillow's letters: left, middle or right; on its baseline.
ANCHORS = {"start": "ls", "middle": "ms", "end": "rs"}


def render(shapes: Sequence[Shape]) -> bytes:
    """The whole file."""
    paper = _Paper(SCALE * OVERSAMPLING)
    for shape in shapes:
        paper.draw(shape)
    file = BytesIO()
    paper.image.reduce(OVERSAMPLING).save(file, "PNG", optimize=True, pnginfo=_info())
    return file.getvalue()


def _info() -> PngInfo:
    info = PngInfo()
    info.add_text("Title", TITLE)
    return info


class _Paper:
    """A white sheet that takes shapes in the picture's units."""

    def __init__(self, scale: int) -> None:
        self.image = Image.new("RGB", (WIDTH * scale, HEIGHT * scale), "#fff")
        self._scale = scale
        self._pen = ImageDraw.Draw(self.image)
        self._font = ImageFont.load_default(FONT_SIZE * scale)

    def draw(self, shape: Shape) -> None:
        match shape:
            case Stroke(x1=x1, y1=y1, x2=x2, y2=y2):
                self._pen.line(self._at((x1, y1), (x2, y2)), fill=GRID, width=self._scale)
            case Words(is_sideways=True):
                self._write_sideways(shape)
            case Words(x=x, y=y, text=text):
                [spot] = self._at((x, y))
                anchor = ANCHORS[shape.anchor]
                self._pen.text(spot, text, fill="#000", font=self._font, anchor=anchor)
            case Curve(spots=spots, colour=colour):
                self._pen.line(self._at(*spots), fill=colour, width=2 * self._scale, joint="curve")
            case PlotMark(x=x, y=y, colour=colour, is_square=True):
                self._pen.rectangle(self._at((x - 4, y - 4), (x + 4, y + 4)), fill=colour)
            case PlotMark(x=x, y=y, colour=colour):
                [middle] = self._at((x, y))
                self._pen.circle(middle, 4.5 * self._scale, fill=colour)
            case _:
                assert_never(shape)

    def _at(self, *spots: tuple[float, float]) -> list[tuple[float, float]]:
        return [(x * self._scale, y * self._scale) for x, y in spots]

    def _write_sideways(self, words: Words) -> None:
        """Text written level on a slip of its own, turned, and laid on the sheet."""
        length = round(self._font.getlength(words.text))
        above, below = self._scale * FONT_SIZE, self._scale * FONT_SIZE // 2
        slip = Image.new("L", (length, above + below))
        pen = ImageDraw.Draw(slip)
        pen.text((length / 2, above), words.text, fill=255, font=self._font, anchor="ms")
        [(x, y)] = self._at((words.x, words.y))
        corner = (round(x - above), round(y - length / 2))
        self.image.paste("#000", corner, slip.transpose(Image.Transpose.ROTATE_90))
