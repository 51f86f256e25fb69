"""Single values out of strangers' JSON."""

from __future__ import annotations

import pytest

from clawfeed.sources.documents.hackernews import parse_story_ids
from clawfeed.sources.documents.json_values import count_of


@pytest.mark.parametrize(
    ("value", "count"),
    [
        (7, 7),
        (12.0, 12),
        ("42", 42),
        (2**53, 2**53),
        (2**53 + 2, None),
        (10**400, None),
        (-(10**400), None),
        (float("inf"), None),
        (float("nan"), None),
        (True, None),
        ("9" * 400, None),
    ],
)
def test_a_count_is_a_number_that_everybody_can_hold(value: object, count: int | None) -> None:
    assert count_of(value) == count


def test_a_number_of_400_digits_costs_no_list() -> None:
    """It was an `OverflowError`, and so a failure of ours (T30)."""
    assert parse_story_ids(b"[1," + b"9" * 400 + b",2]", {"limit": 10}) == [1, 2]
