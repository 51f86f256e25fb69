"""What a browser keeps to undo something with, and what it may send instead."""

from __future__ import annotations

from base64 import urlsafe_b64encode

import pytest

from clawfeed.domain.editions.interests import (
    HEAVIEST_INTEREST,
    Interest,
    InterestChange,
    InterestKind,
)
from clawfeed.domain.errors import InvalidInputError, RefusalCode
from clawfeed.web.frame.flash import LONGEST_THING
from clawfeed.web.frame.undo_codec import packed, unpacked
from clawfeed.web.my_edition.interest_list import change_in, undo_of
from clawfeed.web.reading.saved import mark_in


def a_thing(text: str) -> str:
    return urlsafe_b64encode(text.encode()).decode().rstrip("=")


def test_parts_come_back_as_they_were_unless_they_are_too_long() -> None:
    parts = ("关于 rust", 7, None)

    assert unpacked(packed(parts), tuple[str, int, None]) == parts
    assert len(packed("x" * (LONGEST_THING * 3 // 4 - 2))) == LONGEST_THING
    assert packed("x" * LONGEST_THING) == ""


@pytest.mark.parametrize(
    "thing",
    [
        "",
        "~",
        "a",
        "é",
        a_thing("{"),
        a_thing("[]"),
        a_thing("[1, 2]"),
        a_thing('["x", "y", null]'),
    ],
)
def test_what_is_none_of_ours_brings_nothing_back(thing: str) -> None:
    with pytest.raises(InvalidInputError) as caught:
        unpacked(thing, tuple[str, int, None])

    assert caught.value.told is RefusalCode.NOTHING_TO_UNDO


@pytest.mark.parametrize("weight", [HEAVIEST_INTEREST + 1, -HEAVIEST_INTEREST - 1])
def test_nobody_gives_an_interest_more_weight_by_undoing(weight: float) -> None:
    heavy = Interest(kind=InterestKind.TOPIC, text="tide", weight=weight)

    with pytest.raises(InvalidInputError) as caught:
        change_in(undo_of(InterestChange(put=(heavy,))))

    assert caught.value.told is RefusalCode.NOTHING_TO_UNDO


def test_a_mark_of_nothing_is_not_saved() -> None:
    with pytest.raises(InvalidInputError) as caught:
        mark_in(packed(("javascript:alert(1)", "title", "", "saved", None)))

    assert caught.value.told is RefusalCode.NOTHING_TO_UNDO
