"""Replays the sources under a rule, on all processors, and finds the forecast's price."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias

from clawfeed.domain.backtest import (
    WINDOW,
    Figures,
    Replay,
    Trace,
    count_worse,
    replay,
    summarise,
)
from clawfeed.domain.backtest_price import calibrate, sample_by_rate
from clawfeed.domain.backtest_rules import FIXED_HOUR, PINNED, USUAL_POLLS, RuleChoice
from clawfeed.domain.forecast_schedule import USUAL_PRICE

# The forecast's curve: the price times these, four times the price being half the polls.
CURVE_PRICES = (1 / 4, 1.0, 4.0, 16.0)
# How near the polls asked for a price must come; the delay is then off by as much.
NEAR = 0.015

Tell: TypeAlias = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One line of the table. *worse*: how many sources an hour for all would serve better."""

    policy: str
    price: float | None
    figures: Figures
    worse: int | None = None


class BacktestRunner:
    """The traces and the processes that replay them side by side."""

    def __init__(
        self,
        *,
        pool: ProcessPoolExecutor,
        traces: Sequence[Trace],
        beta: float,
        window: int = WINDOW,
        tell: Tell = lambda _what, _done, _total: None,
    ) -> None:
        self._pool = pool
        self._traces = [trace for trace in traces if trace.pinned_minutes is None]
        self._pinned = [trace for trace in traces if trace.pinned_minutes is not None]
        self._beta = beta
        self._window = window
        self._tell = tell
        # By rule, and by the trace's place in memory: names may repeat.
        self._known: dict[RuleChoice, dict[int, Replay]] = {}

    def pinned(self) -> Result | None:
        """Those that no rule may date, at their own intervals; None if there are none."""
        if not self._pinned:
            return None
        replays = self._replays(RuleChoice(name=PINNED), self._pinned)
        return Result(policy=PINNED, price=None, figures=summarise(replays))

    def run(self, name: str, price: float | None, target: float | None) -> Result:
        """The figures of one rule; the forecast's price is found for *target* polls a day."""
        choice = RuleChoice(name=name, beta=self._beta)
        if name != "forecast":
            return self._result(choice, None)
        if price is None and target is not None:
            price = self._price_for(choice, target)
        price = price or USUAL_PRICE
        return self._result(replace(choice, price=price), price)

    def _price_for(self, choice: RuleChoice, target: float) -> float:
        """Found on a few sources first: most of the work is then done once, not for each guess."""
        price, some = USUAL_PRICE * (USUAL_POLLS / target) ** 2, sample_by_rate(self._traces)
        if len(some) < len(self._traces):
            price, _ = calibrate(
                lambda tried: summarise(self._of(replace(choice, price=tried), some)),
                target=target,
                price=price,
            )
        price, _ = calibrate(self._at(choice), target=target, price=price, tolerance=NEAR)
        return price

    def _at(self, choice: RuleChoice) -> Callable[[float], Figures]:
        return lambda price: summarise(self._all(replace(choice, price=price)))

    def _result(self, choice: RuleChoice, price: float | None) -> Result:
        replays, hourly = self._all(choice), self._all(RuleChoice(name=FIXED_HOUR))
        worse = None if choice.name == FIXED_HOUR else count_worse(replays, hourly)
        return Result(policy=choice.name, price=price, figures=summarise(replays), worse=worse)

    def _all(self, choice: RuleChoice) -> list[Replay]:
        return self._of(choice, self._traces)

    def _of(self, choice: RuleChoice, traces: Sequence[Trace]) -> list[Replay]:
        """Sources under a rule: each is replayed once, however often somebody asks."""
        known = self._known.setdefault(choice, {})
        missing = [trace for trace in traces if id(trace) not in known]
        known.update(zip(map(id, missing), self._replays(choice, missing), strict=True))
        return [known[id(trace)] for trace in traces]

    def _replays(self, choice: RuleChoice, traces: Sequence[Trace]) -> list[Replay]:
        work = partial(_replay, choice, self._window)
        done: list[Replay] = []
        for found in self._pool.map(work, traces, chunksize=4):
            done.append(found)
            self._tell(choice.name, len(done), len(traces))
        return done

    def curve(self, result: Result) -> list[tuple[float, float]]:
        """Polls a day against mean minutes: a curve where the rule has a knob, else a point."""
        if result.price is None:
            return [(result.figures.polls_per_day, result.figures.mean)]
        at = self._at(RuleChoice(name=result.policy, beta=self._beta))
        found = [at(result.price * factor) for factor in CURVE_PRICES]
        return [(figures.polls_per_day, figures.mean) for figures in found]


def _replay(choice: RuleChoice, window: int, trace: Trace) -> Replay:
    return replay(trace, choice.follower(), window=window)
