"""Replay what sources published under a rule for polling: how many polls, how much delay.

Pure: traces come in, figures come out. An item can be seen from its publish date on, as long as
the document still holds it.
"""

from __future__ import annotations

import math
import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from statistics import fmean
from typing import Protocol, TypeAlias

from clawfeed.domain import cadence, forecast
from clawfeed.domain.forecast_schedule import SHORTEST_WAIT, USUAL_BETA, USUAL_PRICE
from clawfeed.domain.peer_schedulers import PEERS, PollObservation, Rule

HOUR, DAY = 3600.0, 86400.0
WINDOW = 30
# What the usual price gives on the public traces, a day and source.
USUAL_POLLS = 24.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """When a source published, oldest first, in seconds since the epoch.

    Everything before *eval_from* is history a rule may learn from; figures count from there on.
    """

    name: str
    start: float
    eval_from: float
    eval_to: float
    times: Sequence[float]


@dataclass(frozen=True, slots=True, kw_only=True)
class PollRecord:
    """What one poll found: the dates of the new items still in the document."""

    at: float
    previous: float
    dates: Sequence[float]
    is_overflown: bool
    die: float


class PollingRule(Protocol):
    """A rule at work on one source."""

    def begin(self, trace: Trace) -> None:
        """Learn from everything before the evaluation."""

    def next_poll(self, poll: PollRecord) -> float:
        """When to poll again."""


