"""When to poll next: the delay expected to pile up, against the price of a poll."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from clawfeed.domain.because import Because, Rule
from clawfeed.domain.forecast_profile import (
    CELL,
    CELLS_AN_HOUR,
    DAY,
    HOUR,
    OFFSET,
    Shape,
    hour_of_week,
)
from clawfeed.domain.forecast_state import ACTIVITY_HOURS, SINCE_EDGES, Forecast
from clawfeed.domain.schedule import LONGEST_WAIT

# How many items it takes to believe in bursts, and in the silence after an item.
ACTIVITY_STRENGTH = 10.0
SINCE_STRENGTH = 8.0
# Items a day at which a source counts by its items as much as by being one source.
ORDINARY_RATE = 4.0
JITTER = 60.0
# How far ahead plans are compared: four usual gaps, within these.
GAPS_AHEAD = 4.0
SHORTEST_HORIZON, LONGEST_HORIZON = 6 * HOUR, 48 * HOUR
# Plans are compared on whole parts of an hour, so that the full hour stays one of the points.
STEPS = (12, 6, 4, 3, 2)
# At least so many points within a usual gap; fewer cost delay, more cost time.
POINTS_A_GAP = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The next poll, why then, and how many new items it is expected to find."""

    at: datetime
    because: Because
    expected: float


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
) -> Plan:
    """Choose the next poll, and say why then.

    *price* is how many item-seconds of delay one poll is worth, *beta* how much a quiet source
    counts (0: items alone, 1: sources alone), *weight* how many people wait for this one.
    *spread* in [0, 1) is the source's place in the crowd. Never before *shortest* after the last
    poll, never later than *longest* (a day at most) and a minute, never in the past.
    """
    start = last_poll.timestamp()
    longest_wait = min(longest, LONGEST_WAIT).total_seconds()
    shortest_wait = min(shortest.total_seconds(), longest_wait)
    worth = _worth(state.rate, price, beta) / weight
    cheapest = _choose(state, start, worth, shortest_wait, longest_wait)
    wait = cheapest.cells * CELL - _into_cell(start)
    if state.keeps_minutes(start):
        wait += spread * JITTER
    else:
        # No minute is better than another: use the whole cell, so that polls do not bunch.
        wait += cheapest.lean * CELL + (spread - 0.5) * JITTER
    wait = min(max(wait, shortest_wait), longest_wait + spread * JITTER)
    at = max(last_poll + timedelta(seconds=wait), now)
    because = _because(state, cheapest.expected, wait, longest_wait)
    return Plan(at=at, because=because, expected=cheapest.expected)


def _worth(rate: float, price: float, beta: float) -> float:
    """The price of a poll of this source.

    Items count *1 - beta*, being a source counts *beta*: the blend that is optimal for the two
    means, over items and over sources. Against a power of the rate it saves 7 % per source at
    the same mean (public traces).
    """
    return price / ((1 - beta) + beta * ORDINARY_RATE / rate)


def _choose(
    state: Forecast, start: float, worth: float, shortest: float, longest: float
) -> Cheapest:
    gap = math.sqrt(2 * worth * DAY / state.rate)
    horizon = min(LONGEST_HORIZON, max(SHORTEST_HORIZON, GAPS_AHEAD * gap))
    cell = math.floor((start - OFFSET) / CELL)
    into = _into_cell(start)
    step = step_for(gap / CELL)
    aligned = -cell % step
    size = aligned + (int(horizon / CELL) - aligned) // step * step
    amounts = _amounts(state, start, cell, size)
    # A fifth of a cell early is within the shortest wait's own precision; the clamp mends it.
    first = max(1, math.ceil((into + shortest) / CELL - 0.2))
    last = max(first, int((into + longest) / CELL))
    return cheapest_poll(
        amounts, price=worth / CELL, first=first, last=last, step=step, aligned=aligned
    )


def _into_cell(moment: float) -> float:
    return (moment - OFFSET) % CELL


def _amounts(state: Forecast, start: float, cell: int, size: int) -> list[float]:
    """The items to expect in each of the next *size* cells: rate, hour, minute, bursts, silence."""
    rate = state.rate / DAY * CELL
    shape = state.shape(start)
    activity = (state.recent + ACTIVITY_STRENGTH) / (state.expected + ACTIVITY_STRENGTH) - 1
    fading = 0.5 ** (CELL / HOUR / ACTIVITY_HOURS)
    overdue = [
        (found + SINCE_STRENGTH) / (awaited + SINCE_STRENGTH)
        for found, awaited in zip(state.found, state.awaited, strict=True)
    ]
    since, amounts = state.since, []
    place = bisect_right(SINCE_EDGES, since)
    edges = (*SINCE_EDGES, math.inf)
    share = 1 - _into_cell(start) / CELL  # of the first cell, part is over
    for level in _levels(shape, cell, size):
        amount = rate * level * share
        while since >= edges[place]:
            place += 1
        amounts.append(amount * overdue[place] * (1 + activity))
        since += amount
        activity *= fading
        share = 1.0
    return amounts


