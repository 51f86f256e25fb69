"""Which price of a poll brings so many polls a day."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from clawfeed.domain.backtest import DAY, Figures, Trace

# So many sources find a price nearly as well as all of them, and much sooner.
SAMPLE = 60


def sample_by_rate(traces: Sequence[Trace], size: int = SAMPLE) -> list[Trace]:
    """*size* of them at most, quiet and busy ones in the proportion of all."""
    if len(traces) <= 2 * size:
        return list(traces)
    by_rate = sorted(traces, key=lambda trace: (_items_a_day(trace), trace.name))
    return [by_rate[int((place + 0.5) * len(by_rate) / size)] for place in range(size)]


def _items_a_day(trace: Trace) -> float:
    return len(trace.times) / max((trace.eval_to - trace.start) / DAY, 1.0)


def calibrate(
    run: Callable[[float], Figures], *, target: float, price: float, tolerance: float = 0.01
) -> tuple[float, Figures]:
    """The price that brings *target* polls a day, and the figures under it.

    Steps by the law that polls fall with the root of the price, then by the slope it saw, and
    halves the bracket (in logarithms) where a step would leave it. The nearest after ten runs,
    if limits keep it away.
    """
    low, high, slope = 0.0, math.inf, -0.5
    tried: list[tuple[float, Figures]] = []
    for _ in range(10):
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
