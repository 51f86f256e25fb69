"""A restart resumes the rhythm (S003-4)."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawfeed.domain.schedule.restart import next_run_time, should_run_now

NOW = 1_000_000.0


@pytest.mark.parametrize(
    ("last", "runs_now", "next_run"),
    [
        (None, True, NOW),
        (NOW - 3601, True, NOW),
        (NOW - 3600, False, NOW),
        (NOW - 600, False, NOW + 3000),
        (NOW, False, NOW + 3600),
        (NOW + 86_400, True, NOW),
        (math.nan, True, NOW),
        (math.inf, True, NOW),
    ],
)
def test_the_first_the_overdue_and_the_others(
    last: float | None, runs_now: bool, next_run: float
) -> None:
    assert should_run_now(last, NOW, 3600) is runs_now
    assert next_run_time(last, NOW, 3600) == next_run


@given(
    last=st.none() | st.floats(allow_nan=True),
    interval=st.floats(min_value=0, max_value=1e9),
)
def test_nobody_waits_longer_than_one_interval_or_runs_in_the_past(
    last: float | None, interval: float
) -> None:
    """F15: whatever the clock did."""
    assert NOW <= next_run_time(last, NOW, interval) <= NOW + interval
