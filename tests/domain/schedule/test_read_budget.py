"""A month's reads last until its end, and go to those who got least."""

from __future__ import annotations

import heapq
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawfeed.domain.because import Because, Rule
from clawfeed.domain.forecast.forecast_memory import PollPrice
from clawfeed.domain.polling.poll_decision import PollContext, decide_next, needs_dates
from clawfeed.domain.schedule.interval import interval_for
from clawfeed.domain.schedule.read_budget import (
    DAY,
    FEWEST_POSTS,
    ReadRation,
    ReadShare,
    affordable_a_day,
    demand_a_day,
    fair_share,
    month_end,
    posts_a_day,
    ration_for,
    spare_reads,
)
from clawfeed.domain.schedule.schedule import Mode, NextPoll, PollFindings, Rhythm
from clawfeed.domain.sources.source import Fetched
from clawfeed.domain.wording.because_wording import render_because
from clawfeed.sources.source_types.built_in import BUILT_IN
from tests.support.clocks import NOON

HALF_HOUR = timedelta(minutes=30)
HOUR = timedelta(hours=1)
PLANNED = NextPoll(
    at=NOON + HALF_HOUR, because=Because(Rule.OWN_INTERVAL, {"minutes": 30}), mode=Mode.PINNED
)
SHORT = ReadShare(a_day=40, left=640, limit=10_000, ends_at=month_end(NOON))


def posting(a_day: float, *, inserted: int = 0) -> PollFindings:
    """What is found of a source that posts so often, evenly."""
    gap = DAY / a_day
    return PollFindings(inserted=inserted, published_at=tuple(NOON - n * gap for n in range(1, 31)))


def put_off(share: ReadShare | None, found: PollFindings) -> NextPoll:
    return spare_reads(PLANNED, share, found, last_poll=NOON, now=NOON)


# --- the threshold ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("demands", "affordable", "share"),
    [
        ([], 0, None),
        ([10, 20], 30, None),
        ([10, 20], 20, 10),
        ([1, 5, 500], 26, 20),
        ([100, 100, 100, 100], 40, 10),
        ([3, 300, 300], 0, 0),
    ],
)
def test_what_the_modest_leave_is_shared_by_the_others(
    demands: list[float], affordable: float, share: float | None
) -> None:
    assert fair_share(demands, affordable) == share


amounts = st.floats(min_value=0, max_value=1e6)


@given(st.lists(amounts, max_size=30), amounts)
def test_the_shares_are_what_is_affordable_no_more_and_no_less(
    demands: list[float], affordable: float
) -> None:
    share = fair_share(demands, affordable)

    taken = sum(demands if share is None else [min(demand, share) for demand in demands])

    assert taken == pytest.approx(min(sum(demands), affordable), abs=1e-6)


@pytest.mark.parametrize(
    ("at", "end"),
    [
        (NOON, datetime(2026, 12, 1, tzinfo=UTC)),
        (datetime(2026, 12, 31, 23, 59, 59, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC)),
        (datetime(2028, 2, 29, tzinfo=UTC), datetime(2028, 3, 1, tzinfo=UTC)),
        (
            datetime(2026, 11, 1, 1, tzinfo=timezone(timedelta(hours=8))),
            datetime(2026, 11, 1, tzinfo=UTC),
        ),
    ],
)
def test_a_month_ends_when_the_next_begins_in_utc(at: datetime, end: datetime) -> None:
    assert month_end(at) == end


def test_what_is_left_is_spread_over_the_rest_of_the_month() -> None:
    last_minute = month_end(NOON) - timedelta(minutes=1)

    assert affordable_a_day(1550, now=NOON) == 100
    assert affordable_a_day(10, now=last_minute) == 240  # an hour's worth at most


def test_with_since_id_an_account_costs_what_it_posts_a_list_also_its_polls() -> None:
    assert demand_a_day(12, least=0, every=HALF_HOUR) == 12
    assert demand_a_day(12, least=FEWEST_POSTS, every=HALF_HOUR) == 12 + 48 * FEWEST_POSTS


def test_the_rate_is_of_the_latest_posts_and_one_post_is_no_flood() -> None:
    assert posts_a_day(30, NOON - 3 * DAY, NOON) == 10
    assert posts_a_day(1, NOON - timedelta(seconds=1), NOON) == 24
    assert posts_a_day(2, NOON + HOUR, NOON) == 48
    assert posts_a_day(0, None, NOON) == 0


