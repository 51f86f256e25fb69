"""How long someone who guesses has to wait."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawfeed.domain.throttle import (
    DRIP,
    LONGEST_WAIT,
    NOTHING,
    Attempts,
    Brake,
    counted,
    neighbourhood,
    wait,
    whole_seconds,
)
from tests.support.clocks import NOON

SECOND, MINUTE, HOUR = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1)


@pytest.mark.parametrize(
    ("brake", "failures", "later", "waiting"),
    [
        (Brake.ACCOUNT, 0, NOTHING, NOTHING),
        (Brake.ACCOUNT, 4, NOTHING, NOTHING),
        (Brake.ACCOUNT, 5, NOTHING, SECOND),
        (Brake.ACCOUNT, 6, NOTHING, 2 * SECOND),
        (Brake.ACCOUNT, 10, NOTHING, 32 * SECOND),
        (Brake.ACCOUNT, 10, 30 * SECOND, 2 * SECOND),
        (Brake.ACCOUNT, 10, HOUR, NOTHING),
        (Brake.ACCOUNT, 10_000, NOTHING, 15 * MINUTE),
        (Brake.ACCOUNT, 10_000, 15 * MINUTE, NOTHING),  # no hard lock, ever
        (Brake.ACCOUNT, 10_000, -HOUR, 15 * MINUTE),  # the clock was set back
        (Brake.ADDRESS, 19, NOTHING, NOTHING),
        (Brake.ADDRESS, 20, NOTHING, 3 * SECOND),
        (Brake.ADDRESS, 20, 2 * SECOND, SECOND),
        (Brake.ADDRESS, 20, 3 * SECOND, NOTHING),
        (Brake.ADDRESS, 10_000, NOTHING, MINUTE),
    ],
)
def test_waiting(brake: Brake, failures: int, later: timedelta, waiting: timedelta) -> None:
    tried = Attempts(failures=failures, since=NOON)

    assert wait(brake, tried, NOON + later) == waiting


def test_last_weeks_slips_are_forgotten() -> None:
    tried = Attempts(failures=30, since=NOON)

    again = counted(Brake.ACCOUNT, tried, NOON + timedelta(days=7))

    assert again.failures == 1


def tries_in(brake: Brake, length: timedelta, step: timedelta) -> int:
    """How many a patient guesser gets looked at."""
    tried, now, seen = Attempts(failures=0, since=NOON), NOON, 0
    while now < NOON + length:
        if wait(brake, tried, now) == NOTHING:
            tried, seen = counted(brake, tried, now), seen + 1
        now += step
    return seen


def test_an_address_gets_twenty_at_once_and_twenty_a_minute() -> None:
    """(T14)."""
    in_ten_minutes = tries_in(Brake.ADDRESS, 10 * MINUTE, SECOND)

    assert 20 + 195 <= in_ten_minutes <= 20 + 200


def test_an_account_gets_about_a_hundred_a_day() -> None:
    """(T14): far too few to guess a password of twelve characters."""
    in_a_day = tries_in(Brake.ACCOUNT, timedelta(hours=23), 10 * SECOND)

    assert 90 <= in_a_day <= 110


@given(
    brake=st.sampled_from(Brake),
    failures=st.integers(0, 10**6),
    now=st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1)),  # noqa: DTZ001
)
def test_nobody_waits_longer_than_the_rule_and_counting_never_helps(
    brake: Brake, failures: int, now: datetime
) -> None:
    at = now.replace(tzinfo=NOON.tzinfo)
    tried = Attempts(failures=failures, since=NOON)

    before, after = wait(brake, tried, at), wait(brake, counted(brake, tried, at), at)

    assert NOTHING <= before <= LONGEST_WAIT
    assert after >= before or before <= DRIP


@pytest.mark.parametrize(
    ("address", "counted_as"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:aaaa::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:bbbb::9", "2001:db8:1:2::/64"),
        ("unknown", "unknown"),
    ],
)
def test_one_ipv6_customer_is_one_neighbour(address: str, counted_as: str) -> None:
    assert neighbourhood(address) == counted_as


@pytest.mark.parametrize(("seconds", "shown"), [(0.0, 1), (0.2, 1), (1.0, 1), (1.2, 2), (900, 900)])
def test_retry_after_is_whole_and_never_too_early(seconds: float, shown: int) -> None:
    assert whole_seconds(timedelta(seconds=seconds)) == shown
