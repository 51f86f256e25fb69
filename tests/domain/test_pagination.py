"""A cursor is what we gave out, and nothing else."""

from __future__ import annotations

from base64 import urlsafe_b64encode

import pytest

from clawfeed.domain.errors import InvalidInputError
from clawfeed.domain.pagination import (
    LARGEST_NUMBER,
    cursor_of,
    id_in,
    numbers_in,
    place_in,
    place_or_none,
)


@pytest.mark.parametrize("numbers", [(0, 0), (1763200000.25, 7), (0.5, LARGEST_NUMBER)])
def test_a_cursor_brings_its_numbers_back(numbers: tuple[float, float]) -> None:
    assert numbers_in(cursor_of(*numbers), 2) == list(numbers)
    assert id_in(cursor_of(numbers[1])) == numbers[1]
    assert place_in(cursor_of(*numbers)) == place_or_none(cursor_of(*numbers)) == numbers


def test_a_list_without_a_cursor_begins_at_its_beginning() -> None:
    assert (place_in(""), place_or_none(""), id_in("")) == (None, None, None)


@pytest.mark.parametrize(
    "text",
    [
        "[1]",
        "[1, 2, 3]",
        "[1, true]",
        '[1, "2"]',
        "[1, null]",
        "[1, -1]",
        "[1, 9223372036854775808]",
        "[1, 1e999]",
        "{}",
        '{"a": 1, "b": 2}',
        "12",
        "[1, 2",
        "",
    ],
)
def test_what_is_none_of_ours_is_told_so(text: str) -> None:
    cursor = urlsafe_b64encode(text.encode()).decode().rstrip("=")

    with pytest.raises(InvalidInputError, match="cursor is none of ours"):
        numbers_in(cursor, 2)
    assert place_or_none(cursor) is None


@pytest.mark.parametrize("cursor", ["汉字", "a", "\x00", "====", "W10="])
def test_no_text_at_all_breaks_it(cursor: str) -> None:
    with pytest.raises(InvalidInputError, match="cursor is none of ours"):
        numbers_in(cursor, 2)
