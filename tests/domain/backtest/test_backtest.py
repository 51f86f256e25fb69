"""Replaying traces: what is counted, what the peers' rules say, and who is ahead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random  # noqa: TID251 -- seeded: the same fleet each time

import pytest

from clawfeed.domain.backtest.backtest import (
    Figures,
    Replay,
    ReplayedPoll,
    Trace,
    as_newcomer,
    count_worse,
    replay,
    summarise,
)
from clawfeed.domain.backtest.peer_schedulers import (
    DAY,
    HOUR,
    MINUTE,
    PollObservation,
    aimd,
    auto_ttl,
    commafeed,
    miniflux,
    newsblur,
    nextcloud,
)
from clawfeed.domain.backtest.polling_rules import PINNED, RuleChoice
from clawfeed.domain.backtest.price_calibration import calibrate

MONDAY = 1_772_409_600.0  # 2026-03-02 00:00 UTC


def trace(times: list[float], *, warm_days: int = 60, days: int = 14) -> Trace:
    start = MONDAY - warm_days * DAY
    return Trace(
        name="example", start=start, eval_from=MONDAY, eval_to=MONDAY + days * DAY, times=times
    )


class EveryHour:
    """Polls every full hour and remembers what it was shown."""

    def __init__(self) -> None:
        self.polls: list[ReplayedPoll] = []

    def begin(self, trace: Trace) -> None:
        assert trace.eval_from == MONDAY

    def next_poll(self, poll: ReplayedPoll) -> float:
        self.polls.append(poll)
        return (poll.at // HOUR + 1) * HOUR


def seen(dates: list[float], *, now: float = MONDAY, is_hit: bool = False) -> PollObservation:
    return PollObservation(now=now, dates=dates, is_hit=is_hit, last_wait=None, die=0.0)


def every(gap: float, count: int, until: float = MONDAY) -> list[float]:
    return [until - gap * place for place in range(count - 1, -1, -1)]


def test_delay_is_the_time_from_publication_to_the_poll_that_shows_it() -> None:
    published = [MONDAY - DAY, MONDAY + 2.5 * HOUR, MONDAY + 4.75 * HOUR, MONDAY + 3 * DAY]
    follower = EveryHour()

    found = replay(trace(published, days=2), follower)

    assert found.delays == [30 * MINUTE, 15 * MINUTE]
    assert (found.polls, found.hits, found.lost, found.days) == (48, 2, 0, 2)
    assert [poll.dates for poll in follower.polls if poll.dates] == [
        [published[1]],
        [published[2]],
    ]


def test_what_fell_out_of_the_document_is_lost_and_says_so() -> None:
    burst = [MONDAY + 5 * HOUR + second for second in range(1, 8)]
    follower = EveryHour()

    found = replay(trace(burst, days=1), follower, window=3)

    overflown = [poll for poll in follower.polls if poll.is_overflown]
    assert found.lost == 4
    assert len(found.delays) == 3, "nobody ever sees what is lost"
    assert [poll.dates for poll in overflown] == [burst[-3:]]


def test_a_document_whose_every_item_is_new_may_have_lost_some() -> None:
    """One rule here and where polls are stored: full and all new, even if nothing was lost yet."""
    published = [MONDAY + 5 * HOUR + second for second in range(1, 4)]
    follower = EveryHour()

    replay(trace(published, days=1), follower, window=3)

    assert [poll.dates for poll in follower.polls if poll.is_overflown] == [published]


def test_a_newcomer_knows_its_document_and_nothing_else() -> None:
    known = as_newcomer(trace(every(HOUR, 900, MONDAY + 20 * DAY), days=20), window=5)

    assert [time for time in known.times if time < MONDAY] == every(HOUR, 5, MONDAY - HOUR)
    assert known.start == known.times[0]
    assert known.eval_to == MONDAY + 14 * DAY


def test_a_feeds_wish_slows_a_rule_down_unless_its_items_contradict_it() -> None:
    """A feed of four items an hour that says "daily" is polled each hour all the same."""
    quiet = replace(trace(every(9 * HOUR, 200, MONDAY + 14 * DAY)), asked=6 * HOUR)
    busy = replace(trace(every(HOUR / 4, 7000, MONDAY + 14 * DAY)), asked=24 * HOUR)

    asked, contradicted = (replay(each, EveryHour()) for each in (quiet, busy))

    assert asked.polls == pytest.approx(4 * 14, abs=1)
    assert contradicted.polls == pytest.approx(24 * 14, abs=15)


def replayed(fleet: Sequence[Trace], choice: RuleChoice) -> list[Replay]:
    return [replay(each, choice.follower()) for each in fleet]


def test_sources_that_an_hour_serves_better_are_counted() -> None:
    fleet = [trace([MONDAY + day * DAY + 9.25 * HOUR for day in range(1, 9)]) for _ in range(2)]
    hourly = [replay(each, EveryHour()) for each in fleet]
    seldom = replayed(fleet, RuleChoice(name="fixed-240"))

    assert count_worse(seldom, hourly) == 2
    assert count_worse(hourly, hourly) == 0
    assert count_worse([replace(hourly[0], lost=1), hourly[1]], hourly) == 1


def test_a_pinned_source_keeps_its_interval() -> None:
    pinned = replace(trace([], days=1), pinned_minutes=15)

    assert replay(pinned, RuleChoice(name=PINNED).follower()).polls == pytest.approx(96, abs=4)


def test_an_item_of_the_last_minute_is_still_waited_for() -> None:
    published = [MONDAY + DAY - MINUTE]

    found = replay(trace(published, days=1), RuleChoice(name="fixed-240").follower())

    assert len(found.delays) == 1
    assert found.polls == 6


def test_figures_count_items_and_sources_differently() -> None:
    busy = replay(trace(every(HOUR / 2, 47, MONDAY + DAY), days=1), EveryHour())
    quiet = replay(trace([MONDAY + HOUR * 9.25], days=1), EveryHour())
    silent = replay(trace([], days=1), EveryHour())

    found = summarise([busy, quiet, silent])

    assert found.items == 1 + len(busy.delays)
    assert found.per_source == pytest.approx((sum(busy.delays) / len(busy.delays) / 60 + 45) / 2)
    assert found.median <= found.p90 <= found.p99 <= 45
    assert found.polls_per_day == 24


def test_no_traces_have_no_figures_but_no_error() -> None:
    found = summarise([])

    assert (found.sources, found.mean, found.p99, found.hit_rate) == (0, 0, 0, 0)


def test_the_forecast_finds_the_daily_item_at_nine() -> None:
    """The right answer is known: one poll a day, right after nine, would do."""
    daily = [MONDAY + day * DAY + 9 * HOUR for day in range(-60, 14)]

    learned = replay(trace(daily), RuleChoice(name="forecast", price=1000.0).follower())
    fixed = replay(trace(daily), RuleChoice(name="fixed-240").follower())

    assert learned.polls < fixed.polls
    assert max(learned.delays) < 5 * MINUTE
    assert sum(fixed.delays) > 10 * sum(learned.delays)


def test_the_forecast_notices_that_a_source_moved_to_the_evening() -> None:
    morning = [MONDAY + day * DAY + 9 * HOUR for day in range(-60, 0)]
    evening = [MONDAY + day * DAY + 19.5 * HOUR for day in range(60)]

    found = replay(trace(morning + evening, days=60), RuleChoice(name="forecast").follower())

    assert sum(found.delays[-10:]) < sum(found.delays[:10]) / 2


def test_the_price_is_found_that_brings_the_polls_asked_for() -> None:
    """Polls fall with the root of the price; here exactly, so two runs are enough."""
    asked: list[float] = []
    blank = summarise([])

    def run(price: float) -> Figures:
        asked.append(price)
        return replace(blank, polls_per_day=240 / price**0.5)

    price, figures = calibrate(run, target=24, price=400.0)

    assert price == pytest.approx(100)
    assert figures.polls_per_day == pytest.approx(24)
    assert len(asked) == 2


@pytest.mark.parametrize("power", [0.2, 1.5])
def test_the_price_is_found_under_another_law_too(power: float) -> None:
    blank = summarise([])

    _price, figures = calibrate(
        lambda price: replace(blank, polls_per_day=1000 / price**power), target=24, price=100.0
    )

    assert figures.polls_per_day == pytest.approx(24, rel=0.01)


@pytest.mark.parametrize(
    ("found", "wait"),
    [
        (miniflux(seen(every(6 * HOUR, 20))), 6 * HOUR),
        (miniflux(seen(every(MINUTE, 50), now=MONDAY + 1)), HOUR - 1),
        (miniflux(seen([MONDAY])), 24 * HOUR),
        (commafeed(seen(every(HOUR, 20))), 30 * MINUTE),
        (commafeed(seen(every(MINUTE, 20))), 5 * MINUTE),
        (commafeed(seen(every(HOUR, 20), now=MONDAY + 8 * DAY)), HOUR),
        (commafeed(seen(every(HOUR, 20), now=MONDAY + 15 * DAY)), 2 * HOUR),
        (commafeed(seen(every(HOUR, 20), now=MONDAY + 31 * DAY)), 4 * HOUR),
        (commafeed(seen([])), 4 * HOUR),
        (newsblur(seen(every(HOUR, 40))), 45 * MINUTE),
        (newsblur(seen(every(HOUR, 15))), 180 * MINUTE),
        (newsblur(seen([])), 240 * MINUTE),
        (auto_ttl(seen(every(6 * HOUR, 11))), 60 / 11 * HOUR),
        (auto_ttl(seen(every(MINUTE, 11))), HOUR),
        (auto_ttl(seen([])), 24 * HOUR),
        (nextcloud(seen(every(10 * HOUR, 5), now=MONDAY + HOUR)), 10 * HOUR),
        (nextcloud(seen(every(HOUR, 5), now=MONDAY + 3 * HOUR)), HOUR),
        (nextcloud(seen(every(HOUR, 5), now=MONDAY + 9 * DAY)), 24 * HOUR),
        (aimd(seen([], is_hit=True)), 30 * MINUTE),
        (aimd(seen([])), 90 * MINUTE),
    ],
)
def test_the_peers_rules_are_theirs(found: float, wait: float) -> None:
    assert found == pytest.approx(wait)


def working_hours(dice: Random, per_day: float) -> list[float]:
    """Published on weekdays from nine to six, seldom otherwise, as offices do."""
    hours = range(-60 * 24, 14 * 24)
    rates = [per_day / 9 if h // 24 % 7 < 5 and 9 <= h % 24 < 18 else per_day / 200 for h in hours]
    return sorted(
        MONDAY + (hour + dice.random()) * HOUR
        for hour, rate in zip(hours, rates, strict=True)
        for _ in range(int(rate) + (dice.random() < rate % 1))
    )


def at_one_time(dice: Random, hour: float) -> list[float]:
    """Published once a day by a machine, give or take minutes; never on some days."""
    days = (day for day in range(-60, 14) if dice.random() < 0.9)
    return [MONDAY + day * DAY + hour * HOUR + dice.gauss(0, 4) * MINUTE for day in days]


def in_bursts(dice: Random, gap: float) -> list[float]:
    """Published in the moods of one person: several at once, then nothing for days."""
    times, now = [], MONDAY - 60 * DAY
    while (now := now + dice.expovariate(1 / gap)) < MONDAY + 14 * DAY:
        times += [now + n * dice.uniform(1, 20) * MINUTE for n in range(dice.randint(1, 4))]
    return sorted(times)


def a_fleet() -> list[Trace]:
    dice = Random(7)
    times = [working_hours(dice, per_day) for per_day in (0.5, 1, 2, 4, 8, 16)]
    times += [at_one_time(dice, dice.uniform(0, 24)) for _ in range(8)]
    times += [in_bursts(dice, days * DAY) for days in (1, 2, 3, 5, 8, 20)]
    return [trace(each) for each in times]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["fixed-60", "cadence"])
def test_the_forecast_is_ahead_of_fixed_and_cadence_at_their_own_number_of_polls(
    name: str,
) -> None:
    """(POLLING) On both means: over items, and over sources."""
    fleet = a_fleet()
    peer = summarise(replayed(fleet, RuleChoice(name=name)))

    _price, ours = calibrate(
        lambda price: summarise(replayed(fleet, RuleChoice(name="forecast", price=price))),
        target=peer.polls_per_day,
        price=217 * (24 / peer.polls_per_day) ** 2,
        tolerance=0.02,
    )

    assert peer.mean > 2 * ours.mean
    assert peer.per_source > ours.per_source