@pytest.mark.parametrize(
    ("a_day", "page", "gap_days"),
    [(0, 5, 31), (0.5, 5, 10), (2, 5, 2.5), (5, 5, 0), (7.9, 7, 0), (20, 20, 0), (480, 20, 0)],
)
def test_a_poll_reads_a_days_share_within_what_x_allows(
    a_day: float, page: int, gap_days: float
) -> None:
    assert ration_for(a_day) == ReadRation(page=page, gap=gap_days * DAY)


def test_between_two_turns_the_wait_is_a_day_at_most() -> None:
    ration = ReadRation(page=5, gap=3 * DAY)

    waits = [ration.wait(NOON, NOON + days * DAY) for days in (0, 2.5, 3)]

    assert waits == [DAY, DAY / 2, None]


# --- the date -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("share", "rate", "wait"),
    [
        (SHORT, 0.5, HALF_HOUR),
        (SHORT, 39, HALF_HOUR),  # costs what it posts, however often we poll
        (SHORT, 60, 12 * HOUR),  # 20 posts every 12 h are 40 a day
        (SHORT, 6000, 12 * HOUR),
        (replace(SHORT, a_day=1000), 6000, HALF_HOUR),
        (replace(SHORT, a_day=12), 60, DAY),
        (replace(SHORT, a_day=2), 60, DAY),
        (replace(SHORT, a_day=0), 0.5, DAY),
        (replace(SHORT, least=5), 10, 4 * HOUR),  # (5 + 10/6) every 4 h are 40 a day
        (replace(SHORT, least=5), 60, 12 * HOUR),
        (replace(SHORT, least=5, a_day=300), 12, HALF_HOUR),
        (replace(SHORT, a_day=12, ends_at=NOON + HOUR), 60, HOUR),  # then there are new reads
    ],
)
def test_who_costs_more_than_the_share_waits_until_it_fits(
    share: ReadShare, rate: float, wait: timedelta
) -> None:
    poll = put_off(share, posting(rate))

    assert poll.at is not None
    assert abs(poll.at - NOON - wait) < timedelta(seconds=1)
    assert (poll.because.rule is not Rule.OWN_INTERVAL) == (wait != HALF_HOUR)


def test_a_full_page_tells_the_rate_by_itself() -> None:
    """Of a flood only the newest page was read each day: the days between are not quiet."""
    flood = tuple(NOON - n * timedelta(minutes=2) for n in range(1, 21))
    found = PollFindings(
        inserted=20, published_at=(*flood, *(NOON - DAY - n * HOUR for n in range(10)))
    )

    poll = put_off(SHORT, found)

    assert poll.at == NOON + 12 * HOUR


@pytest.mark.parametrize(
    ("share", "because"),
    [
        (
            SHORT,
            (
                "X budget: 640 of 10,000 reads left for 16 days, a share of 40 a day; "
                "it posts 60 a day"
            ),
        ),
        (
            replace(SHORT, a_day=7.5, least=5, left=12_000, ends_at=NOON + DAY),
            (
                "X budget: 12,000 of 10,000 reads left for 1 day, a share of 7.5 a day; "
                "a poll costs 5 and brings 7.0 posts"
            ),
        ),
    ],
)
def test_the_reason_is_in_plain_words(share: ReadShare, because: str) -> None:
    assert render_because(put_off(share, posting(60)).because) == because


def test_a_paused_source_stays_without_a_date() -> None:
    paused = replace(PLANNED, at=None)

    assert spare_reads(paused, SHORT, posting(60), last_poll=NOON, now=NOON) == paused


shares = st.builds(
    ReadShare,
    a_day=st.floats(min_value=0, max_value=5000),
    left=st.integers(min_value=0, max_value=20_000),
    limit=st.just(20_000),
    ends_at=st.timedeltas(min_value=timedelta(seconds=1), max_value=31 * DAY).map(NOON.__add__),
    least=st.sampled_from([0, FEWEST_POSTS]),
)
founds = st.builds(
    lambda ages, inserted: PollFindings(
        inserted=inserted, published_at=tuple(NOON - age for age in sorted(ages))
    ),
    st.lists(st.timedeltas(min_value=-HOUR, max_value=2000 * DAY), max_size=40),
    st.integers(min_value=0, max_value=220),
)
intervals = st.integers(min_value=1, max_value=10_000)


@given(shares, founds, intervals, st.integers(min_value=0, max_value=300))
def test_never_before_the_interval_never_beyond_a_day_and_always_the_same(
    share: ReadShare, found: PollFindings, minutes: int, seconds: int
) -> None:
    """(S000-20, settled 1) holds with any budget; what suffices changes nothing."""
    planned = replace(PLANNED, at=NOON + timedelta(minutes=minutes))
    now = NOON + timedelta(seconds=seconds)

    polls = [spare_reads(planned, share, found, last_poll=NOON, now=now) for _ in range(2)]
    untouched = spare_reads(planned, None, found, last_poll=NOON, now=now)

    assert polls[0] == polls[1]
    assert planned.at is not None
    assert polls[0].at is not None
    assert planned.at <= polls[0].at <= max(planned.at, NOON + DAY)
    assert untouched == planned


