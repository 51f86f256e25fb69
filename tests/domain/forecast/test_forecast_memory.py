"""The learned schedule between two polls."""

from __future__ import annotations

from datetime import timedelta

from clawfeed.domain.because import Rule
from clawfeed.domain.forecast.forecast_memory import PollPrice, forecast_date, remember
from clawfeed.domain.schedule.schedule import PollFindings
from tests.support.clocks import NOON

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
NINE = NOON.replace(hour=9)
# Every day at nine, for three weeks.
DAILY = tuple(NINE - n * DAY for n in range(21))


def test_a_new_source_learns_from_its_own_dates() -> None:
    blob = remember(
        None, PollFindings(inserted=21, published_at=DAILY), polled_at=NOON, previous_poll=None
    )

    foresight = forecast_date(
        blob, last_poll=NOON, now=NOON, poll_price=PollPrice(price=2000), spread=0.5
    )

    assert foresight is not None
    at, because = foresight
    assert NOON + 5 * timedelta(minutes=1) <= at <= NOON + DAY + timedelta(minutes=1)
    assert because.rule is Rule.FORECAST_HABIT


def test_a_dearer_poll_is_never_an_earlier_one() -> None:
    blob = remember(
        None, PollFindings(inserted=21, published_at=DAILY), polled_at=NOON, previous_poll=None
    )

    dates = [
        forecast_date(blob, last_poll=NOON, now=NOON, poll_price=PollPrice(price=price), spread=0.5)
        for price in (10, 200, 2000, 20_000)
    ]

    moments = [found[0] for found in dates if found]
    assert moments == sorted(moments)
    assert len(moments) == 4


def test_each_poll_adds_to_the_memory_and_a_damaged_one_starts_anew() -> None:
    found = PollFindings(inserted=1, published_at=DAILY, new=(NOON - HOUR,))
    first = remember(None, found, polled_at=NOON, previous_poll=None)

    second = remember(first, found, polled_at=NOON + HOUR, previous_poll=NOON)
    mended = remember(b"nonsense", found, polled_at=NOON, previous_poll=NOON - HOUR)

    assert second != first
    assert mended == first


def test_without_a_memory_nothing_is_foreseen() -> None:
    for blob in (None, b"", b"nonsense"):
        assert (
            forecast_date(blob, last_poll=NOON, now=NOON, poll_price=PollPrice(), spread=0.0)
            is None
        )
