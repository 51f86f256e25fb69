"""How long servers ask us to wait (T20)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawfeed.egress.retry_after import LONGEST_WAIT, parse_reset, parse_retry_after
from tests.egress.world import corpus

NOW = datetime(2025, 1, 1, tzinfo=UTC)


def _expected(text: str) -> timedelta | None:
    """The corpus floors a wait of 0 at 60 s; the floor is the caller's, so 0 is 0 here."""
    if "backoff" in text or "ignored" in text or "cannot parse" in text:
        return None
    if "24 h" in text:
        return LONGEST_WAIT
    return timedelta(0) if "(min)" in text else timedelta(seconds=int(text.split(maxsplit=1)[0]))


def test_every_line_of_the_corpus_is_read_as_written() -> None:
    lines = [line for line in corpus("retry_after.tsv") if len(line) == 2]

    waits = {value: parse_retry_after(value.replace("\\r\\n", "\r\n"), NOW) for value, _ in lines}

    assert len(waits) == 15
    assert waits == {value: _expected(text) for value, text in lines}


@pytest.mark.parametrize(
    ("value", "wait"),
    [
        (None, None),
        (" 7 ", 7),
        ("007", 7),
        ("9" * 5000, 86400),
        ("86401", 86400),
        ("Wednesday, 01-Jan-25 00:01:00 GMT", 60),
        ("Wed Jan  1 00:01:00 2025", 60),
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
