"""Where a list goes on: a few numbers in a text that nobody has to understand."""

from __future__ import annotations

import math
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Sequence
from typing import TypeVar

import orjson

from clawfeed.domain.errors import InvalidInputError

LARGEST_NUMBER = 2**63 - 1
# More than two numbers ever take.
LONGEST_CURSOR = 200
T = TypeVar("T")


def cursor_of(*numbers: float) -> str:
    """The cursor that stands for *numbers*."""
    return urlsafe_b64encode(orjson.dumps(numbers)).decode().rstrip("=")


def page_of(
    found: Sequence[T], limit: int, place: Callable[[T], tuple[float, ...]]
) -> tuple[Sequence[T], str | None]:
    """The first *limit* of *found*, and the cursor after them; None if there are no more.

    Ask for one row more than a page has: it tells whether the list goes on. *place* gives the
    numbers by which a row is found again.
    """
    page = found[:limit]
    return page, cursor_of(*place(page[-1])) if len(found) > limit else None


def numbers_in(cursor: str, count: int) -> list[int | float]:
    """The *count* numbers a cursor of ours stands for; `InvalidInputError` if it is not ours."""
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        numbers = orjson.loads(urlsafe_b64decode(padded.encode("ascii")))
    except ValueError:
        numbers = None
    if not isinstance(numbers, list) or len(numbers) != count or not all(map(_is_fit, numbers)):
        raise InvalidInputError("cursor is none of ours: take `next_cursor` as it was given")
    return numbers


def id_in(cursor: str) -> int | None:
    """The id a list goes on from; None at its beginning."""
    return int(numbers_in(cursor, 1)[0]) if cursor else None


def place_in(cursor: str) -> tuple[float, int] | None:
    """The moment and the id a list goes on from; None at its beginning."""
    if not cursor:
        return None
    moment, id_ = numbers_in(cursor, 2)
    return float(moment), int(id_)


def place_or_none(cursor: str) -> tuple[float, int] | None:
    """The same for addresses, which people cut and edit: at its beginning if it is not ours."""
    try:
        return place_in(cursor[:LONGEST_CURSOR])
    except InvalidInputError:
        return None


def _is_fit(number: object) -> bool:
    if isinstance(number, bool) or not isinstance(number, int | float):
        return False
    return math.isfinite(number) and 0 <= number <= LARGEST_NUMBER
