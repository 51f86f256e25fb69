"""When a source will publish, learned from what it did, and when to poll so that it pays.

Poll when the delay you expect to have piled up is worth the price of a poll. Pure: what was seen
comes in, a new state or a date comes out.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import accumulate

from clawfeed.domain.because_wording import how_often
from clawfeed.domain.forecast_planner import Plan, plan
from clawfeed.domain.forecast_profile import (
    CELL,
    DAY,
    HOUR,
    HOURS_A_WEEK,
    OFFSET,
    add_item,
    busy_hours,
)
from clawfeed.domain.forecast_state import (
    ACTIVITY_HOURS,
    SINCE_EDGES,
    Forecast,
    from_bytes,
    to_bytes,
)

__all__ = [
    "Description",
    "Forecast",
    "Plan",
    "adjust_price",
    "describe",
    "from_bytes",
    "from_history",
    "learn",
    "plan",
    "to_bytes",
]

# Half-lives: how fast the past loses its say.
RATE_DAYS = 20.0
SINCE_DAYS = 60.0
SETTLED_DAYS = 3.0
# A document that overflowed hid items from us; so many times more at most.
MOST_WEIGHT = 5.0
HISTORY_SPAN = timedelta(days=120)
HISTORY_STEP = 2 * HOUR


@dataclass(frozen=True, slots=True, kw_only=True)
class Description:
    """What was learned, for people: a sentence, the items a day, the level of 168 local hours."""

    text: str
    rate: float
    week: tuple[float, ...]


def adjust_price(price: float, mean_polls: float, target: float) -> float:
    """The price for tomorrow, so that *mean_polls* a day (over a week) move towards *target*.

    Polls fall with the square root of the price (measured: the power -0.48).
    """
    return price * min(2.0, max(0.5, (mean_polls / target) ** 2))


def learn(
    state: Forecast,
    *,
    polled_at: datetime,
    previous_poll: datetime,
    published: Sequence[datetime | None],
    window_full: bool,
) -> Forecast:
    """The state after a successful poll that found new items with the dates *published*.

    An item was not there before the previous poll whatever its date says, and an item without a
    date came in the middle. *window_full*: everything the document held was new, so items may
    have fallen out unseen. A failed poll is not an observation: do not call.
    """
    end = polled_at.timestamp()
    start = max(min(previous_poll.timestamp(), end - 1), end - HISTORY_SPAN.total_seconds())
    times = sorted(_time_of(moment, start, end) for moment in published)
    weight = _hidden(start, times[0], end) if window_full and times else 1.0
    return _learn(state, start, end, times, weight)


def _hidden(start: float, oldest: float, end: float) -> float:
    """How many items each one seen stands for, if those since *oldest* filled the document."""
    return min(MOST_WEIGHT, max(1.0, (end - start) / max(60.0, end - oldest)))


def _time_of(published: datetime | None, start: float, end: float) -> float:
    if published is None:
        return (start + end) / 2
    return min(max(published.timestamp(), start), end)


def from_history(
    published: Sequence[datetime], now: datetime, since: datetime | None = None
) -> Forecast:
    """What a source's own dates teach before we ever watched it.

    *since* is when its history begins; without it, the oldest date is where counting starts.
    """
    end = now.timestamp()
    times = sorted(moment.timestamp() for moment in published if moment <= now)
    start = since.timestamp() if since else times[0] if times else end
    start = max(start, end - HISTORY_SPAN.total_seconds())
    times = times[bisect_right(times, start) :]
    state, done = Forecast(), start
    while times:
        # Idle time is one step; items are counted in steps of two hours.
        step = start + (times[0] - start) // HISTORY_STEP * HISTORY_STEP
        until = min(end, step + HISTORY_STEP)
        here = bisect_right(times, until)
        if step > done:
            state = _learn(state, done, step, [], 1.0)
        state = _learn(state, max(done, step), until, times[:here], 1.0)
        times, done = times[here:], until
    return _learn(state, done, end, [], 1.0) if end > done else state


def _learn(
    state: Forecast, start: float, end: float, times: Sequence[float], weight: float
) -> Forecast:
    if end <= start:
        return state
    state = state if state.learned_at else replace(state, unit_at=start)
    walked = _walk(state, start, end, times)
    passed = end - start
    rate_kept = 0.5 ** (passed / DAY / RATE_DAYS)
    activity_kept = 0.5 ** (passed / HOUR / ACTIVITY_HOURS)
    since_kept = 0.5 ** (passed / DAY / SINCE_DAYS)
    came = len(times) * weight
    counted = _count(state, end, times, weight)
    return replace(
        counted,
        learned_at=end,
        items=state.items * rate_kept + came,
        # The integral of what is kept, so that one long gap counts like many short ones.
        days=state.days * rate_kept + (1 - rate_kept) * RATE_DAYS / math.log(2),
        recent=state.recent * activity_kept + came,
        expected=state.expected * activity_kept + walked.expected,
        since=walked.since,
        found=tuple(value * since_kept for value in walked.found),
        awaited=tuple(value * since_kept for value in walked.awaited),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Walked:
    found: Sequence[float]
    awaited: Sequence[float]
    expected: float
    since: float


def _walk(state: Forecast, start: float, end: float, times: Sequence[float]) -> _Walked:
    """Go through the cells between two polls and note what came against what was expected.

    By sums over the cells instead of one by one: where the items expected since the last one pass
    an edge is found by bisection.
    """
    rate, first = state.rate / DAY, math.floor((start - OFFSET) / CELL)
    size = math.ceil((end - OFFSET) / CELL) - first
    levels = state.shape(start).levels(first, size)
    amounts = [rate * CELL * level for level in levels]
    # Of the first and the last cell, only a part lies between the polls.
    amounts[0] -= rate * levels[0] * (start - OFFSET - first * CELL)
    amounts[-1] -= rate * levels[-1] * ((first + size) * CELL + OFFSET - end)
    since = list(accumulate(amounts, initial=state.since))
    expected = since[-1] - state.since
    # An item on the edge of two cells belongs to the earlier one.
    cells = [max(0, math.ceil((moment - OFFSET) / CELL) - 1 - first) for moment in times]
    found: Sequence[float] = state.found
    awaited: Sequence[float] = state.awaited
    if state.days > SETTLED_DAYS:
        found, awaited = _noted(found, awaited, since, cells)
    left = since[-1] - since[cells[-1] + 1] if cells else since[-1]
    return _Walked(found=found, awaited=awaited, expected=expected, since=max(0.0, left))


def _noted(
    found: Sequence[float], awaited: Sequence[float], since: Sequence[float], cells: Sequence[int]
) -> tuple[list[float], list[float]]:
    """What came and what was expected, by how much was expected since the item before."""
    found, awaited = list(found), list(awaited)
    last = len(since) - 1
    place, begin = bisect_right(SINCE_EDGES, since[0]), 0
    while begin < last:
        # A cell belongs to the place where it begins.
        edge = SINCE_EDGES[place] if place < len(SINCE_EDGES) else math.inf
        until = bisect_left(since, edge, begin, last)
        awaited[place] += since[until] - since[begin]
        begin, place = until, place + 1
    for cell in cells:
        found[bisect_right(SINCE_EDGES, since[cell])] += 1
    return found, awaited


def _count(state: Forecast, at: float, times: Sequence[float], weight: float) -> Forecast:
    """Add the items to the profile.

    New ones weigh more instead of all old ones less; only when the numbers grow big are they
    brought back to a new unit.
    """
    age = state.age(at)
    if age <= 16 and not times:
        return state
    unit_at, kept = (at, 1 / age) if age > 16 else (state.unit_at, 1.0)
    hours = [value * kept for value in state.hours]
    minutes = [value * kept for value in state.minutes]
    for moment in times:
        add_item(hours, minutes, moment, weight * age * kept)
    return replace(state, unit_at=unit_at, hours=tuple(hours), minutes=tuple(minutes))


def describe(state: Forecast, tz: tzinfo = UTC) -> Description:
    """What was learned, in the reader's time zone: a sentence, the rate, and the week's profile."""
    at = datetime.fromtimestamp(state.learned_at, UTC)
    offset = at.astimezone(tz).utcoffset() or timedelta()
    shift = round(offset / timedelta(hours=1))
    week = state.shape(state.learned_at).week()
    local = tuple(week[(hour - shift) % HOURS_A_WEEK] for hour in range(HOURS_A_WEEK))
    rate = state.rate
    return Description(
        text=f"publishes {how_often(rate)}, {busy_hours(local)}", rate=rate, week=local
    )
