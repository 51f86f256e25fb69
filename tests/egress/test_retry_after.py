"""How long servers ask us to wait (T20)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawfeed.domain.schedule.longest_wait import LONGEST_WAIT
from clawfeed.egress.retry_after import parse_reset, parse_retry_after

NOW = datetime(2025, 1, 1, tzinfo=UTC)


HTTP_DATES = ["%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"]


@pytest.mark.parametrize("seconds", [0, 1, 59, 120, 86_399, 86_400, 86_401, 10**6, 10**25])
def test_seconds_are_seconds_up_to_a_day(seconds: int) -> None:
    assert parse_retry_after(str(seconds), NOW) == min(
        timedelta(seconds=min(seconds, 10**6)), LONGEST_WAIT
    )


@pytest.mark.parametrize("written", HTTP_DATES)
@pytest.mark.parametrize("seconds", [1, 600, 86_400, 10**7])
def test_a_moment_is_waited_for_up_to_a_day_however_http_writes_it(
    seconds: int, written: str
) -> None:
    moment = (NOW + timedelta(seconds=seconds)).strftime(written)

    assert parse_retry_after(moment, NOW) == min(timedelta(seconds=seconds), LONGEST_WAIT)


@pytest.mark.parametrize("written", HTTP_DATES)
def test_a_moment_that_has_passed_is_no_wish(written: str) -> None:
    assert parse_retry_after((NOW - timedelta(hours=1)).strftime(written), NOW) is None


@pytest.mark.parametrize(
    ("value", "wait"),
    [
        (None, None),
        (" 7 ", 7),
        ("007", 7),
        ("9" * 5000, 86400),
        ("Wed, 01 Jan 2025 00:00:00 GMT", None),
        # Two headers: which of them is meant?
        ("Wed, 01 Jan 2025 00:10:00 GMT, Wed, 01 Jan 2025 00:20:00 GMT", None),
        ("Wed Jan  1 00:01:00 2025, Wed Jan  1 00:02:00 2025", None),
        ("Wed, 99 Jan 2025 00:00:00 GMT", None),
        ("Wed, 01 Jan 2025 99:00:00 GMT", None),
        ("Wed, 01 Jan 99999 00:00:00 GMT", None),
        ("2025-01-01T00:10:00Z", None),
        ("0x10", None),
        ("1e3", None),
        ("60s", None),
        ("120;", None),
        ("12\x00", None),
        ("", None),
        ("soon", None),
        ("-1", None),
        ("+30", None),
        ("0.5", None),
        ("30, 60", None),
        ("３０", None),
        ("30\r\nSet-Cookie: a=b", None),
        ("Fri, 31 Dec 9999 23:59:58 GMT", 86400),
    ],
)
def test_other_values(value: str | None, wait: int | None) -> None:
    expected = None if wait is None else timedelta(seconds=wait)

    assert parse_retry_after(value, NOW) == expected


@given(st.one_of(st.text(), st.from_regex(r"\A[A-Z][a-z]{2}, [0-9A-Za-z :+-]{0,40}\Z")))
def test_whatever_is_written_the_wait_stays_within_a_day(value: str) -> None:
    wait = parse_retry_after(value, NOW)

    assert wait is None or timedelta(0) <= wait <= LONGEST_WAIT


@pytest.mark.parametrize(
    ("value", "wait"),
    [
        ("300", 300),
        ("299.5", 299),
        (str(int(NOW.timestamp()) + 90), 90),
        (str(int(NOW.timestamp()) - 90), None),
        (str(int(NOW.timestamp()) + 10**9), 86400),
        ("9" * 50, 86400),
        (f"{int(NOW.timestamp()) + 90}000", 90),  # milliseconds
        (f"{int(NOW.timestamp()) - 90}000", None),
        ("soon", None),
        (None, None),
    ],
)
def test_a_reset_is_seconds_or_a_moment(value: str | None, wait: int | None) -> None:
    expected = None if wait is None else timedelta(seconds=wait)

    assert parse_reset(value, NOW) == expected
