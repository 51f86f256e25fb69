"""Texts cut to a terminal's cells, of which a Chinese character takes two."""

from __future__ import annotations

import shutil
import sys

from clawfeed.app.processes.logging_setup import one_line
from clawfeed.rendering.text_width import cells

# Where the output is no terminal.
DEFAULT_SIZE = (110, 40)


def terminal_width() -> int:
    """How many cells a line may take; the last is left free, where some terminals would wrap."""
    return shutil.get_terminal_size(DEFAULT_SIZE).columns - 1


def fit(text: str, width: int) -> str:
    """*text* in exactly *width* cells: cut, or filled up with spaces."""
    shown = cut(text, width)
    return shown + " " * (width - cells(shown))


def cut(text: str, width: int) -> str:
    """*text* on one line of at most *width* cells; "…" stands for what was cut off."""
    text = one_line(text)
    if cells(text) <= width:
        return text
    shown, room = "", width - 1
    for character in text:
        room -= cells(character)
        if room < 0:
            break
        shown += character
    return shown + "…" if width > 0 else ""


def folded(text: str, *, start: str = "", err: bool = False) -> str:
    """*start* and *text*, which is broken between words where it meets a terminal's edge.

    A terminal would break inside them. A word that is too long (an address, to be copied) is left
    whole, and for a file or another program the line stays one.
    """
    if not (sys.stderr if err else sys.stdout).isatty():
        return start + text
    hang = " " * (cells(start) or 2)
    first, *words = text.split(" ")
    lines = [start + first]
    for word in words:
        if cells(f"{lines[-1]} {word}") <= terminal_width():
            lines[-1] += f" {word}"
        else:
            lines.append(hang + word)
    return "\n".join(lines)
