"""Replay what sources published under a rule for polling: how many polls, how much delay.

Pure: traces come in, figures come out. An item can be seen from its publish date on, as long as
the document still holds it.
"""

from __future__ import annotations

import math
import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from statistics import fmean
from typing import NamedTuple, Protocol

from clawfeed.domain.backtest.feed_overflow import is_overflown
from clawfeed.domain.schedule.longest_wait import LONGEST_WAIT
from clawfeed.domain.schedule.server_hints import longest_granted, usual_gap

HOUR, DAY = 3600.0, 86400.0
WINDOW = 30
# How many of its latest dates a decision goes by.
LATEST_DATES = 30
_NO_DATES: Sequence[float] = ()
# For so long a source that was just added counts as one.
NEWCOMER_DAYS = 14


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
    asked: float = 0.0  # seconds between polls that the feed itself asks for (`<ttl>`, `sy:*`)
    pinned_minutes: float | None = None  # its interval, if no policy may choose another


class ReplayedPoll(NamedTuple):
    """What one poll found: the dates of the new items still in the document.

    A tuple, and its die thrown when somebody looks: there are millions of them.
    """

    at: float
    previous: float
    dates: Sequence[float]
    is_overflown: bool
    source: str
    turn: int

    @property
    def die(self) -> float:
        return random_for(self.source, self.turn)


class PollingRule(Protocol):
    """A rule at work on one source."""

    def begin(self, trace: Trace) -> None:
        """Learn from everything before the evaluation."""

    def next_poll(self, poll: ReplayedPoll) -> float:
        """When to poll again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """One source under one rule. Delays are in seconds, of the items that were seen."""

    polls: int
    hits: int
    lost: int
    days: float
    delays: Sequence[float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """All sources under one rule; delays in minutes. *per_source* lets each source count once."""

    sources: int
    items: int  # seen or lost
    polls_per_day: float
    mean: float
    median: float
    p90: float
    p99: float
    per_source: float
    hit_rate: float
    lost_share: float
    lost: int


def replay(trace: Trace, follower: PollingRule, *, window: int = WINDOW) -> Replay:
    """Poll the source as the follower says, until everything of the evaluation is seen or lost.

    What fell out of a document of *window* items between two polls has no delay: nobody sees it.
    """
    times = trace.times
    seen, end = bisect_left(times, trace.eval_from), bisect_left(times, trace.eval_to)
    polls = hits = lost = turn = 0
    delays: list[float] = []
    follower.begin(trace)
    previous, now = trace.eval_from, trace.eval_from + random_for(trace.name, turn) * HOUR
    name, asked, eval_to, next_poll = trace.name, trace.asked, trace.eval_to, follower.next_poll
    upcoming = _time_at(times, seen)
    while True:
        dates, overflown = _NO_DATES, False
        # Most polls find nothing: that is known without looking further than the next date.
        is_hit = upcoming <= now
        if is_hit:
            there = bisect_right(times, now, seen)
            held = max(seen, there - window)
            delays += [now - moment for moment in times[held : min(there, end)]]
            lost += max(0, min(held, end) - seen)
            dates = times[held:there]
            overflown = is_overflown(
                new=there - held, held=min(there, window), was_polled_before=True
            )
            seen, upcoming = there, _time_at(times, there)
        if now < eval_to:
            polls, hits = polls + 1, hits + is_hit
        elif seen >= end:
            break
        turn += 1
        poll = ReplayedPoll(now, previous, dates, overflown, name, turn)
        previous, now = now, max(next_poll(poll), now + 1)
        if asked > now - previous:
            now = previous + _granted(trace, seen, previous)
    days = (trace.eval_to - trace.eval_from) / DAY
    return Replay(polls=polls, hits=hits, lost=lost, days=days, delays=delays)


def _time_at(times: Sequence[float], place: int) -> float:
    return times[place] if place < len(times) else math.inf


def _granted(trace: Trace, there: int, now: float) -> float:
    """For how many seconds the feed keeps us away, as the product would hear it."""
    latest = [_moment(time) for time in trace.times[max(0, there - LATEST_DATES) : there]]
    granted = longest_granted(usual_gap(latest, _moment(now)))
    return min(trace.asked, granted.total_seconds(), LONGEST_WAIT.total_seconds())


def as_newcomer(trace: Trace, *, window: int = WINDOW) -> Trace:
    """The same source added at the start of the evaluation, and judged for two weeks.

    All that is known then is what its document holds.
    """
    known = bisect_left(trace.times, trace.eval_from)
    times = trace.times[max(0, known - window) :]
    start = min(times[0], trace.eval_from) if times else trace.eval_from
    until = min(trace.eval_to, trace.eval_from + NEWCOMER_DAYS * DAY)
    return replace(trace, start=start, times=times, eval_to=until)


def count_worse(ours: Sequence[Replay], theirs: Sequence[Replay]) -> int:
    """How many sources are served worse than *theirs*: seen later on the mean, or more lost."""
    return sum(
        one.lost > other.lost
        or (bool(one.delays and other.delays) and fmean(one.delays) > fmean(other.delays))
        for one, other in zip(ours, theirs, strict=True)
    )


def random_for(name: str, turn: int) -> float:
    """A number in [0, 1) that looks random and is the same every time."""
    return zlib.crc32(f"{name}:{turn}".encode()) / 2**32


def summarise(replays: Sequence[Replay]) -> Figures:
    """The figures of a whole fleet. Sources without items say nothing about delay."""
    delays = sorted(delay / 60 for one in replays for delay in one.delays)
    means = [fmean(one.delays) / 60 for one in replays if one.delays]
    polls = sum(one.polls for one in replays)
    lost = sum(one.lost for one in replays)
    return Figures(
        sources=len(replays),
        items=len(delays) + lost,
        polls_per_day=polls / max(sum(one.days for one in replays), 1e-9),
        mean=fmean(delays) if delays else 0.0,
        median=_quantile(delays, 0.5),
        p90=_quantile(delays, 0.9),
        p99=_quantile(delays, 0.99),
        per_source=fmean(means) if means else 0.0,
        hit_rate=sum(one.hits for one in replays) / max(polls, 1),
        lost_share=lost / max(len(delays) + lost, 1),
        lost=lost,
    )


def _quantile(ordered: Sequence[float], share: float) -> float:
    if not ordered:
        return 0.0
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def _moment(time: float) -> datetime:
    return datetime.fromtimestamp(time, UTC)
