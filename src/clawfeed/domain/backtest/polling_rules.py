"""The rules that a backtest can follow: ours, fed as the collector feeds them, and the peers'."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from clawfeed.domain.backtest.backtest import HOUR, PollingRule, ReplayedPoll, Trace, random_for
from clawfeed.domain.backtest.peer_schedulers import PEERS, THROW_DICE, PollObservation, Rule
from clawfeed.domain.forecast import forecast
from clawfeed.domain.forecast.forecast_memory import DEFAULT_BETA, DEFAULT_PRICE, SHORTEST_WAIT
from clawfeed.domain.forecast.planner import choose_wait, price_value
from clawfeed.domain.schedule import cadence
from clawfeed.domain.schedule.longest_wait import LONGEST_WAIT

# What the default price gives on the public traces, a day and source.
DEFAULT_POLLS = 24.0
_SHORTEST, _LONGEST = SHORTEST_WAIT.total_seconds(), LONGEST_WAIT.total_seconds()


def learned_before(trace: Trace) -> forecast.Forecast:
    """What the forecast knows when the evaluation begins: the same for every price."""
    known = trace.times[: bisect_left(trace.times, trace.eval_from)]
    return forecast.from_history(
        [_moment(time) for time in known], _moment(trace.eval_from), _moment(trace.start)
    )


class ForecastRule:
    """The learned schedule, fed exactly as the collector feeds it.

    *known* is what `learned_before` answers, if somebody asked already.
    """

    def __init__(self, price: float, beta: float, known: forecast.Forecast | None = None) -> None:
        self.price = price
        self.beta = beta
        self.known = known
        self.state = forecast.Forecast()
        self.spread = 0.0

    def begin(self, trace: Trace) -> None:
        self.spread = random_for(trace.name, 0)
        self.state = self.known or learned_before(trace)

    def next_poll(self, poll: ReplayedPoll) -> float:
        self.state = forecast.learn_times(
            self.state,
            polled_at=poll.at,
            previous_poll=poll.previous,
            published=poll.dates,
            window_full=poll.is_overflown,
        )
        wait, _expected = choose_wait(
            self.state,
            poll.at,
            worth=price_value(self.state.rate, self.price, self.beta),
            shortest=_SHORTEST,
            longest=_LONGEST,
            spread=self.spread,
        )
        return poll.at + wait


class PeerRule:
    """A peer's rule with the dates it would know."""

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.has_dice = rule in THROW_DICE  # thrown for nobody, a third of a fixed hour's replay
        self.dates: list[float] = []
        self.wait: float | None = None

    def begin(self, trace: Trace) -> None:
        self.dates = list(trace.times[: bisect_left(trace.times, trace.eval_from)])

    def next_poll(self, poll: ReplayedPoll) -> float:
        if poll.dates:
            self.dates += poll.dates
        die = poll.die if self.has_dice else 0.0
        seen = PollObservation(poll.at, self.dates, bool(poll.dates), self.wait, die)
        self.wait = wait = self.rule(seen)
        return poll.at + wait


class CadenceRule:
    """The contract's P0-P6 (S004), in UTC days."""

    def __init__(self) -> None:
        self.latest: list[datetime] = []
        self.habits = cadence.PublishHabits()
        self.checks = 0
        self.has_news = False  # since the last analysis: without any, it would find the same
        self.base: float | None = None  # seconds, where no hour of the day matters

    def begin(self, trace: Trace) -> None:
        known = bisect_left(trace.times, trace.eval_from)
        self.latest = [_moment(time) for time in trace.times[:known][-60:]]
        self._analyse()

    def _analyse(self) -> None:
        self.habits = cadence.analyse(self.habits, self.latest, UTC)
        by_the_clock = cadence.has_usual_hour(self.habits)
        self.base = None if by_the_clock else self.habits.base.total_seconds()

    def next_poll(self, poll: ReplayedPoll) -> float:
        self.checks += 1
        if poll.dates:
            self.latest = [*self.latest, *map(_moment, poll.dates)][-60:]
            self.has_news = True
        is_due = cadence.is_analysis_due(check_count=self.checks, is_hit=bool(poll.dates))
        if is_due and self.has_news:
            self._analyse()
            self.has_news = False
        # 19 polls of 20: a date and the words of its reason cost as much as all the rest.
        if self.base is not None:
            return poll.at + min(self.base * cadence.jitter(poll.die), _LONGEST)
        at = _moment(poll.at)
        due, _why = cadence.next_cadence_poll(
            self.habits, last_poll=at, now=at, timezone=UTC, dice=poll.die
        )
        return due.timestamp()


class PinnedRule:
    """The interval that the source is pinned to, whatever the policy."""

    def __init__(self) -> None:
        self.wait = HOUR

    def begin(self, trace: Trace) -> None:
        self.wait = (trace.pinned_minutes or 60.0) * 60

    def next_poll(self, poll: ReplayedPoll) -> float:
        return poll.at + self.wait


def _moment(time: float) -> datetime:
    return datetime.fromtimestamp(time, UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleChoice:
    """A rule by name, as a person asks for it; price and beta matter to the forecast alone."""

    name: str
    price: float = DEFAULT_PRICE
    beta: float = DEFAULT_BETA

    def follower(self, known: forecast.Forecast | None = None) -> PollingRule:
        """Who follows it; *known* is what the forecast learned before, and nobody else's."""
        if self.name == "forecast":
            return ForecastRule(self.price, self.beta, known)
        if self.name == "cadence":
            return CadenceRule()
        if self.name == PINNED:
            return PinnedRule()
        return PeerRule(RULES[self.name])


RULES: Mapping[str, Rule] = PEERS
POLICIES: Sequence[str] = ("forecast", "cadence", *RULES)
# The rule that others are held against: one hour for all.
FIXED_HOUR = "fixed-60"
PINNED = "pinned"
