"""A reader's interests, as the page lists them; and a change of them, for the browser to keep."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Final, TypeAlias

from clawfeed.domain.editions.interests import (
    HEAVIEST_INTEREST,
    Interest,
    InterestChange,
    InterestKind,
    require_words,
)
from clawfeed.domain.errors import InvalidInputError, RefusalCode
from clawfeed.web.frame.undo_codec import nothing_to_undo, packed, unpacked

# From here on it is much more, or much less.
_MUCH: Final = 2.0
_Interests: TypeAlias = list[tuple[InterestKind, str, float]]
_GROUPS: Final = ("my.wanted", "my.unwanted", "my.muted")


def interest_groups(interests: Sequence[Interest]) -> list[tuple[str, list[dict[str, object]]]]:
    """More of, less of, nothing of: the key of a heading and the interests below it."""
    return [
        (heading, lines)
        for heading in _GROUPS
        if (lines := [_line(each) for each in interests if _group(each) == heading])
    ]


def _group(interest: Interest) -> str:
    if interest.kind is InterestKind.MUTED:
        return "my.muted"
    return "my.unwanted" if interest.weight < 0 else "my.wanted"


def _line(interest: Interest) -> dict[str, object]:
    return {
        "name": f"{interest.kind}:{interest.text}",
        "text": interest.text,
        "is_much": interest.kind is not InterestKind.MUTED and abs(interest.weight) >= _MUCH,
    }


def named(name: str) -> Interest:
    """The interest that a button of the list names."""
    kind, _, text = name.partition(":")
    if kind not in set(InterestKind):
        raise InvalidInputError("there is no such interest", RefusalCode.CHOICE_MISSING)
    return Interest(kind=InterestKind(kind), text=text)


def undo_of(change: InterestChange) -> str:
    """*change* for the browser to keep; empty if it is too long, or none."""
    if not change.put and not change.drop:
        return ""
    put, drop = (
        [(each.kind, each.text, each.weight) for each in some] for some in (change.put, change.drop)
    )
    return packed((put, drop, change.places))


def change_in(thing: str) -> InterestChange:
    """The change again, held to what anybody may ask for."""
    put, drop, places = unpacked(thing, tuple[_Interests, _Interests, list[int]])
    change = InterestChange(
        put=_interests(put), drop=_interests(drop), places=tuple(max(at, 0) for at in places)
    )
    for each in change.put:
        require_words(each.text)
    return change


def _interests(parts: Sequence[tuple[InterestKind, str, float]]) -> tuple[Interest, ...]:
    if not all(isfinite(weight) and abs(weight) <= HEAVIEST_INTEREST for _, _, weight in parts):
        raise nothing_to_undo()  # a weight that nobody may give
    return tuple(Interest(kind=kind, text=text, weight=weight) for kind, text, weight in parts)
