"""How long to stay away after a failure (S004-7, settled question 8)."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawfeed.domain.because import Rule
from clawfeed.domain.errors import Reason
from clawfeed.domain.schedule.backoff import back_off
from clawfeed.domain.sources.source import Failed

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


def failed(
    reason: Reason = Reason.BROKEN, detail: str = "it broke", wait: timedelta | None = None
) -> Failed:
    return Failed(reason=reason, detail=detail, wait=wait)


@pytest.mark.parametrize(
    ("failure", "failures", "wait", "rule"),
    [
        (failed(Reason.BUSY), 1, 6 * HOUR, Rule.RATE_LIMITED),
        (failed(Reason.REFUSED), 3, 12 * HOUR, Rule.FORBIDDEN),
        (failed(), 1, 15 * MINUTE, Rule.BACK_OFF),
        (failed(), 2, 30 * MINUTE, Rule.BACK_OFF),
        (failed(), 4, 2 * HOUR, Rule.BACK_OFF),
        (failed(), 10_000, 24 * HOUR, Rule.BACK_OFF),
        (failed(Reason.AUTH_REQUIRED), 1, 4 * HOUR, Rule.AUTH_REQUIRED),
        (failed(Reason.BUSY, wait=HOUR), 1, HOUR, Rule.RETRY_AFTER),
        (failed(Reason.BUSY, wait=10 * 365 * 24 * HOUR), 1, 24 * HOUR, Rule.RETRY_AFTER),
        (failed(Reason.BUSY, wait=timedelta(seconds=1)), 2, 30 * MINUTE, Rule.RETRY_AFTER),
        (failed(detail="rate limit, token expired, forbidden"), 1, 15 * MINUTE, Rule.BACK_OFF),
    ],
)
def test_the_table_of_the_contract(
    failure: Failed, failures: int, wait: timedelta, rule: Rule
) -> None:
    """S004-7 by the code alone: whatever the detail says was weighed before."""
    backoff = back_off(failure, failures=failures, base=4 * HOUR)

    assert (backoff.wait, backoff.because.rule) == (wait, rule)


def test_a_missing_login_is_no_back_off_but_at_most_hourly() -> None:
    backoff = back_off(failed(Reason.AUTH_REQUIRED), failures=1, base=15 * MINUTE)

    assert (backoff.wait, backoff.is_rest) == (HOUR, False)


@given(
    reason=st.sampled_from(Reason),
    failures=st.integers(1, 10**6),
    wait=st.none() | st.timedeltas(),
)
def test_no_wait_is_longer_than_a_day_or_shorter_than_fifteen_minutes(
    reason: Reason, failures: int, wait: timedelta | None
) -> None:
    backoff = back_off(failed(reason, wait=wait), failures=failures, base=HOUR)

    assert 15 * MINUTE <= backoff.wait <= 24 * HOUR
