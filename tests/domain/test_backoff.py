"""How long to stay away after a failure (S004-7, settled question 8)."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawfeed.domain.backoff import back_off
from clawfeed.domain.errors import Reason
from clawfeed.domain.source import Failed

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


def failed(
    detail: str = "broken", *, status: int | None = None, wait: timedelta | None = None
) -> Failed:
    return Failed(reason=Reason.BROKEN, detail=detail, status=status, wait=wait)


@pytest.mark.parametrize(
    ("failure", "failures", "wait"),
    [
        (failed(status=429), 1, 6 * HOUR),
        (failed("Rate limit exceeded"), 1, 6 * HOUR),
        (failed("操作过于频繁"), 1, 6 * HOUR),
        (failed("could not generate the page"), 1, 15 * MINUTE),
        (failed(status=403), 1, 12 * HOUR),
        (failed("access is forbidden"), 3, 12 * HOUR),
        (failed(status=500), 1, 15 * MINUTE),
        (failed(status=500), 2, 30 * MINUTE),
        (failed(status=500), 4, 2 * HOUR),
        (failed(status=500), 10_000, 24 * HOUR),
        (failed("certificate has expired"), 1, 15 * MINUTE),
        (failed(status=401), 1, 4 * HOUR),
        (failed("the token expired"), 1, 4 * HOUR),
        (failed("登录已过期"), 1, 4 * HOUR),
        (failed("rate limit", status=403), 1, 12 * HOUR),
        (failed(status=429, wait=HOUR), 1, HOUR),
        (failed(status=429, wait=10 * 365 * 24 * HOUR), 1, 24 * HOUR),
        (failed(status=503, wait=timedelta(seconds=1)), 2, 30 * MINUTE),
    ],
)
def test_the_table_of_the_contract(failure: Failed, failures: int, wait: timedelta) -> None:
    assert back_off(failure, failures=failures, base=4 * HOUR).wait == wait


def test_a_missing_login_is_no_back_off_but_at_most_hourly() -> None:
    backoff = back_off(failed(status=401), failures=1, base=15 * MINUTE)

    assert (backoff.wait, backoff.is_rest) == (HOUR, False)


@given(
    status=st.none() | st.integers(100, 599),
    failures=st.integers(1, 10**6),
    wait=st.none() | st.timedeltas(),
    detail=st.text(),
)
def test_no_wait_is_longer_than_a_day_or_shorter_than_fifteen_minutes(
    status: int | None, failures: int, wait: timedelta | None, detail: str
) -> None:
    backoff = back_off(failed(detail, status=status, wait=wait), failures=failures, base=HOUR)

    assert 15 * MINUTE <= backoff.wait <= 24 * HOUR
