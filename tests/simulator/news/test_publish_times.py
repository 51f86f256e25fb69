from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawfeed.simulator.news.publish_times import (
    NEVER,
    At,
    Bursts,
    Every,
    Plan,
    WorkingHours,
    count_until,
)

HOUR = timedelta(hours=1)
PLANS: list[Plan] = [
    Every(gap=timedelta(minutes=7)),
    WorkingHours(per_day=3),
    Bursts(gap=timedelta(hours=6), size=4),
    At((HOUR, 2 * HOUR, 2 * HOUR)),
    NEVER,
]


@given(
    plan=st.sampled_from(PLANS),
    index=st.integers(0, 10_000),
    dice=st.tuples(st.floats(0, 0.999999), st.floats(0, 0.999999)),
)
def test_moments_never_decrease_whatever_the_dice(
    plan: Plan, index: int, dice: tuple[float, float]
) -> None:
    earlier, later = plan.offset(index, dice[0]), plan.offset(index + 1, dice[1])

    assert later is None or (earlier is not None and earlier <= later)


@given(plan=st.sampled_from(PLANS), hours=st.floats(-5, 5000))
def test_the_count_is_the_number_of_moments_that_have_come(plan: Plan, hours: float) -> None:
    elapsed = hours * HOUR

    count = count_until(elapsed, lambda index: plan.offset(index, 0.5))

    upcoming = plan.offset(count, 0.5)
    assert upcoming is None or upcoming > elapsed
    if count:
        latest = plan.offset(count - 1, 0.5)
        assert latest is not None
        assert latest <= elapsed


@pytest.mark.parametrize("index", range(40))
def test_working_hours_are_from_nine_to_five_on_weekdays(index: int) -> None:
    offset = WorkingHours(per_day=3).offset(index, 0.99)

    assert offset is not None
    assert offset.days % 7 < 5
    assert timedelta(hours=9) <= timedelta(seconds=offset.seconds) < timedelta(hours=17)


def test_a_burst_is_short_and_the_silence_after_it_long() -> None:
    plan = Bursts(gap=timedelta(hours=6), size=4, spacing=timedelta(seconds=20))

    moments = [plan.offset(index, 0.0) or timedelta(0) for index in range(5)]

    assert moments[3] - moments[0] == timedelta(minutes=1)
    assert moments[4] == timedelta(hours=6)
