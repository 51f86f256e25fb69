"""Moments as programs read them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from clawfeed.domain.moments import iso


def test_a_moment_is_told_in_utc_to_the_second() -> None:
    assert iso(datetime(2026, 11, 15, 13, 30, 0, 5, tzinfo=UTC)) == "2026-11-15T13:30:00Z"
    assert iso(None) is None


def test_a_moment_of_another_zone_is_told_in_utc_too() -> None:
    shanghai = timezone(timedelta(hours=8))

    at = datetime(2026, 11, 15, 21, 30, 0, 7_000, tzinfo=shanghai)

    assert iso(at) == "2026-11-15T13:30:00Z"
    assert iso(at, to="milliseconds") == "2026-11-15T13:30:00.007Z"