@given(shares, st.floats(min_value=0.01, max_value=1000), st.floats(min_value=0, max_value=1000))
def test_who_posts_more_never_comes_sooner(share: ReadShare, rate: float, more: float) -> None:
    one = put_off(share, posting(rate))
    other = put_off(share, posting(rate + more))

    assert one.at is not None
    assert other.at is not None
    assert one.at <= other.at + timedelta(seconds=1)


def test_the_decision_on_an_account_heeds_its_share() -> None:
    poll = PollContext(
        source_type="twitter_feed",
        interval=interval_for(BUILT_IN.facts("twitter_feed"), {}, None),
        rhythm=Rhythm(frequency_type="realtime", cadence="P0", avg_publish_hour=9.0),
        started_at=NOON,
        now=NOON + timedelta(seconds=2),
    )
    paced = replace(poll, poll_price=PollPrice(reads=SHORT))

    plain, spared = (decide_next(Fetched(drafts=()), posting(60), each) for each in (poll, paced))

    assert plain.next_poll.at == NOON + HALF_HOUR
    assert spared.next_poll.at == NOON + 12 * HOUR
    assert spared.next_poll.mode is Mode.PINNED
    assert needs_dates(paced)


# --- a month ------------------------------------------------------------------------------------


def live_a_month(rates: list[float], limit: int, *, paced: bool) -> tuple[timedelta, list[int]]:
    """When the budget ran out (or the month), and what each account got of it."""
    start = datetime(2026, 11, 1, tzinfo=UTC)
    end, tie = month_end(start), count()
    got, seen, behind = [0] * len(rates), [start] * len(rates), [False] * len(rates)
    queue = [(start + n * timedelta(minutes=1), next(tie), n) for n in range(len(rates))]
    share, shared_at = None, start
    while queue:
        at, _, n = heapq.heappop(queue)
        left = limit - sum(got)
        if at >= end or left < FEWEST_POSTS:
            return min(at, end) - start, got
        if paced and at >= shared_at:
            a_day = fair_share(rates, affordable_a_day(left, now=at))
            share = a_day and ReadShare(a_day=a_day, left=left, limit=limit, ends_at=end)
            shared_at = at + HOUR
        ration = ration_for(share.a_day) if share else None
        wait = ration.wait(seen[n], at) if ration and behind[n] else None
        if wait:
            heapq.heappush(queue, (at + wait, next(tie), n))
            continue
        waiting = int(rates[n] * ((at - start) / DAY)) - int(rates[n] * ((seen[n] - start) / DAY))
        read = min(waiting, ration.page if ration else 220, left)
        behind[n] = read < waiting
        got[n], seen[n] = got[n] + read, at
        gap = DAY / rates[n]
        found = PollFindings(inserted=read, published_at=tuple(at - k * gap for k in range(1, 31)))
        planned = replace(PLANNED, at=at + HALF_HOUR)
        poll = spare_reads(planned, share or None, found, last_poll=at, now=at)
        assert poll.at is not None
        heapq.heappush(queue, (poll.at, next(tie), n))
    raise AssertionError("nobody was asked")


@pytest.mark.slow
def test_a_budget_for_half_the_posts_lasts_all_month_and_the_quiet_lose_nothing() -> None:
    rates = [0.5, 1, 2, 3, 5, 8, 100, 200, 300]
    limit = 9000

    served_first, _ = live_a_month(rates, limit, paced=False)
    lasted, got = live_a_month(rates, limit, paced=True)

    assert served_first < 15 * DAY
    assert lasted > 29.9 * DAY
    assert limit * 0.9 < sum(got) <= limit
    for rate, read in zip(rates[:6], got, strict=False):
        assert read >= int(rate * 30) - 1
    # The three who post more than their share get the same.
    assert max(got[6:]) < 1.1 * min(got[6:])


@pytest.mark.slow
def test_a_budget_below_a_page_a_day_for_each_lasts_all_month_too() -> None:
    """Two hundred accounts as in life, and the usual 10,000 reads: a sixth of what is posted."""
    rates = [10.0] * 200

    served_first, _ = live_a_month(rates, 10_000, paced=False)
    lasted, got = live_a_month(rates, 10_000, paced=True)

    assert served_first < 6 * DAY
    assert lasted > 29 * DAY
    assert sum(got) <= 10_000
    assert min(got) >= 40
