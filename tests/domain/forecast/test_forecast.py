"""The learned schedule: its arithmetic, its limits, its memory (POLLING)."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import astuple, replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clawfeed.domain.forecast.forecast import (
    Forecast,
    adjust_price,
    describe,
    from_bytes,
    from_history,
    learn,
    plan,
    to_bytes,
)
from clawfeed.domain.forecast.forecast_because import explain
from clawfeed.domain.forecast.planner import cheapest_poll
from clawfeed.domain.forecast.weekly_profile import Shape, add_up, cell_of
from clawfeed.domain.wording.because_figures import how_often
from clawfeed.domain.wording.because_wording import render_because

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
MONDAY = datetime(2026, 3, 2, tzinfo=UTC)
SHORTEST = 5 * MINUTE


def daily(hour: float, days: int = 60) -> list[datetime]:
    """An item every day at *hour*, the last one on the day before MONDAY."""
    return [MONDAY - day * DAY + hour * HOUR for day in range(days, 0, -1)]


def numbers(state: Forecast) -> list[float]:
    flat: list[float] = []
    for value in astuple(replace(state, memo=None))[:-2]:
        flat += value if isinstance(value, tuple) else [value]
    return flat


@st.composite
def states(draw: st.DrawFn) -> Forecast:
    """Any history a source may have had, learned poll by poll."""
    state, at = Forecast(), MONDAY
    for _ in range(draw(st.integers(0, 5))):
        previous, at = at, at + draw(st.timedeltas(MINUTE, 4 * DAY))
        dates = draw(st.lists(st.none() | st.datetimes(timezones=st.just(UTC)), max_size=8))
        state = learn(
            state,
            polled_at=at,
            previous_poll=previous,
            published=dates,
            window_full=draw(st.booleans()),
        )
    return state


@pytest.mark.parametrize(
    ("moment", "cell"),
    [
        (MONDAY, (167, 11)),  # on the full hour still belongs to the hour before
        (MONDAY + MINUTE, (0, 0)),
        (MONDAY + 6 * MINUTE, (0, 1)),
        (MONDAY + 6 * DAY + 23 * HOUR + 30 * MINUTE, (167, 5)),
    ],
)
def test_cells_start_one_minute_after_every_fifth(moment: datetime, cell: tuple[int, int]) -> None:
    found = cell_of(moment.timestamp())

    assert found == cell


def test_a_stranger_is_believed_to_be_at_home_on_any_continent() -> None:
    shape = Shape(add_up((0.0,) * 168, (0.0,) * 288), age=1.0, days=0.0)

    week = shape.week()
    assert sum(week) / 168 == pytest.approx(1.0)
    for day in range(7):
        assert week[day * 24 : day * 24 + 24] == pytest.approx([week[day * 24]] * 24)
    for hour in (0, 77, 167):
        assert sum(shape.cells(hour)) / 12 == pytest.approx(shape.level(hour))


def test_growing_the_strengths_is_forgetting_the_counts() -> None:
    hours = tuple(float(hour % 7) for hour in range(168))
    minutes = tuple(float(cell % 5) for cell in range(288))
    halved = add_up([value / 2 for value in hours], [value / 2 for value in minutes])

    aged = Shape(add_up(hours, minutes), age=2.0, days=30.0)

    assert aged.cells(50) == pytest.approx(Shape(halved, age=1.0, days=30.0).cells(50))


def test_the_rate_is_items_by_days_with_a_little_prior() -> None:
    """`(n + 0.2) / (days + 0.02)`, both forgotten with a half-life of 20 days."""
    state = replace(Forecast(), items=3.0, days=1.48)

    later = learn(
        state,
        polled_at=MONDAY + 20 * DAY,
        previous_poll=MONDAY,
        published=[None],
        window_full=False,
    )

    assert state.rate == pytest.approx(3.2 / 1.5)
    assert later.items == pytest.approx(3.0 / 2 + 1)
    assert later.days == pytest.approx(1.48 / 2 + 10 / math.log(2))


def test_one_long_gap_counts_like_many_short_ones() -> None:
    once = learn(
        Forecast(),
        polled_at=MONDAY + 8 * DAY,
        previous_poll=MONDAY,
        published=[],
        window_full=False,
    )
    often, at = Forecast(), MONDAY
    while at < MONDAY + 8 * DAY:
        often = learn(often, polled_at=at + HOUR, previous_poll=at, published=[], window_full=False)
        at += HOUR

    assert often.days == pytest.approx(once.days)


@pytest.mark.parametrize(
    ("published", "hour"),
    [
        (MONDAY + 9.5 * HOUR, 9),
        (MONDAY - 30 * DAY, 8),  # not there at the last poll, whatever it says
        (MONDAY + 30 * DAY, 12),  # not yet, whatever it says
        (None, 10),
    ],
)
def test_an_item_counts_when_it_can_have_appeared(published: datetime | None, hour: int) -> None:
    state = learn(
        Forecast(),
        polled_at=MONDAY + 12 * HOUR + MINUTE,
        previous_poll=MONDAY + 8.5 * HOUR,
        published=[published],
        window_full=False,
    )

    assert state.hours.index(max(state.hours)) == hour
    assert sum(state.hours) == pytest.approx(sum(state.minutes))


@pytest.mark.parametrize(("oldest", "weight"), [(60, 1.0), (30, 2.0), (20, 3.0), (1, 5.0)])
def test_a_document_that_overflowed_weighs_more_but_not_endlessly(
    oldest: int, weight: float
) -> None:
    polled_at = MONDAY + HOUR

    state = learn(
        Forecast(),
        polled_at=polled_at,
        previous_poll=MONDAY,
        published=[polled_at - oldest * MINUTE, polled_at - MINUTE],
        window_full=True,
    )

    assert state.items == pytest.approx(2 * weight)


def test_the_cheapest_poll_of_an_even_source_is_the_textbooks() -> None:
    """Rate r and price p: the best gap is sqrt(2 p / r)."""
    found = cheapest_poll([0.02] * 96, price=0.64, first=1, last=288)

    assert found.cells == pytest.approx(math.sqrt(2 * 0.64 / 0.02), abs=1)
    assert found.expected == pytest.approx(0.02 * found.cells)


def test_a_poll_comes_right_after_the_minute_that_matters() -> None:
    amounts = [0.001] * 30 + [2.0] + [0.001] * 65

    found = cheapest_poll(amounts, price=1.0, first=1, last=288)

    assert found.cells == 31


def test_a_source_that_publishes_at_nine_is_polled_right_after_nine() -> None:
    state = from_history(daily(9), MONDAY)

    polls, at = [], MONDAY + 6 * HOUR
    while at < MONDAY + 11 * HOUR:
        found = plan(state, last_poll=at, now=at, price=1000.0, beta=1 / 3)
        polls.append(found.at)
        at = found.at

    assert any(timedelta() < poll - (MONDAY + 9 * HOUR) <= 7 * MINUTE for poll in polls)
    assert len(polls) <= 4
    assert "usually publishes every day around 09:00" in render_because(explain(state, found, UTC))


def polls_in(
    days: float, published: list[datetime], *, spread: float = 0.5, price: float = 214.0
) -> list[datetime]:
    """The polls of the next days, if nothing more comes."""
    state, at, polls = from_history(published, MONDAY), MONDAY, []
    while at < MONDAY + days * DAY:
        at = plan(state, last_poll=at, now=at, price=price, beta=0.4, spread=spread).at
        polls.append(at)
    return polls


@pytest.mark.parametrize("price", [5.0, 50.0, 214.0])
def test_a_quiet_source_is_polled_a_dozen_times_a_day_at_most(price: float) -> None:
    """However cheap polls are: below an item a week, one in hundreds finds something."""
    monthly, daily = (
        polls_in(4, [MONDAY - n * gap * DAY for n in range(1, 119 // gap)], price=price)
        for gap in (28, 1)
    )

    assert len(monthly) <= 4 * 13
    assert len(daily) > 4 * 13


def test_polls_of_a_crowd_are_spread_over_the_hour() -> None:
    """Sources that publish on the full hour share three minutes after it, others all sixty."""
    hourly = [MONDAY - n * HOUR for n in range(1, 24 * 20)]
    plain = [MONDAY - n * 71 * MINUTE for n in range(1, 24 * 20)]
    for published, most in ((hourly, 0.7), (plain, 0.1)):
        polls = [poll for n in range(20) for poll in polls_in(1, published, spread=n / 20)]

        first = [polls_in(0.01, published, spread=n / 20)[0] for n in (0, 19)]
        assert abs(first[1] - first[0]) > 2 * MINUTE
        minutes = Counter(poll.minute for poll in polls)
        assert sum(count for _, count in minutes.most_common(2)) <= most * len(polls)


def test_more_readers_bring_earlier_polls() -> None:
    state = from_history(daily(9) + daily(15) + daily(20.5), MONDAY)

    alone, crowd = (
        plan(state, last_poll=MONDAY, now=MONDAY, price=500.0, beta=0.5, weight=weight).at
        for weight in (1.0, 50.0)
    )

    assert crowd < alone


def test_a_poll_is_never_planned_into_the_past() -> None:
    found = plan(Forecast(), last_poll=MONDAY, now=MONDAY + 3 * DAY, price=100.0, beta=0.5)

    assert found.at == MONDAY + 3 * DAY


@given(
    state=states(),
    price=st.floats(0.01, 1e7),
    beta=st.floats(0, 1),
    weight=st.floats(0.1, 1000),
    shortest=st.timedeltas(MINUTE, 6 * HOUR),
    spread=st.floats(0, 1, exclude_max=True),
    minutes=st.integers(0, 20_000),
)
@settings(max_examples=60, deadline=None)
def test_a_poll_keeps_its_distance_and_never_waits_longer_than_a_day(
    *,
    state: Forecast,
    price: float,
    beta: float,
    weight: float,
    shortest: timedelta,
    spread: float,
    minutes: int,
) -> None:
    last_poll = MONDAY + minutes * MINUTE

    found = plan(
        state,
        last_poll=last_poll,
        now=last_poll,
        price=price,
        beta=beta,
        weight=weight,
        shortest=shortest,
        spread=spread,
    )

    assert last_poll + shortest <= found.at <= last_poll + DAY + MINUTE
    assert found.expected >= 0


@given(state=states(), price=st.floats(1, 1e5), factor=st.floats(4, 100))
@settings(max_examples=60, deadline=None)
def test_a_higher_price_never_brings_an_earlier_poll(
    state: Forecast, price: float, factor: float
) -> None:
    cheap, dear = (
        plan(state, last_poll=MONDAY, now=MONDAY, price=one, beta=1 / 3).at
        for one in (price, price * factor)
    )

    assert dear >= cheap


@pytest.mark.slow
@given(state=states())
@settings(max_examples=60, deadline=None)
def test_learning_never_makes_nonsense_and_survives_storage(state: Forecast) -> None:
    blob = to_bytes(state)

    assert all(math.isfinite(number) and number >= 0 for number in numbers(state))
    assert len(blob) < 1500
    assert numbers(from_bytes(blob)) == pytest.approx(numbers(state), rel=1e-4, abs=1e-3)
    assert to_bytes(from_bytes(blob)) == blob


def test_storing_after_every_poll_loses_nothing_that_matters() -> None:
    kept = stored = Forecast()
    for hour in range(24 * 30):
        at = MONDAY + hour * HOUR
        found = [at + 12 * MINUTE] * (hour % 24)

        kept, stored = (
            learn(state, polled_at=at + HOUR, previous_poll=at, published=found, window_full=False)
            for state in (kept, from_bytes(to_bytes(stored)))
        )

    assert describe(stored).week == pytest.approx(describe(kept).week, rel=0.01)


@pytest.mark.parametrize("place", [0, 1, 60, 500, -1])
def test_a_damaged_blob_is_refused(place: int) -> None:
    blob = bytearray(to_bytes(from_history(daily(9), MONDAY)))
    blob[place] ^= 0x10

    with pytest.raises(ValueError, match="forecast"):
        from_bytes(bytes(blob))


@pytest.mark.parametrize("blob", [b"", b"\x01", b"x" * 1058, to_bytes(Forecast())[:-1]])
def test_what_is_no_forecast_is_refused(blob: bytes) -> None:
    with pytest.raises(ValueError, match="not a forecast"):
        from_bytes(blob)


@pytest.mark.parametrize(
    ("polls", "price"), [(24, 100.0), (30, 156.25), (12, 50.0), (1, 50.0), (100, 200.0), (0, 50.0)]
)
def test_the_price_follows_the_budget_by_at_most_a_factor_of_two(
    polls: float, price: float
) -> None:
    assert adjust_price(100.0, polls, 24) == pytest.approx(price)


def test_history_without_dates_is_the_prior() -> None:
    assert from_history([], MONDAY) == Forecast()


def test_history_ends_now_and_begins_with_its_oldest_date() -> None:
    state = from_history([*daily(9, 10), MONDAY + DAY], MONDAY)

    assert state.rate == pytest.approx(1.0, abs=0.1)
    assert state.learned_at == MONDAY.timestamp()


@pytest.mark.parametrize(
    ("rate", "words"),
    [
        (48.3, "about 48 times a day"),
        (3.21, "about 3.2 times a day"),
        (0.5, "about 3.5 times a week"),
        (1.04, "about once a day"),
        (0.05, "about 1.5 times a month"),
        (0.03, "less than once a month"),
    ],
)
def test_how_often_is_said_in_the_unit_people_use(rate: float, words: str) -> None:
    assert how_often(rate) == words


def test_a_description_names_the_hours_and_days() -> None:
    busy = {7, 8, 9, 17, 18}
    weekdays = [day for day in range(1, 57) if (MONDAY - day * DAY).weekday() < 5]
    published = [
        MONDAY - day * DAY + (hour + 0.5) * HOUR for day in weekdays for hour in sorted(busy)
    ]

    found = describe(from_history(published, MONDAY))

    assert found.text == "publishes about 3.5 times a day, mostly 07-10 and 17-19 on weekdays"
    assert len(found.week) == 168
    assert sum(found.week) / 168 == pytest.approx(1.0)


def test_a_description_is_told_in_the_readers_time() -> None:
    state = from_history(daily(9.5), MONDAY)

    there = describe(state, timezone(timedelta(hours=8)))

    assert there.week[17] == describe(state).week[9]
    assert there.text.endswith("mostly around 17:30")


def test_a_source_without_habits_publishes_at_any_hour() -> None:
    assert describe(Forecast(items=30.0, days=3.0)).text.endswith("times a day, at any hour")


def test_nobody_claims_to_know_a_source_that_never_brought_anything() -> None:
    """What the scheduler assumes until then, ten items a day, is nothing anybody saw."""
    unknown = describe(Forecast())

    assert (unknown.text, unknown.rate) == ("nothing of it was seen yet", 0.0)
