"""What we do while our own network is down, and just after."""

from __future__ import annotations

from datetime import timedelta

import pytest

from clawfeed.domain.polling.offline_probing import LONGEST_PROBE, probe_wait, slots_after


def test_probes_come_less_and_less_often_but_never_end() -> None:
    seconds = [probe_wait(number).total_seconds() for number in range(8)]

    assert seconds == [15, 30, 60, 120, 240, 300, 300, 300]
    assert probe_wait(10**6) == LONGEST_PROBE


@pytest.mark.parametrize(
    ("slots", "back_for", "used"),
    [
        (5, 0, 1), (5, 4.9, 1), (5, 5, 2), (5, 10, 4), (5, 15, 5),
        (1, 0, 1), (50, 20, 16), (50, 1e9, 50), (5, -9, 1),
    ],
)  # fmt: skip
def test_the_return_is_gentle(slots: int, back_for: float, used: int) -> None:
    """(F8): everybody is due, and nobody is stormed."""
    assert slots_after(slots, timedelta(seconds=back_for)) == used
