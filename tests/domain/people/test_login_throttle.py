"""How long someone who guesses has to wait."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawfeed.domain.people.login_throttle import (
    LONGEST_WAIT,
    NO_WAIT,
    TOKEN_INTERVAL,
    FailedAttempts,
    ThrottleState,
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
        (ThrottleState.ACCOUNT, 0, NO_WAIT, NO_WAIT),
        (ThrottleState.ACCOUNT, 4, NO_WAIT, NO_WAIT),
        (ThrottleState.ACCOUNT, 5, NO_WAIT, SECOND),
        (ThrottleState.ACCOUNT, 6, NO_WAIT, 2 * SECOND),
        (ThrottleState.ACCOUNT, 10, NO_WAIT, 32 * SECOND),
        (ThrottleState.ACCOUNT, 10, 30 * SECOND, 2 * SECOND),
        (ThrottleState.ACCOUNT, 10, HOUR, NO_WAIT),
        (ThrottleState.ACCOUNT, 10_000, NO_WAIT, 15 * MINUTE),
        (ThrottleState.ACCOUNT, 10_000, 15 * MINUTE, NO_WAIT),  # no hard lock, ever
        (ThrottleState.ACCOUNT, 10_000, -HOUR, 15 * MINUTE),  # the clock was set back
        (ThrottleState.ADDRESS, 19, NO_WAIT, NO_WAIT),
        (ThrottleState.ADDRESS, 20, NO_WAIT, 3 * SECOND),
        (ThrottleState.ADDRESS, 20, 2 * SECOND, SECOND),
        (ThrottleState.ADDRESS, 20, 3 * SECOND, NO_WAIT),
        (ThrottleState.ADDRESS, 10_000, NO_WAIT, MINUTE),
    ],
)
def test_waiting(brake: ThrottleState, failures: int, later: timedelta, waiting: timedelta) -> None:
    tried = FailedAttempts(failures=failures, since=NOON)

    assert wait(brake, tried, NOON + later) == waiting


def test_last_weeks_slips_are_forgotten() -> None:
    tried = FailedAttempts(failures=30, since=NOON)

    again = counted(ThrottleState.ACCOUNT, tried, NOON + timedelta(days=7))

    assert again.failures == 1


def tries_in(brake: ThrottleState, length: timedelta, step: timedelta) -> int:
    """How many a patient guesser gets looked at."""
    tried, now, seen = FailedAttempts(failures=0, since=NOON), NOON, 0
    while now < NOON + length:
        if wait(brake, tried, now) == NO_WAIT:
            tried, seen = counted(brake, tried, now), seen + 1
        now += step
    return seen


def test_an_address_gets_twenty_at_once_and_twenty_a_minute() -> None:
    """(T14)."""
    in_ten_minutes = tries_in(ThrottleState.ADDRESS, 10 * MINUTE, SECOND)

    assert 20 + 195 <= in_ten_minutes <= 20 + 200


def test_an_account_gets_about_a_hundred_a_day() -> None:
    """(T14): far too few to guess a password of twelve characters."""
    in_a_day = tries_in(ThrottleState.ACCOUNT, timedelta(hours=23), 10 * SECOND)

    assert 90 <= in_a_day <= 110


@given(
    brake=st.sampled_from(ThrottleState),
    failures=st.integers(0, 10**6),
    now=st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1)),  # noqa: DTZ001
)
def test_nobody_waits_longer_than_the_rule_and_counting_never_helps(
    brake: ThrottleState, failures: int, now: datetime
) -> None:
    at = now.replace(tzinfo=NOON.tzinfo)
    tried = FailedAttempts(failures=failures, since=NOON)

    before, after = wait(brake, tried, at), wait(brake, counted(brake, tried, at), at)

    assert NO_WAIT <= before <= LONGEST_WAIT
    assert after >= before or before <= TOKEN_INTERVAL


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
