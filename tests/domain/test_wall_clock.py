"""Times of day and zones, as people write them."""

from __future__ import annotations

from datetime import time

import pytest

from clawfeed.domain.wall_clock import is_zone, time_at, time_text


@pytest.mark.parametrize(("text", "found"), [("00:00", time(0)), ("23:59", time(23, 59))])
def test_a_time_of_day_is_read(text: str, found: time) -> None:
    assert time_at(text) == found
    assert time_text(found) == text


@pytest.mark.parametrize(
    "text", ["", "7:30", "24:00", "07:60", "07:30\n", "07:30:00", "٠٧:٣٠", "x"]
)
def test_what_is_none_is_none(text: str) -> None:
    assert time_at(text) is None


def test_no_time_is_no_text() -> None:
    assert time_text(None) is None


def test_a_zone_is_one_that_this_machine_knows() -> None:
    names = ("UTC", "Europe/Berlin", "", "Nowhere", "../etc/passwd", "Europe", "\x00")

    assert [is_zone(name) for name in names] == [True, True, False, False, False, False, False]
