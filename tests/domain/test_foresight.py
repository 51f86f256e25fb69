"""The learned schedule between two looks."""

from __future__ import annotations

from datetime import timedelta

from clawfeed.domain.foresight import Worth, foresee, remember
from clawfeed.domain.schedule import Found
from tests.support.clocks import NOON

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
NINE = NOON.replace(hour=9)
# Every day at nine, for three weeks.
DAILY = tuple(NINE - n * DAY for n in range(21))


def test_a_new_source_learns_from_its_own_dates() -> None:
    blob = remember(
        None, Found(inserted=21, published_at=DAILY), looked_at=NOON, previous_look=None
    )

    foresight = foresee(blob, last_look=NOON, now=NOON, worth=Worth(price=2000), spread=0.5)

    assert foresight is not None
    at, because = foresight
    assert NOON + 5 * timedelta(minutes=1) <= at <= NOON + DAY + timedelta(minutes=1)
    assert "publishes" in because


def test_a_dearer_look_is_never_an_earlier_one() -> None:
    blob = remember(
        None, Found(inserted=21, published_at=DAILY), looked_at=NOON, previous_look=None
    )

    dates = [
        foresee(blob, last_look=NOON, now=NOON, worth=Worth(price=price), spread=0.5)
        for price in (10, 200, 2000, 20_000)
    ]

    moments = [found[0] for found in dates if found]
    assert moments == sorted(moments)
    assert len(moments) == 4


def test_each_look_adds_to_the_memory_and_a_damaged_one_starts_anew() -> None:
    found = Found(inserted=1, published_at=DAILY, new=(NOON - HOUR,))
    first = remember(None, found, looked_at=NOON, previous_look=None)

    second = remember(first, found, looked_at=NOON + HOUR, previous_look=NOON)
    mended = remember(b"nonsense", found, looked_at=NOON, previous_look=NOON - HOUR)

    assert second != first
    assert mended == first


def test_without_a_memory_nothing_is_foreseen() -> None:
    for blob in (None, b"", b"nonsense"):
        assert foresee(blob, last_look=NOON, now=NOON, worth=Worth(), spread=0.0) is None