def _levels(shape: Shape, cell: int, size: int) -> list[float]:
    first, last = cell // CELLS_AN_HOUR, (cell + size) // CELLS_AN_HOUR
    levels: list[float] = []
    for hour in range(first, last + 1):
        levels += shape.cells(hour_of_week(hour))
    skipped = cell - first * CELLS_AN_HOUR
    return levels[skipped : skipped + size]


def _because(state: Forecast, expected: float, wait: float, longest: float) -> Because:
    per_day = round(state.rate, 4)
    if wait >= longest - CELL:
        return Because(Rule.FORECAST_LONGEST, {"per_day": per_day})
    return Because(Rule.FORECAST, {"expected": round(expected, 2), "per_day": per_day})


def step_for(gap_in_cells: float) -> int:
    """How many cells apart later polls are considered: fine for the busy, coarse for the quiet."""
    return next((step for step in STEPS if step * POINTS_A_GAP <= gap_in_cells), 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cheapest:
    """The next poll, in cells from now; *lean* in [-1/2, 1/2] is where within them it is best."""

    cells: int
    lean: float
    expected: float


def cheapest_poll(
    amounts: Sequence[float], *, price: float, first: int, last: int, step: int, aligned: int
) -> Cheapest:
    """After how many cells to poll, and how many items are expected by then.

    *amounts* are the items expected in each cell from the last poll on, *price* is in
    item-cells. Every plan of polls up to the horizon is weighed, backwards (a shortest path);
    only its first poll is answered, between *first* and *last*. Later polls are considered at
    cells *aligned*, *aligned* + *step*, and so on; the horizon must be one of them.
    """
    ahead = _look_ahead(amounts, price, step, aligned)
    best, chosen = math.inf, last
    for at in range(first, min(len(amounts), last) + 1):
        delay = ahead.delay(0, at)
        if delay > best:
            break
        if delay + ahead.cost_of(at) < best:
            best, chosen = delay + ahead.cost_of(at), at
    lean = 0.0
    if 1 < chosen < len(amounts):
        around = (chosen - 1, chosen, chosen + 1)
        lean = _lean(*(ahead.delay(0, at) + ahead.cost_of(at) for at in around))
    return Cheapest(cells=chosen, lean=lean, expected=ahead.seen[min(chosen, len(amounts))])


def _lean(before: float, at: float, after: float) -> float:
    """Where the parabola through three neighbours is lowest, at most half a cell away."""
    bend = before - 2 * at + after
    return min(max((before - after) / 2 / bend, -0.5), 0.5) if bend > 1e-12 else 0.0


def _sums(amounts: Sequence[float]) -> tuple[list[float], list[float]]:
    """Running sums of the items and of their mean times.

    The delay between any two cells is a difference of these.
    """
    seen, moment = [0.0], [0.0]
    items = times = 0.0
    for cell, amount in enumerate(amounts):
        items += amount
        times += amount * (cell + 0.5)
        seen.append(items)
        moment.append(times)
    return seen, moment


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ahead:
    """From each point on: the *cost* of a poll there and all later ones, and the one *after* it."""

    seen: Sequence[float]
    moment: Sequence[float]
    cost: Sequence[float]
    after: Sequence[int]
    price: float
    step: int
    aligned: int

    def delay(self, start: int, at: int) -> float:
        """The item-cells that pile up between two polls."""
        return at * (self.seen[at] - self.seen[start]) - self.moment[at] + self.moment[start]

    def cost_of(self, cell: int) -> float:
        """The cost of a poll at any cell. Between two points, the next poll lies between theirs."""
        beyond = (cell - self.aligned) % self.step
        if not beyond:
            return self.cost[cell]
        if cell < self.aligned:
            nearest, farthest = self.aligned, self.after[self.aligned]
        else:
            point = cell - beyond
            nearest, farthest = self.after[point], self.after[point + self.step]
        following = range(nearest, farthest + 1, self.step)
        return self.price + min(self.delay(cell, at) + self.cost[at] for at in following)


def _look_ahead(amounts: Sequence[float], price: float, step: int, aligned: int) -> _Ahead:
    """The cheapest continuation from every point, worked out backwards from the horizon."""
    seen, moment = _sums(amounts)
    horizon = len(amounts)
    # The horizon's poll is paid as well: every plan ends there, so it changes none.
    cost, after = [price] * (horizon + 1), [horizon] * (horizon + 1)
    farthest = horizon
    for start in range(horizon - step, -1, -step):
        best = math.inf
        base, base_moment = seen[start], moment[start]
        # The cheapest next poll never moves away as the start moves closer.
        for at in range(start + step, farthest + 1, step):
            delay = at * (seen[at] - base) - moment[at] + base_moment
            if delay > best:
                break
            if delay + cost[at] < best:
                best, after[start] = delay + cost[at], at
        farthest = after[start]
        cost[start] = best + price
    return _Ahead(
        seen=seen,
        moment=moment,
        cost=cost,
        after=after,
        price=price,
        step=step,
        aligned=aligned,
    )
