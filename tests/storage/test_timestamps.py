"""Moments survive being stored."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from clawfeed.storage.timestamps import moment, seconds


@given(
    st.datetimes(
        min_value=datetime(1990, 1, 1),  # noqa: DTZ001 -- hypothesis wants naive bounds
        max_value=datetime(2100, 1, 1),  # noqa: DTZ001
        timezones=st.just(UTC),
    )
)
def test_a_moment_comes_back_to_the_microsecond(at: datetime) -> None:
    assert moment(seconds(at)) == at
