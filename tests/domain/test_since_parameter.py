"""`since` is a moment, however it is written (settled question 10)."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime, timedelta, timezone, tzinfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawfeed.domain.errors import InvalidInputError
from clawfeed.domain.since_parameter import parse_since

TEN = datetime(2026, 11, 15, 10, tzinfo=UTC)
OFFSETS: st.SearchStrategy[tzinfo] = st.integers(min_value=-23 * 60, max_value=23 * 60).map(
    lambda minutes: timezone(timedelta(minutes=minutes))
)
# A day from both ends of the calendar, where an offset would lead out of it.
MOMENTS = st.datetimes(
    min_value=datetime(1, 1, 2),  # noqa: DTZ001 -- the strategy adds the offset
    max_value=datetime(9999, 12, 30),  # noqa: DTZ001 -- as above
    timezones=st.one_of(st.none(), OFFSETS),
)


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-15T10:00:00Z",
        "2026-11-15T10:00",
        "2026-11-15 10:00:00",
        "2026-11-15T12:00:00+02:00",
        "2026-11-15T12:00:00 02:00",  # a plus sign that was not escaped
        "2026-11-15T10:00:00.000Z",
        " 1794736800 ",
        "1794736800.0",
    ],
)
def test_one_moment_has_many_spellings(text: str) -> None:
    assert parse_since(text) == TEN


def test_a_date_alone_is_its_midnight_in_utc() -> None:
    assert parse_since("2026-11-15") == TEN.replace(hour=0)


@pytest.mark.parametrize(
    "text", ["", "yesterday", "2026-13-01", "nan", "1e9", "9" * 12, "0001-01-01T00:00:00+14:00"]
)
def test_nonsense_is_refused_with_the_way_out(text: str) -> None:
    with pytest.raises(InvalidInputError, match="since is not a moment"):
        parse_since(text)


@given(st.text() | MOMENTS.map(datetime.isoformat).flatmap(st.permutations).map("".join))
def test_any_text_is_a_moment_or_refused(text: str) -> None:
    with contextlib.suppress(InvalidInputError):
        assert parse_since(text).tzinfo is UTC


@given(MOMENTS, st.sampled_from(["auto", "minutes", "milliseconds"]))
def test_what_is_written_with_an_offset_or_without_is_told_in_utc(
    moment: datetime, precision: str
) -> None:
    text = moment.isoformat(timespec=precision)
    meant = datetime.fromisoformat(text)

    found = parse_since(text)

    assert found == (meant if meant.tzinfo else meant.replace(tzinfo=UTC))
    assert found.tzinfo is UTC
