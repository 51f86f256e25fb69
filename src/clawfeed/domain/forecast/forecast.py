"""When a source will publish, learned from what it did, and when to poll so that it pays.

Poll when the delay you expect to have piled up is worth the price of a poll. Pure: what was seen
comes in, a new state or a date comes out.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from clawfeed.domain.forecast.planner import PollPlan, plan
from clawfeed.domain.forecast.state import (
    ACTIVITY_HOURS,
    SINCE_EDGES,
    CachedShape,
    Forecast,
    from_bytes,
    to_bytes,
)
from clawfeed.domain.forecast.usual_hours import Description, describe
from clawfeed.domain.forecast.weekly_profile import CELL, DAY, HOUR, OFFSET, add_up

__all__ = [
    "Description",
    "Forecast",
    "PollPlan",
    "adjust_price",
    "describe",
    "from_bytes",
    "from_history",
    "learn",
    "learn_times",
    "plan",
    "to_bytes",
]

# Half-lives: how fast the past loses its say.
RATE_DAYS = 20.0
SINCE_DAYS = 60.0
SETTLED_DAYS = 3.0
# A document that overflowed hid items from us; so many times more at most.
MOST_WEIGHT = 5.0
HISTORY_SECONDS = 120 * DAY
HISTORY_STEP = 2 * HOUR


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
    return learn_times(
        state,
        polled_at=polled_at.timestamp(),
        previous_poll=previous_poll.timestamp(),
        published=[None if moment is None else moment.timestamp() for moment in published],
        window_full=window_full,
    )


def learn_times(
    state: Forecast,
    *,
    polled_at: float,
    previous_poll: float,
    published: Sequence[float | None],
    window_full: bool,
) -> Forecast:
    """The same in seconds since the epoch, for whoever replays months of polls."""
    end = polled_at
    start = max(min(previous_poll, end - 1), end - HISTORY_SECONDS)
    times = sorted([_time_of(moment, start, end) for moment in published]) if published else []
    weight = _hidden(start, times[0], end) if window_full and times else 1.0
    return _learn(state, start, end, times, weight)


def _hidden(start: float, oldest: float, end: float) -> float:
    """How many items each one seen stands for, if those since *oldest* filled the document."""
    return min(MOST_WEIGHT, max(1.0, (end - start) / max(60.0, end - oldest)))


def _time_of(published: float | None, start: float, end: float) -> float:
    if published is None:
        return (start + end) / 2
    return min(max(published, start), end)


def from_history(
    published: Sequence[datetime], now: datetime, since: datetime | None = None
) -> Forecast:
    """What a source's own dates teach before we ever watched it.

    *since* is when its history begins; without it, the oldest date is where counting starts.
    """
    end = now.timestamp()
    times = sorted(moment.timestamp() for moment in published if moment <= now)
    start = since.timestamp() if since else times[0] if times else end
    start = max(start, end - HISTORY_SECONDS)
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
    found, awaited, expected, since = _walk(state, start, end, times)
    passed = end - start
    rate_kept = 0.5 ** (passed / DAY / RATE_DAYS)
    activity_kept = 0.5 ** (passed / HOUR / ACTIVITY_HOURS)
    since_kept = 0.5 ** (passed / DAY / SINCE_DAYS)
    came = len(times) * weight
    unit_at, hours, minutes, memo = _count(state, end, times, weight)
    # Written out: `replace` costs as much as all of the arithmetic.
    return Forecast(
        unit_at=unit_at,
        hours=hours,
        minutes=minutes,
        memo=memo,
        learned_at=end,
        items=state.items * rate_kept + came,
        # The integral of what is kept, so that one long gap counts like many short ones.
        days=state.days * rate_kept + (1 - rate_kept) * RATE_DAYS / math.log(2),
        recent=state.recent * activity_kept + came,
        expected=state.expected * activity_kept + expected,
        since=since,
        found=tuple([value * since_kept for value in found]),
        awaited=tuple([value * since_kept for value in awaited]),
    )


def _walk(
    state: Forecast, start: float, end: float, times: Sequence[float]
) -> tuple[Sequence[float], Sequence[float], float, float]:
    """Go through the cells between two polls and note what came against what was expected.

    Answers `found`, `awaited`, what was expected in all, and `since`.
    By sums over the cells instead of one by one: where the items expected since the last one pass
    an edge is found by bisection.
    """
    per_cell, first = state.rate * CELL / DAY, math.floor((start - OFFSET) / CELL)
    size = math.ceil((end - OFFSET) / CELL) - first
    ahead = state.ahead(start, size)
    since = list(ahead.since[: size + 1])
    # Of the last cell, too, only a part lies between the polls.
    after = ahead.levels[size - 1] if size > 1 else ahead.whole
    since[-1] -= after * (first + size - (end - OFFSET) / CELL)
    # An item on the edge of two cells belongs to the earlier one.
    cells = [max(0, math.ceil((moment - OFFSET) / CELL) - 1 - first) for moment in times]
    found: Sequence[float] = state.found
    awaited: Sequence[float] = state.awaited
    if state.days > SETTLED_DAYS:
        found, awaited = _noted(state, since, cells, per_cell)
    left = since[-1] - since[cells[-1] + 1] if cells else since[-1]
    return found, awaited, (since[-1] - since[0]) * per_cell, max(0.0, left * per_cell)


def _noted(
    state: Forecast, since: Sequence[float], cells: Sequence[int], per_cell: float
) -> tuple[list[float], list[float]]:
    """What came and what was expected, by how much was expected since the item before."""
    found, awaited = list(state.found), list(state.awaited)
    last = len(since) - 1
    place, begin = bisect_right(SINCE_EDGES, state.since), 0
    while begin < last:
        # A cell belongs to the place where it begins.
        edge = SINCE_EDGES[place] / per_cell if place < len(SINCE_EDGES) else math.inf
        until = bisect_left(since, edge, begin, last)
        awaited[place] += (since[until] - since[begin]) * per_cell
        begin, place = until, place + 1
    for cell in cells:
        found[bisect_right(SINCE_EDGES, since[cell] * per_cell)] += 1
    return found, awaited


def _count(
    state: Forecast, at: float, times: Sequence[float], weight: float
) -> tuple[float, tuple[float, ...], tuple[float, ...], CachedShape | None]:
    """The profile with the items: its unit, its hours, its minutes, and what they add up to.

    New ones weigh more instead of all old ones less; only when the numbers grow big are they
    brought back to a new unit.
    """
    age = state.age(at)
    if age <= 16 and not times:
        return state.unit_at, state.hours, state.minutes, state.memo
    unit_at, sums = state.unit_at, state.sums.copied()
    if age > 16:
        sums = add_up([n / age for n in sums.hours], [n / age for n in sums.minutes])
        unit_at, age = at, 1.0
    for moment in times:
        sums.add(moment, weight * age)
    hours, minutes = tuple(sums.hours), tuple(sums.minutes)
    return unit_at, hours, minutes, CachedShape(sums, hours)
