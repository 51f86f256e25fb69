"""When a message may leave, by the clock on the wall."""

from __future__ import annotations

from datetime import UTC, datetime, time
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawfeed.domain.channels.channel import ChannelTiming, QuietHours
from clawfeed.domain.channels.delivery_time import may_leave_at
from clawfeed.domain.editions.edition_period import EditionType

BERLIN = "Europe/Berlin"  # clocks go on at 02:00 on 2026-03-29, back at 03:00 on 2026-10-25
NIGHT = QuietHours(start=time(22), end=time(7))


def wall(text: str, zone: str = BERLIN, *, fold: int = 0) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone), fold=fold)


@pytest.mark.parametrize(
    ("hour", "quiet", "ready", "leaves"),
    [
        (None, None, "2026-06-01 03:00", "2026-06-01 03:00"),
        (time(8), None, "2026-06-01 03:00", "2026-06-01 08:00"),
        (time(8), None, "2026-06-01 08:00", "2026-06-01 08:00"),
        # Late, not early: it is ready a little after its hour, also over midnight.
        (time(8), None, "2026-06-01 11:59", "2026-06-01 11:59"),
        (time(23), None, "2026-06-02 01:00", "2026-06-02 01:00"),
        (time(8), None, "2026-06-01 12:00", "2026-06-02 08:00"),
        # Quiet hours over midnight, from both sides; their end is not quiet.
        (None, NIGHT, "2026-06-01 22:00", "2026-06-02 07:00"),
        (None, NIGHT, "2026-06-02 06:59", "2026-06-02 07:00"),
        (None, NIGHT, "2026-06-02 07:00", "2026-06-02 07:00"),
        (None, NIGHT, "2026-06-02 21:59", "2026-06-02 21:59"),
        (None, QuietHours(start=time(12), end=time(14)), "2026-06-01 13:00", "2026-06-01 14:00"),
        # An hour within the quiet hours waits for their end.
        (time(23), NIGHT, "2026-06-01 12:00", "2026-06-02 07:00"),
        # Daylight saving: the day has 23 or 25 hours, eight o'clock is eight o'clock.
        (time(8), None, "2026-03-28 20:00", "2026-03-29 08:00"),
        (time(8), None, "2026-10-24 20:00", "2026-10-25 08:00"),
        # The hour that spring skips: an hour later on the wall.
        (time(2, 30), None, "2026-03-28 20:00", "2026-03-29 03:30"),
    ],
)
def test_when_it_may_leave(
    hour: time | None, quiet: QuietHours | None, ready: str, leaves: str
) -> None:
    timing = ChannelTiming(zone=BERLIN, deliver_at=hour, quiet=quiet)

    assert may_leave_at(timing, EditionType.DAILY, wall(ready)) == wall(leaves)


def test_in_the_hour_that_comes_twice_the_night_ends_once() -> None:
    quiet = QuietHours(start=time(1), end=time(2, 30))
    timing = ChannelTiming(zone=BERLIN, quiet=quiet)
    again = wall("2026-10-25 02:10", fold=1)

    leaves = may_leave_at(timing, EditionType.DAILY, again.astimezone(UTC))

    assert leaves == wall("2026-10-25 02:30", fold=1).astimezone(UTC)


def test_news_of_four_hours_know_no_hour_of_the_day_but_the_night() -> None:
    timing = ChannelTiming(zone=BERLIN, deliver_at=time(8), quiet=NIGHT)

    noon = may_leave_at(timing, EditionType.FOUR_HOURS, wall("2026-06-01 13:00"))
    night = may_leave_at(timing, EditionType.FOUR_HOURS, wall("2026-06-01 23:00"))

    assert (noon, night) == (wall("2026-06-01 13:00"), wall("2026-06-02 07:00"))


@given(
    at=st.datetimes(datetime(2026, 1, 1), datetime(2027, 1, 1)),  # noqa: DTZ001 -- UTC, below
    zone=st.sampled_from([BERLIN, "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe"]),
    hour=st.none() | st.times().map(lambda each: each.replace(second=0, microsecond=0)),
    start=st.integers(0, 23),
    length=st.integers(1, 22),
)
def test_never_earlier_never_in_the_night_and_within_two_days(
    at: datetime, zone: str, hour: time | None, start: int, length: int
) -> None:
    quiet = QuietHours(start=time(start), end=time((start + length) % 24))
    timing = ChannelTiming(zone=zone, deliver_at=hour, quiet=quiet)
    ready = at.replace(tzinfo=UTC)

    leaves = may_leave_at(timing, EditionType.DAILY, ready)

    local = leaves.astimezone(ZoneInfo(zone)).time()
    is_in = start <= local.hour < start + length or local.hour + 24 < start + length
    assert 0 <= (leaves - ready).total_seconds() <= 50 * 3600
    assert not is_in
