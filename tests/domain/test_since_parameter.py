"""`since` is a moment, however it is written (settled question 10)."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawfeed.domain.errors import InvalidInputError
from clawfeed.domain.since_parameter import parse_since

TEN = datetime(2026, 11, 15, 10, tzinfo=UTC)


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


@given(st.text())
def test_any_text_is_a_moment_or_refused(text: str) -> None:
    with contextlib.suppress(InvalidInputError):
        assert parse_since(text).tzinfo is UTC
