"""Which price of a poll brings so many polls a day.

A few sources in full say little about the others: 60 of 200 or 400, drawn 300 times from the public
traces, were over 1.5 % off the polls of all in two cases of three. All of them for a week, and the
model for how their rates went on, were 0.1 to 2.0 % off on six fleets of 60 sources.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from clawfeed.domain.backtest.backtest import DAY, Figures, Trace
from clawfeed.domain.forecast.forecast import HISTORY_SECONDS, RATE_DAYS
from clawfeed.domain.forecast.forecast_memory import SHORTEST_WAIT
from clawfeed.domain.forecast.planner import price_value
from clawfeed.domain.forecast.state import PRIOR_DAYS, PRIOR_ITEMS

# A whole week: on the first days alone, polls are up to a seventh fewer than later.
STRETCH_DAYS = 7
# What the forecast polls of what the model says: it knows when nothing is to be expected.
USUAL_SHARE = 0.81
# By which power of the price polls fall around the default one (public traces: 0.42 to 0.44).
USUAL_SLOPE = -0.44
_KEPT_SHARE = 0.5 ** (1 / RATE_DAYS)
_SHORTEST_SECONDS = SHORTEST_WAIT.total_seconds()


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSource:
    """What the model knows of a source: its rate on each day, and how long it may wait."""

    rates: Sequence[float]  # items a day, as the forecast would believe them
    asked: float


def first_stretch(trace: Trace) -> Trace:
    """The same source, judged for its first week only."""
    return replace(trace, eval_to=min(trace.eval_to, trace.eval_from + STRETCH_DAYS * DAY))


def model_source(trace: Trace) -> ModelSource:
    """Its rate from day to day, forgotten as the forecast forgets; nothing is replayed."""
    before = max(0, int((trace.eval_from - max(trace.start, _oldest(trace))) / DAY))
    now = trace.eval_from - before * DAY
    place, items, days = bisect_left(trace.times, now), 0.0, 0.0
    rates: list[float] = []
    while now < trace.eval_to:
        if now >= trace.eval_from:
            rates.append((items + PRIOR_ITEMS) / (days + PRIOR_DAYS))
        now += DAY
        until = bisect_left(trace.times, now, place)
        items, place = items * _KEPT_SHARE + until - place, until
        days = days * _KEPT_SHARE + (1 - _KEPT_SHARE) * RATE_DAYS / math.log(2)
    return ModelSource(rates=rates, asked=trace.asked)


def _oldest(trace: Trace) -> float:
    return trace.eval_from - HISTORY_SECONDS


def model_polls(
    sources: Sequence[ModelSource], price: float, beta: float, *, days: int | None = None
) -> float:
    """Polls a day and source if items came evenly: a gap costs half its square, a poll its price.

    Over the first *days*, if given.
    """
    polls = [
        DAY / min(max(math.sqrt(2 * price_value(rate, price, beta) * DAY / rate), shortest), DAY)
        for source in sources
        for shortest in [max(_SHORTEST_SECONDS, source.asked)]
        for rate in source.rates[:days]
    ]
    return sum(polls) / max(len(polls), 1)


def model_price(
    sources: Sequence[ModelSource], polls: float, beta: float, *, price: float
) -> float:
    """The price at which the model makes so many *polls* a day; found from *price* on."""
    for _ in range(8):
        off = model_polls(sources, price, beta) / polls
        if abs(off - 1) < 0.002:
            break
        # Where limits keep the polls away, it ends somewhere: a replay will tell.
        price *= min(16.0, max(1 / 16, off)) ** (-1 / USUAL_SLOPE)
    return price


def calibrate(
    run: Callable[[float], Figures],
    *,
    target: float,
    price: float,
    tolerance: float = 0.01,
    slope: float = -0.5,
    runs: int = 10,
) -> tuple[float, Figures]:
    """The price that brings *target* polls a day, and the figures under it.

    Steps by the law that polls fall with a power of the price (*slope*), then by the one it saw,
    and halves the bracket (in logarithms) where a step would leave it. The nearest after so many
    *runs*, if limits keep it away.
    """
    low, high = 0.0, math.inf
    tried: list[tuple[float, Figures]] = []
    for _ in range(runs):
        figures = run(price)
        tried.append((price, figures))
        if _off(figures, target) <= tolerance:
            break
        low, high = (price, high) if figures.polls_per_day > target else (low, price)
        slope = _slope(tried, slope)
        step = price * (target / max(figures.polls_per_day, 0.01)) ** (1 / slope)
        price = step if low < step < high else math.sqrt(low * high)
    return min(tried, key=lambda one: _off(one[1], target))


def _slope(tried: Sequence[tuple[float, Figures]], known: float) -> float:
    """By which power of the price the polls fell between the last two runs."""
    if len(tried) < 2:
        return known
    (price, figures), (next_price, next_figures) = tried[-2:]
    run, fall = next_price / price, next_figures.polls_per_day / max(figures.polls_per_day, 0.01)
    return min(-0.1, max(-3.0, math.log(max(fall, 0.01)) / math.log(run))) if run != 1 else known


def _off(figures: Figures, target: float) -> float:
    return abs(figures.polls_per_day / target - 1)