# Makes a fresh follower for each source.
Policy: TypeAlias = Callable[[], PollingRule]


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """One source under one rule. Delays are in seconds, lost items included."""

    polls: int
    hits: int
    lost: int
    days: float
    delays: Sequence[float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """All sources under one rule; delays in minutes. *per_source* lets each source count once."""

    sources: int
    items: int
    polls_per_day: float
    mean: float
    median: float
    p90: float
    p99: float
    per_source: float
    hit_rate: float
    lost_share: float


def replay(trace: Trace, follower: PollingRule, *, window: int = WINDOW) -> Replay:
    """Poll the source as the follower says, until everything of the evaluation is seen."""
    times = trace.times
    seen, end = bisect_left(times, trace.eval_from), bisect_left(times, trace.eval_to)
    polls = hits = lost = turn = 0
    delays: list[float] = []
    follower.begin(trace)
    previous, now = trace.eval_from, trace.eval_from + die_of(trace.name, turn) * HOUR
    while True:
        there = bisect_right(times, now)
        held = max(seen, there - window)
        delays += [now - moment for moment in times[seen : min(there, end)]]
        lost += max(0, min(held, end) - seen)
        if now < trace.eval_to:
            polls, hits = polls + 1, hits + (there > seen)
        elif there >= end:
            break
        turn += 1
        poll = PollRecord(
            at=now,
            previous=previous,
            dates=times[held:there],
            is_overflown=held > seen,
            die=die_of(trace.name, turn),
        )
        seen, previous = there, now
        now = max(follower.next_poll(poll), now + 1)
    days = (trace.eval_to - trace.eval_from) / DAY
    return Replay(polls=polls, hits=hits, lost=lost, days=days, delays=delays)


def die_of(name: str, turn: int) -> float:
    """A number in [0, 1) that looks random and is the same every time."""
    return zlib.crc32(f"{name}:{turn}".encode()) / 2**32


def summarise(replays: Sequence[Replay]) -> Figures:
    """The figures of a whole fleet. Sources without items say nothing about delay."""
    delays = sorted(delay / 60 for one in replays for delay in one.delays)
    means = [fmean(one.delays) / 60 for one in replays if one.delays]
    polls = sum(one.polls for one in replays)
    return Figures(
        sources=len(replays),
        items=len(delays),
        polls_per_day=polls / max(sum(one.days for one in replays), 1e-9),
        mean=fmean(delays) if delays else 0.0,
        median=_quantile(delays, 0.5),
        p90=_quantile(delays, 0.9),
        p99=_quantile(delays, 0.99),
        per_source=fmean(means) if means else 0.0,
        hit_rate=sum(one.hits for one in replays) / max(polls, 1),
        lost_share=sum(one.lost for one in replays) / max(len(delays), 1),
    )


def _quantile(ordered: Sequence[float], share: float) -> float:
    if not ordered:
        return 0.0
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


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


class ForecastRule:
    """The learned schedule, fed exactly as the collector feeds it."""

    def __init__(self, price: float, beta: float) -> None:
        self.price = price
        self.beta = beta
        self.state = forecast.Forecast()
        self.spread = 0.0

    def begin(self, trace: Trace) -> None:
        self.spread = die_of(trace.name, 0)
        known = trace.times[: bisect_left(trace.times, trace.eval_from)]
        self.state = forecast.from_history(
            [_moment(time) for time in known], _moment(trace.eval_from), _moment(trace.start)
        )

    def next_poll(self, poll: PollRecord) -> float:
        at = _moment(poll.at)
        self.state = forecast.learn(
            self.state,
            polled_at=at,
            previous_poll=_moment(poll.previous),
            published=[_moment(date) for date in poll.dates],
            window_full=poll.is_overflown,
        )
        plan = forecast.plan(
            self.state,
            last_poll=at,
            now=at,
            price=self.price,
            beta=self.beta,
            shortest=SHORTEST_WAIT,
            spread=self.spread,
        )
        return plan.at.timestamp()


class PeerRule:
    """A peer's rule with the dates it would know."""

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.dates: list[float] = []
        self.wait: float | None = None

    def begin(self, trace: Trace) -> None:
        self.dates = list(trace.times[: bisect_left(trace.times, trace.eval_from)])

    def next_poll(self, poll: PollRecord) -> float:
        self.dates += poll.dates
        seen = PollObservation(
            now=poll.at,
            dates=self.dates,
            is_hit=bool(poll.dates),
            last_wait=self.wait,
            die=poll.die,
        )
        self.wait = self.rule(seen)
        return poll.at + self.wait


class CadenceRule:
    """The contract's P0-P6 (S004), in UTC days."""

    def __init__(self) -> None:
        self.latest: list[datetime] = []
        self.habits = cadence.PublishHabits()
        self.checks = 0

    def begin(self, trace: Trace) -> None:
        known = bisect_left(trace.times, trace.eval_from)
        self.latest = [_moment(time) for time in trace.times[:known][-60:]]
        self.habits = cadence.analyse(self.habits, self.latest, UTC)

    def next_poll(self, poll: PollRecord) -> float:
        self.checks += 1
        self.latest = [*self.latest, *map(_moment, poll.dates)][-60:]
        if cadence.is_analysis_due(check_count=self.checks, is_hit=bool(poll.dates)):
            self.habits = cadence.analyse(self.habits, self.latest, UTC)
        at = _moment(poll.at)
        due, _why = cadence.next_check(
            self.habits, last_poll=at, now=at, timezone=UTC, dice=poll.die
        )
        return due.timestamp()


def _moment(time: float) -> datetime:
    return datetime.fromtimestamp(time, UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleChoice:
    """A rule by name, as a person asks for it; price and beta matter to the forecast alone."""

    name: str
    price: float = USUAL_PRICE
    beta: float = USUAL_BETA

    def follower(self) -> PollingRule:
        if self.name == "forecast":
            return ForecastRule(self.price, self.beta)
        if self.name == "cadence":
            return CadenceRule()
        return PeerRule(RULES[self.name])


RULES: Mapping[str, Rule] = PEERS
POLICIES: Sequence[str] = ("forecast", "cadence", *RULES)


def replay_all(traces: Iterable[Trace], policy: Policy, *, window: int = WINDOW) -> list[Replay]:
    """Every trace under a fresh follower of *policy*."""
    return [replay(trace, policy(), window=window) for trace in traces]
