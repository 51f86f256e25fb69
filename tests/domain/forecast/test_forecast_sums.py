"""Sums and bisection give what walking every five-minute cell gives, only sooner (POLLING)."""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import accumulate

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from clawfeed.domain.forecast.forecast import Forecast, from_bytes, from_history, learn, to_bytes
from clawfeed.domain.forecast.planner import cheapest_poll, plan_costs
from clawfeed.domain.forecast.state import SINCE_EDGES
from clawfeed.domain.forecast.weekly_profile import CELL, DAY, OFFSET, add_up, cell_of

MONDAY = datetime(2026, 3, 2, tzinfo=UTC)
SECONDS = st.integers(0, 3 * 86400).map(lambda seconds: timedelta(seconds=seconds))


def walked(
    state: Forecast, start: float, end: float, times: list[float]
) -> tuple[list[float], list[float], float, float]:
    """Cell by cell: what was found and awaited in each place, expected in all, expected since."""
    found, awaited = list(state.found), list(state.awaited)
    shape, rate = state.shape(start), state.rate / DAY
    since, total, at_newest, moment = state.since, 0.0, 0.0, start
    while moment < end:
        until = min(end, (math.floor((moment - OFFSET) / CELL) + 1) * CELL + OFFSET)
        week, cell = cell_of(moment)
        amount = rate * shape.cells(week)[cell] * (until - moment)
        came = sum(moment < time <= until or time == moment == start for time in times)
        # Exactly on an edge, rounding decides to which side it belongs.
        assume(all(abs(since - edge) > 1e-6 for edge in SINCE_EDGES))
        place = bisect_right(SINCE_EDGES, since)
        awaited[place] += amount
        found[place] += came
        since, total = since + amount, total + amount
        at_newest = total if came else at_newest
        moment = until
    return found, awaited, total, (total - at_newest if times else since)


@given(
    rate=st.integers(2, 300),
    started=SECONDS,
    gap=st.integers(1, 2 * 86400),
    places=st.lists(st.floats(0, 1), max_size=6),
    since=st.floats(0, 6),
)
@settings(max_examples=80, deadline=None)
def test_learning_by_sums_is_walking_cell_by_cell(
    rate: int, started: timedelta, gap: int, places: list[float], since: float
) -> None:
    history = [MONDAY - timedelta(days=20) * place / rate for place in range(rate)]
    previous, polled = MONDAY + started, MONDAY + started + timedelta(seconds=gap)
    times = sorted(previous + timedelta(seconds=round(gap * place)) for place in places)
    state = replace(from_history(history, MONDAY), since=since, expected=0.0)

    learned = learn(
        state, polled_at=polled, previous_poll=previous, published=times, window_full=False
    )

    kept = 0.5 ** (gap / DAY / 60)
    found, awaited, expected, left = walked(
        state, previous.timestamp(), polled.timestamp(), [time.timestamp() for time in times]
    )
    assert list(learned.found) == pytest.approx([value * kept for value in found])
    assert list(learned.awaited) == pytest.approx([value * kept for value in awaited])
    assert learned.expected == pytest.approx(expected)
    assert learned.since == pytest.approx(left, abs=1e-9)


def test_sums_carried_from_poll_to_poll_are_those_of_the_counts() -> None:
    """Three months of polls, over a change of the unit: nothing is left out or counted twice."""
    state, at = Forecast(), MONDAY
    for n in range(1, 300):
        before, at = at, at + timedelta(hours=17)
        found = [before + timedelta(hours=hour) for hour in range(n % 4)]
        state = learn(
            state, polled_at=at, previous_poll=before, published=found, window_full=n % 9 == 0
        )

    anew = add_up(state.hours, state.minutes)
    for name in ("hours", "minutes", "by_hour", "by_day", "by_minute", "in_hour"):
        assert getattr(state.sums, name) == pytest.approx(getattr(anew, name)), name
    assert state.sums.total == pytest.approx(anew.total)
    assert from_bytes(to_bytes(state)).shape(at.timestamp()).week() == pytest.approx(
        state.shape(at.timestamp()).week(), rel=1e-3
    )


def plain_costs(amounts: list[float], price: float) -> list[float]:
    """The cost of the cheapest plan by its first poll: every pair of polls is weighed."""
    horizon = len(amounts)

    def delay(start: int, at: int) -> float:
        return sum(amounts[cell] * (at - cell - 0.5) for cell in range(start, at))

    onwards = [price] * (horizon + 1)
    for start in range(horizon - 1, 0, -1):
        later = range(start + 1, horizon + 1)
        onwards[start] = price + min(delay(start, at) + onwards[at] for at in later)
    return [delay(0, at) + onwards[at] for at in range(1, horizon + 1)]


@given(
    amounts=st.lists(st.just(0.0) | st.floats(1e-4, 2), min_size=3, max_size=40),
    price=st.floats(0.01, 20),
    first=st.integers(1, 3),
    span=st.integers(0, 60),
)
@settings(max_examples=150, deadline=None)
def test_the_envelope_finds_the_plan_that_weighing_all_finds(
    amounts: list[float], price: float, first: int, span: int
) -> None:
    found = cheapest_poll(amounts, price=price, first=first, last=first + span)

    costs = plain_costs(amounts, price)
    seen = list(accumulate(amounts, initial=0.0))
    moments = sum(amount * (cell + 0.5) for cell, amount in enumerate(amounts))
    assert plan_costs(seen, price)[1:] == pytest.approx([cost + moments for cost in costs])
    allowed = costs[first - 1 : first + span]
    assert first <= found.cells <= first + span
    assert costs[found.cells - 1] == pytest.approx(min(allowed), abs=1e-9)
    assert found.expected == pytest.approx(sum(amounts[: found.cells]))
