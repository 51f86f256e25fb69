"""The search for the forecast's price: near the polls asked for, and soon."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from random import Random  # noqa: TID251 -- seeded: the same fleet each time

import pytest

from clawfeed.cli.backtest.runner import MOST_RUNS, PRICE_TOLERANCE, BacktestRunner, Result
from clawfeed.cli.backtest.worker_pool import InProcess
from clawfeed.domain.backtest.backtest import Trace
from clawfeed.domain.backtest.polling_rules import RuleChoice
from clawfeed.domain.backtest.price_calibration import STRETCH_DAYS, model_source
from clawfeed.domain.forecast.forecast_memory import DEFAULT_BETA

DAY, MONDAY = 86400.0, 1_772_409_600.0


def source(name: str, gap: float, *, later: float | None = None, days: int = 28) -> Trace:
    """An item every *gap* seconds; every *later* seconds once the first week is over."""
    start, turn, end = MONDAY - 30 * DAY, MONDAY + STRETCH_DAYS * DAY, MONDAY + days * DAY
    times, now = [], start
    while (now := now + (later if later and now > turn else gap)) < end:
        times.append(now)
    return Trace(name=name, start=start, eval_from=MONDAY, eval_to=end, times=times)


def search(fleet: Sequence[Trace], target: float) -> tuple[Result, Counter[str]]:
    """What is found for *target* polls a day, and how many replays each rule took."""
    replays: Counter[str] = Counter()

    def tell(what: str, _done: int, _total: int) -> None:
        replays[what] += 1

    bench = BacktestRunner(pool=InProcess(fleet), traces=fleet, beta=DEFAULT_BETA, tell=tell)
    return bench.run("forecast", None, target), replays


def at_random(dice: Random, per_day: float) -> Trace:
    even = source(f"{per_day} a day", DAY / per_day)
    times = sorted(dice.uniform(even.start, even.eval_to) for _ in even.times)
    return replace(even, times=times)


def test_a_price_is_found_by_a_week_of_each_source_and_a_replay_or_two() -> None:
    dice = Random(7)
    fleet = [at_random(dice, per_day) for per_day in (0.3, 0.7, 1, 2, 4, 7, 12, 24)]

    found, replays = search(fleet, 24)

    assert found.figures.polls_per_day == pytest.approx(24, rel=PRICE_TOLERANCE)
    assert replays["forecast"] <= 3 * len(fleet), "a week each, then all of it, twice at most"


@pytest.mark.parametrize("target", [12.0, 287.0])
def test_no_source_is_replayed_more_than_so_often_whatever_its_first_week_says(
    target: float,
) -> None:
    """Neither a week that is unlike the rest, nor polls that no price can bring."""
    fleet = [source("wakes", 30 * DAY, later=1800), source("falls asleep", 900, later=40 * DAY)]

    found, replays = search(fleet, target)

    assert replays["forecast"] <= (1 + MOST_RUNS) * len(fleet)
    assert found.price is not None
    assert found.price > 0


def test_the_textbook_believes_the_rates_that_the_forecast_believes() -> None:
    trace = source("changes", 7200, later=1200)
    follower = RuleChoice(name="forecast").follower()
    follower.begin(trace)

    rates = model_source(trace).rates

    assert len(rates) == 28
    assert rates[0] == pytest.approx(follower.state.rate, rel=0.03)  # type: ignore[attr-defined]
    assert rates[27] > 2 * rates[0]
