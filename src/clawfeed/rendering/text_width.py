"""How wide a text is where every character has its cells, of which a Chinese one takes two."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

# It asks for the emoji of a sign, and some terminals then give that sign a second cell.
EMOJI_PLEASE = "\ufe0f"
# These do not begin a line: they belong to what stands before them.
_NOT_FIRST = frozenset("，。！？；：、）」』】》”’,.!?;:)]}")


def cells(text: str) -> int:
    """How many cells *text* takes, at most: terminals do not agree on everything."""
    return len(text) if text.isascii() else sum(map(_cells, text))


def wrapped(text: str, width: int, *, first: str = "", rest: str = "") -> list[str]:
    """*text* in lines of at most *width* cells, after *first* and then after *rest*.

    Broken at spaces, and between characters of scripts that are written without any. What cannot
    be broken (an address, to be copied) is left whole.
    """
    lines, line, is_bare = [], first, True
    for piece in _pieces(text):
        if not is_bare and cells(line + piece.rstrip()) > width:
            lines.append(line.rstrip())
            line, piece = rest, piece.lstrip()  # noqa: PLW2901 -- a line begins without its space
        line += piece
        is_bare = False
    return [*lines, line.rstrip()]


def _pieces(text: str) -> Iterator[str]:
    """What stays on one line, each with the space after it."""
    piece = ""
    for character in text:
        follows = character == " " or character in _NOT_FIRST or _cells(character) == 0
        is_over = piece.endswith(" ") or _is_wide(piece[-1:]) or _is_wide(character)
        if piece and is_over and not follows:
            yield piece
            piece = ""
        piece += character
    if piece:
        yield piece


def _is_wide(character: str) -> bool:
    return bool(character) and unicodedata.east_asian_width(character) in "WF"


def _cells(character: str) -> int:
    if unicodedata.category(character) in {"Mn", "Me"} and character != EMOJI_PLEASE:
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
