"""Periods of editions in the reader's zone: what a moment belongs to, and what it is called."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawfeed.domain.editions.edition_period import Calendar, EditionType, period_at, period_named
from clawfeed.domain.errors import InvalidInputError

BERLIN = ZoneInfo("Europe/Berlin")
# An ordinary one, a half-hour daylight saving, one that skipped a whole day, one east of the line.
NAMES = (
    "UTC Europe/Berlin America/New_York Asia/Shanghai Australia/Lord_Howe Pacific/Apia "
    "Pacific/Kiritimati America/Sao_Paulo"
)
ZONES = [ZoneInfo(name) for name in NAMES.split()]
calendars = st.builds(
    Calendar,
    zone=st.sampled_from(ZONES),
    begins=st.sampled_from([time(), time(2, 30), time(7, 30), time(23, 45)]),
)
moments = st.datetimes(
    min_value=datetime(1990, 1, 1),  # noqa: DTZ001 -- the strategy wants it naive
    max_value=datetime(2100, 1, 1),  # noqa: DTZ001
    timezones=st.just(UTC),
)
# Around changes of the clock is where days have 23, 25 or no hours.
changes = st.sampled_from(
    [
        datetime(2026, 3, 29, 1, tzinfo=UTC),
        datetime(2026, 10, 25, 1, tzinfo=UTC),
        datetime(2026, 11, 1, 6, tzinfo=UTC),
        datetime(2011, 12, 30, 10, tzinfo=UTC),
        datetime(2018, 11, 4, 3, tzinfo=UTC),
    ]
).flatmap(lambda at: st.integers(-3000, 3000).map(lambda minutes: at + timedelta(minutes=minutes)))


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


@pytest.mark.parametrize(
    "row",  # type, when the day begins, a moment; then the period's name, start and end
    [
        "daily 00:00 2026-11-15T12:00Z 2026-11-15 2026-11-14T23:00Z 2026-11-15T23:00Z",
        "daily 00:00 2026-11-14T23:00Z 2026-11-15 2026-11-14T23:00Z 2026-11-15T23:00Z",
        # A reader whose day begins at half past seven.
        "daily 07:30 2026-11-15T06:29Z 2026-11-14 2026-11-14T06:30Z 2026-11-15T06:30Z",
        "daily 07:30 2026-11-15T06:30Z 2026-11-15 2026-11-15T06:30Z 2026-11-16T06:30Z",
        # 23 hours in spring, 25 in autumn.
        "daily 00:00 2026-03-29T12:00Z 2026-03-29 2026-03-28T23:00Z 2026-03-29T22:00Z",
        "daily 00:00 2026-10-25T12:00Z 2026-10-25 2026-10-24T22:00Z 2026-10-25T23:00Z",
        # The clock skips 02:30: the day begins when it skips. It shows 02:30 twice: the first time.
        "daily 02:30 2026-03-29T12:00Z 2026-03-29 2026-03-29T01:00Z 2026-03-30T00:30Z",
        "daily 02:30 2026-10-25T01:10Z 2026-10-25 2026-10-25T00:30Z 2026-10-26T01:30Z",
        "4h 00:00 2026-11-15T08:00Z 2026-11-15T08:00 2026-11-15T07:00Z 2026-11-15T11:00Z",
        "4h 00:00 2026-11-15T12:00Z 2026-11-15T12:00 2026-11-15T11:00Z 2026-11-15T15:00Z",
        "4h 00:00 2026-03-29T00:30Z 2026-03-29T00:00 2026-03-28T23:00Z 2026-03-29T02:00Z",
        "weekly 00:00 2027-01-02T12:00Z 2026-W53 2026-12-27T23:00Z 2027-01-03T23:00Z",
        "weekly 00:00 2025-01-02T12:00Z 2025-W01 2024-12-29T23:00Z 2025-01-05T23:00Z",
        "monthly 00:00 2026-12-31T23:30Z 2027-01 2026-12-31T23:00Z 2027-01-31T23:00Z",
        "monthly 07:30 2026-12-01T05:00Z 2026-11 2026-11-01T06:30Z 2026-12-01T06:30Z",
    ],
)
def test_a_moment_belongs_to_a_period_of_the_readers_own_days(row: str) -> None:
    """(Settled questions 10 and 12; F15), in Berlin."""
    kind, begins, moment, name, starts, ends = row.split()
    calendar = Calendar(zone=BERLIN, begins=time.fromisoformat(begins))

    period = period_at(EditionType(kind), at(moment), calendar)

    assert (period.name, period.starts_at, period.ends_at) == (name, at(starts), at(ends))


def test_a_day_that_a_country_skipped_has_no_edition() -> None:
    samoa = Calendar(zone=ZoneInfo("Pacific/Apia"))
    after = period_at(EditionType.DAILY, at("2011-12-30T10:00Z"), samoa)

    assert (after.name, after.previous.name) == ("2011-12-31", "2011-12-29")
    with pytest.raises(InvalidInputError):
        period_named(EditionType.DAILY, "2011-12-30", samoa)


@given(kind=st.sampled_from(EditionType), moment=moments | changes, calendar=calendars)
def test_periods_neither_overlap_nor_leave_gaps_and_are_found_by_their_names(
    kind: EditionType, moment: datetime, calendar: Calendar
) -> None:
    period = period_at(kind, moment, calendar)
    before, after = period.previous, period.next

    assert period.starts_at <= moment < period.ends_at
    assert (before.ends_at, after.starts_at) == (period.starts_at, period.ends_at)
    assert len({before.name, period.name, after.name}) == 3
    assert before.name < period.name < after.name
    assert period_named(kind, period.name, calendar) == period


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("daily", "yesterday"),
        ("daily", "2026-02-30"),
        ("daily", "2026-11"),
        ("daily", "2026-1-5"),
        ("weekly", "2026-W60"),
        ("weekly", "2025-W53"),
        ("monthly", "0000-01"),
        ("monthly", "2026-13"),
        ("4h", "2026-11-15T09:00"),
        ("daily", "٢٠٢٦-١١-١٥"),
        ("daily", "0001-01-01"),
        ("monthly", "9999-12"),
    ],
)
def test_a_name_that_names_no_period_gets_one_sentence_with_an_example(
    kind: str, name: str
) -> None:
    berlin = Calendar(zone=BERLIN)

    with pytest.raises(InvalidInputError, match=rf"not the name of a {kind} edition.*like 2026"):
        period_named(EditionType(kind), name, berlin)
