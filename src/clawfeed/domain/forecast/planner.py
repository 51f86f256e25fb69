"""When to poll next: the delay expected to pile up, against the price of a poll."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate
from typing import NamedTuple

from clawfeed.domain.forecast.state import ACTIVITY_HOURS, SINCE_EDGES, Forecast
from clawfeed.domain.forecast.weekly_profile import (
    CELL,
    DAY,
    HOUR,
    OFFSET,
)
from clawfeed.domain.schedule.longest_wait import LONGEST_WAIT

# How many items it takes to believe in bursts, and in the silence after an item.
ACTIVITY_STRENGTH = 10.0
SINCE_STRENGTH = 8.0
# Items a day at which a source counts by its items as much as by being one source.
ORDINARY_RATE = 4.0
# Below an item a week, a poll is dear enough to be made every 110 minutes at most: a dozen polls a
# day, of which one in two hundred finds something. Without it, it was fourteen, or any number
# where polls are cheap.
QUIET_RATE, QUIET_GAP = 1 / 7, 110 * 60.0
# Polls at the longest wait are spread over a minute,
JITTER = 60.0
# those after a minute of the source's own over three: many publish on the full hour, and a
# quarter of all polls fell into two minutes of it.
MINUTE_SPREAD = 180.0
# How far ahead plans are compared: four usual gaps, within these.
GAPS_AHEAD = 4.0
SHORTEST_HORIZON, LONGEST_HORIZON = 1.5 * HOUR, 48 * HOUR
_FADED_SHARES = [
    0.5 ** (cell * CELL / HOUR / ACTIVITY_HOURS) for cell in range(int(DAY * 3 / CELL))
]


@dataclass(frozen=True, slots=True, kw_only=True)
class PollPlan:
    """The next poll, and how many new items it is expected to find."""

    at: datetime
    expected: float
    is_longest: bool  # nobody is left alone for longer


def plan(
    state: Forecast,
    *,
    last_poll: datetime,
    now: datetime,
    price: float,
    beta: float,
    weight: float = 1.0,
    shortest: timedelta = timedelta(minutes=5),
    longest: timedelta = LONGEST_WAIT,
    spread: float = 0.0,
) -> PollPlan:
    """Choose the next poll.

    *price* is how many item-seconds of delay one poll is worth, *beta* how much a quiet source
    counts (0: items alone, 1: sources alone), *weight* how many people wait for this one.
    *spread* in [0, 1) is the source's place in the crowd. Never before *shortest* after the last
    poll, never later than *longest* (a day at most) and a minute, never in the past.
    """
    start = last_poll.timestamp()
    longest_wait = min(longest, LONGEST_WAIT).total_seconds()
    shortest_wait = min(shortest.total_seconds(), longest_wait)
    worth = price_value(state.rate, price, beta) / weight
    wait, expected = choose_wait(
        state, start, worth=worth, shortest=shortest_wait, longest=longest_wait, spread=spread
    )
    at = max(last_poll + timedelta(seconds=wait), now)
    return PollPlan(at=at, expected=expected, is_longest=wait >= longest_wait - CELL)


def choose_wait(
    state: Forecast,
    start: float,
    *,
    worth: float,
    shortest: float,
    longest: float,
    spread: float,
) -> tuple[float, float]:
    """How many seconds to wait from the poll at *start* on, and the items expected by then."""
    cheapest = _choose(state, start, worth, shortest, longest)
    wait = cheapest.cells * CELL - _into_cell(start)
    if state.ahead(start, 1).keeps_minutes:
        wait += spread * MINUTE_SPREAD
    else:
        # No minute is better than another: use the whole cell, so that polls do not bunch.
        wait += (cheapest.lean + spread - 0.5) * CELL
    return min(max(wait, shortest), longest + spread * JITTER), cheapest.expected


def price_value(rate: float, price: float, beta: float) -> float:
    """The price of a poll of this source.

    Items count *1 - beta*, being a source counts *beta*: the blend that is optimal for the two
    means, over items and over sources. Against a power of the rate it saves 7 % per source at
    the same mean (public traces).
    """
    worth = price / ((1 - beta) + beta * ORDINARY_RATE / rate)
    return worth if rate >= QUIET_RATE else max(worth, rate * QUIET_GAP**2 / (2 * DAY))


def _choose(
    state: Forecast, start: float, worth: float, shortest: float, longest: float
) -> CheapestPoll:
    gap = math.sqrt(2 * worth * DAY / state.rate)
    into = _into_cell(start)
    # A fifth of a cell early is within the shortest wait's own precision; the clamp mends it.
    first = max(1, math.ceil((into + shortest) / CELL - 0.2))
    last = max(first, int((into + longest) / CELL))
    horizon = min(LONGEST_HORIZON, max(SHORTEST_HORIZON, GAPS_AHEAD * gap))
    size = max(first + 1, int(horizon / CELL))
    return cheapest_poll(_amounts(state, start, size), price=worth / CELL, first=first, last=last)


def _into_cell(moment: float) -> float:
    return (moment - OFFSET) % CELL


def _amounts(state: Forecast, start: float, size: int) -> list[float]:
    """The items to expect in each of the next *size* cells: rate, hour, minute, bursts, silence."""
    rate = state.rate / DAY * CELL
    ahead = state.ahead(start, size)
    levels, since = ahead.levels, ahead.since
    activity = (state.recent + ACTIVITY_STRENGTH) / (state.expected + ACTIVITY_STRENGTH) - 1
    amounts: list[float] = []
    place, done = bisect_right(SINCE_EDGES, state.since), 0
    while done < size:
        # As far as the next edge, how overdue the source is stays the same.
        edge = SINCE_EDGES[place] / rate if place < len(SINCE_EDGES) else math.inf
        until = bisect_left(since, edge, done, size)
        overdue = (state.found[place] + SINCE_STRENGTH) / (state.awaited[place] + SINCE_STRENGTH)
        usual, burst = rate * overdue, rate * overdue * activity
        amounts += [
            level * (usual + burst * faded)
            for level, faded in zip(levels[done:until], _FADED_SHARES[done:until], strict=True)
        ]
        place, done = place + 1, until
    return amounts


class CheapestPoll(NamedTuple):
    """The next poll, in cells from now; *lean* in [-1/2, 1/2] is where within them it is best."""

    cells: int
    lean: float
    expected: float


def cheapest_poll(amounts: Sequence[float], *, price: float, first: int, last: int) -> CheapestPoll:
    """After how many cells to poll, and how many items are expected by then.

    *amounts* are the items expected in each cell from the last poll on, *price* is in
    item-cells. Every plan of polls up to the horizon is weighed; only its first poll is answered,
    between *first* and *last*.
    """
    seen = list(accumulate(amounts, initial=0.0))
    cost = plan_costs(seen, price)
    candidates = cost[first : last + 1]
    chosen = first + candidates.index(min(candidates))
    lean = 0.0
    if 1 < chosen < len(amounts):
        lean = _lean(*cost[chosen - 1 : chosen + 2])
    return CheapestPoll(cells=chosen, lean=lean, expected=seen[chosen])


def plan_costs(seen: Sequence[float], price: float) -> list[float]:
    """What the cheapest plan costs whose first poll is at each cell, worked out backwards.

    The delay between polls at a and b is b x (seen[b] - seen[a]) less the items' own moments, so
    the cost of going on from a is the lowest, at seen[a], of straight lines with one for each b.
    Their lower envelope is kept; seen[a] only falls, so each line is passed once. The moments are
    the same in every plan and left out.
    """
    horizon = len(seen) - 1
    cost = [0.0] * (horizon + 1)
    # The horizon's poll is paid as well: every plan ends there, so it changes none.
    height = newest = cost[horizon] = horizon * seen[horizon] + price
    # The lines of the envelope up to *last*, and below which *seen* each beats the one before it;
    # *best* is the lowest here, *edge* where the one after it becomes so. Places are written over,
    # and what a round needs of the one before is at hand: this is where most of the time goes.
    slopes, heights = [horizon] * (horizon + 1), [height] * (horizon + 1)
    below = [math.inf] * (horizon + 1)
    best, last, slope, edge = 0, 0, horizon, -math.inf
    for start in range(horizon - 1, 0, -1):
        here = seen[start]
        while here <= edge:
            best += 1
            slope, height = slopes[best], heights[best]
            edge = below[best + 1] if best < last else -math.inf
        found = cost[start] = (start - slope) * here + price + height
        # The newest line is that of the next cell: the slopes differ by one.
        crossing = newest - found
        while last > best and crossing >= below[last]:
            last -= 1
            crossing = (heights[last] - found) / (slopes[last] - start)
        last += 1
        slopes[last], heights[last], below[last] = start, found, crossing
        newest = found
        if last == best + 1:
            edge = crossing
    return cost


def _lean(before: float, at: float, after: float) -> float:
    """Where the parabola through three neighbours is lowest, at most half a cell away."""
    bend = before - 2 * at + after
    return min(max((before - after) / 2 / bend, -0.5), 0.5) if bend > 1e-12 else 0.0
