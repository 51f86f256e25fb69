"""What follows from one poll."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from itertools import accumulate
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawfeed.domain.because import Because, Rule
from clawfeed.domain.errors import Reason
from clawfeed.domain.forecast.forecast_memory import PollPrice
from clawfeed.domain.polling.poll_decision import PollContext, PollRules, decide_next, needs_dates
from clawfeed.domain.schedule.interval import interval_for
from clawfeed.domain.schedule.read_budget import ReadShare
from clawfeed.domain.schedule.schedule import Mode, Policy, PollFindings, Rhythm
from clawfeed.domain.sources.source import (
    Failed,
    Fetched,
    Hints,
    NotModified,
    Outcome,
    Postponed,
    Skipped,
)
from clawfeed.domain.wording.because_wording import render_because
from clawfeed.sources.source_types.built_in import BUILT_IN
from tests.support.clocks import NOON

HOUR = timedelta(hours=1)
NOTHING = PollFindings(inserted=0, published_at=())
BROKEN = Failed(reason=Reason.BROKEN, detail="502", status=502)
POLL = PollContext(
    source_type="rss",
    interval=interval_for(BUILT_IN.facts("rss"), {}, None),
    rhythm=Rhythm(check_count=7, hit_count=3, fail_count=2),
    started_at=NOON,
    now=NOON + timedelta(seconds=5),
)


@pytest.mark.parametrize("outcome", [Fetched(drafts=()), NotModified()])
def test_success_is_polled_again_one_interval_after_its_start(outcome: Outcome) -> None:
    """(S000-20, S001-9, settled 1)."""
    decision = decide_next(outcome, NOTHING, POLL)

    assert decision.next_poll.at == NOON + 4 * HOUR
    assert render_because(decision.next_poll.because) == "every 240 min (the usual for rss)"
    assert decision.rhythm.fail_count == 0


def test_a_hit_is_something_inserted() -> None:
    """(S004-4, settled 4)."""
    hit = decide_next(
        Fetched(drafts=()), PollFindings(inserted=2, published_at=(NOON - HOUR,)), POLL
    )
    miss = decide_next(Fetched(drafts=()), NOTHING, POLL)

    assert (hit.rhythm.check_count, hit.rhythm.hit_count) == (8, 4)
    assert hit.rhythm.last_article_at == NOON - HOUR
    assert (miss.rhythm.check_count, miss.rhythm.hit_count) == (8, 3)


@pytest.mark.parametrize("policy", [Policy.CADENCE, Policy.FORECAST])
def test_a_daily_wish_of_a_feed_that_publishes_all_day_is_capped(policy: Policy) -> None:
    """`Cache-Control` is obeyed as it is; `<ttl>` and `sy:*` as far as the dates bear it out."""
    dates = tuple(NOON - n * timedelta(minutes=6) for n in range(30))
    found = PollFindings(inserted=3, published_at=dates, new=dates[:3])
    poll = replace(POLL, policy=policy, rhythm=Rhythm())

    feed, server = (
        decide_next(NotModified(hints=hints), found, poll).next_poll
        for hints in (Hints(feed_wait=24 * HOUR), Hints(wait=24 * HOUR))
    )

    assert feed.because.rule is Rule.FEED_HINT_CAPPED
    assert feed.at is not None
    assert timedelta(minutes=20) < feed.at - POLL.now < timedelta(minutes=25)
    assert (server.at, server.because.rule) == (POLL.started_at + 24 * HOUR, Rule.SERVER_HINT)


def test_the_fifth_failure_in_a_row_pauses() -> None:
    """(S000-11, settled 2)."""
    fourth = decide_next(BROKEN, NOTHING, replace(POLL, rhythm=Rhythm(fail_count=3)))
    fifth = decide_next(BROKEN, NOTHING, replace(POLL, rhythm=Rhythm(fail_count=4)))
    never = decide_next(
        BROKEN,
        NOTHING,
        replace(POLL, rhythm=Rhythm(fail_count=400), rules=PollRules(auto_pause_after=0)),
    )

    assert (fourth.paused_because, fifth.paused_because) == (None, "errors")
    assert fifth.next_poll.at is None
    assert never.next_poll.at == POLL.now + 24 * HOUR


def test_410_three_times_stops_the_source() -> None:
    """T20: once may be a slip, and other failures before it say nothing of it."""
    gone = Failed(reason=Reason.GONE, detail="410", status=410)

    assert paused_after(gone, gone) is None
    assert paused_after(gone, gone, gone) == "gone"
    assert paused_after(BROKEN, BROKEN, gone) is None
    assert paused_after(gone, gone, BROKEN, gone) is None
    assert paused_after(gone, gone, NotModified(), gone) is None


def paused_after(*outcomes: Outcome) -> str | None:
    """Why the last of *outcomes* pauses a source that was never polled before."""
    rhythm, paused_because = Rhythm(), None
    for outcome in outcomes:
        decision = decide_next(outcome, NOTHING, replace(POLL, rhythm=rhythm))
        rhythm, paused_because = decision.rhythm, decision.paused_because
    return paused_because


def test_while_our_own_network_is_down_nobodys_counter_moves() -> None:
    """Settled question 2."""
    decision = decide_next(
        Postponed(because=Because(Rule.OFFLINE), detail="offline"), NOTHING, POLL
    )

    assert decision.rhythm == POLL.rhythm
    assert decision.next_poll.at == POLL.now + timedelta(minutes=1)


def test_nobody_is_put_off_for_longer_than_a_day() -> None:
    """(I3): whatever wait was asked for."""
    resting = Postponed(because=Because(Rule.OFFLINE), detail="rests", wait=timedelta(days=30))

    assert decide_next(resting, NOTHING, POLL).next_poll.at == POLL.now + 24 * HOUR


def test_what_a_poll_did_not_ask_for_stays_as_it_was_known() -> None:
    """No dates were read, and this policy keeps no memory: neither is a reason to forget."""
    known = Rhythm(is_stale=True, forecast=b"learned", frequency_type="daily", cadence="P2")
    unread = PollFindings(inserted=0, published_at=None)

    decision = decide_next(NotModified(), unread, replace(POLL, rhythm=known))

    assert (decision.rhythm.is_stale, decision.rhythm.forecast) == (True, b"learned")


def test_a_host_at_rest_is_not_the_sources_failure() -> None:
    because = Because(Rule.HOST_QUEUE, {"host": "a.example"})
    resting = Postponed(because=because, detail="rests", wait=2 * HOUR)

    decision = decide_next(resting, NOTHING, POLL)

    assert decision.rhythm == POLL.rhythm
    assert (decision.next_poll.at, decision.next_poll.because) == (POLL.now + 2 * HOUR, because)


def test_a_back_off_is_remembered_as_one() -> None:
    """(S004-7)."""
    decision = decide_next(BROKEN, NOTHING, replace(POLL, rhythm=Rhythm()))

    assert decision.next_poll.at == decision.next_poll.backoff_until
    assert decision.next_poll.at == POLL.now + timedelta(minutes=15)


def test_a_skip_changes_nothing_but_the_date() -> None:
    """(S000-12)."""
    decision = decide_next(Skipped(why="no fetcher"), NOTHING, POLL)

    assert decision.rhythm == POLL.rhythm
    assert decision.next_poll.at == NOON + 4 * HOUR
    assert decision.next_poll.because == Because(Rule.NO_FETCHER, {"why": "no fetcher"})


DAILY = tuple(NOON - timedelta(days=day, hours=3) for day in range(10))  # at 09:00 each day
HISTORY = PollFindings(inserted=0, published_at=DAILY)
KNOWN = replace(
    POLL,
    rhythm=Rhythm(
        frequency_type="daily",
        cadence="P2",
        avg_publish_hour=9.0,
        std_publish_hour=1.0,
        check_count=20,
    ),
)


def test_the_first_poll_learns_the_rhythm_and_follows_it() -> None:
    """(S004-2, S004-3, S004-5, S004-6, settled 1)."""
    first = replace(POLL, rhythm=Rhythm())

    decision = decide_next(Fetched(drafts=()), PollFindings(inserted=10, published_at=DAILY), first)

    assert (decision.rhythm.frequency_type, decision.rhythm.cadence) == ("daily", "P2")
    assert (decision.rhythm.avg_publish_hour, decision.rhythm.std_publish_hour) == (9.0, 1.0)
    assert decision.next_poll.mode is Mode.SMART
    assert decision.next_poll.at == NOON + 2 * HOUR  # 10:00 has passed, and 2 x base wins
    assert (
        render_because(decision.next_poll.because)
        == "usually publishes around 09:00 (±1.0 h); until then every 2 h"
    )


@pytest.mark.parametrize(
    ("checks_before", "inserted", "is_analysed"),
    [
        (0, 1, True),
        (2, 1, True),
        (2, 0, False),
        (3, 1, False),
        (8, 1, False),
        (9, 0, True),
        (10, 1, False),
        (19, 0, True),
    ],
)
def test_the_history_is_read_anew_at_every_tenth_check_and_at_a_newcomers_hits(
    checks_before: int, inserted: int, is_analysed: bool
) -> None:
    """(S004-5)."""
    rhythm = Rhythm(frequency_type="weekly", cadence="P4", check_count=checks_before)
    found = PollFindings(inserted=inserted, published_at=DAILY)

    decision = decide_next(Fetched(drafts=()), found, replace(POLL, rhythm=rhythm))

    expected = ("daily", "P2") if is_analysed else ("weekly", "P4")
    assert (decision.rhythm.frequency_type, decision.rhythm.cadence) == expected


@pytest.mark.parametrize(("frequency_type", "cadence"), [("daily", "P9"), ("often", "P2")])
def test_a_stored_rhythm_that_is_none_of_ours_is_learned_at_once(
    frequency_type: str, cadence: str
) -> None:
    """(S004-5) only P0-P6."""
    rhythm = Rhythm(frequency_type=frequency_type, cadence=cadence, check_count=5)

    decision = decide_next(NotModified(), HISTORY, replace(POLL, rhythm=rhythm))

    assert (decision.rhythm.frequency_type, decision.rhythm.cadence) == ("daily", "P2")


def test_a_failed_tenth_check_still_reads_the_history() -> None:
    """(S004-5) every ten checks, and a failure is one (S004-4)."""
    rhythm = Rhythm(frequency_type="weekly", cadence="P4", check_count=8)

    ninth = decide_next(BROKEN, HISTORY, replace(POLL, rhythm=rhythm))
    tenth = decide_next(BROKEN, HISTORY, replace(POLL, rhythm=replace(rhythm, check_count=9)))

    assert (ninth.rhythm.check_count, ninth.rhythm.cadence) == (9, "P4")
    assert (tenth.rhythm.check_count, tenth.rhythm.cadence) == (10, "P2")


@pytest.mark.parametrize(
    ("cadence", "policy", "wait"),
    [
        ("P5", Policy.CADENCE, 8 * HOUR),
        ("P5", Policy.FORECAST, 8 * HOUR),
        ("P0", Policy.CADENCE, HOUR),
        ("P5", Policy.FIXED, 4 * HOUR),
    ],
)
def test_a_lost_login_waits_for_the_base_of_the_sources_own_rhythm(
    cadence: str, policy: Policy, wait: timedelta
) -> None:
    """(S004-7) max(base, 1 h); under `fixed` the base is the interval."""
    locked = Failed(reason=Reason.AUTH_REQUIRED, detail="401", status=401)
    rhythm = Rhythm(frequency_type="monthly", cadence=cadence, check_count=1)

    decision = decide_next(locked, HISTORY, replace(POLL, rhythm=rhythm, policy=policy))

    assert decision.next_poll.at == POLL.now + wait
    assert decision.next_poll.backoff_until is None


def test_a_back_off_keeps_the_mode_the_source_had() -> None:
    """(settled 1)."""
    assert decide_next(BROKEN, HISTORY, KNOWN).next_poll.mode is Mode.SMART
    assert decide_next(BROKEN, NOTHING, KNOWN).next_poll.mode is Mode.FIXED


def test_the_server_is_heard_after_news_and_after_no_news() -> None:
    hints = Hints(wait=5 * HOUR)

    news = decide_next(Fetched(drafts=(), hints=hints), HISTORY, KNOWN)
    no_news = decide_next(NotModified(hints=hints), HISTORY, KNOWN)

    assert news.next_poll.at == no_news.next_poll.at == KNOWN.now + 5 * HOUR
    assert news.next_poll.because.rule is Rule.SERVER_HINT


def test_the_operators_policy_dice_and_forecast_reach_the_date() -> None:
    """(S004-6, settled 1)."""
    busy = replace(KNOWN, rhythm=Rhythm(frequency_type="high", cadence="P1", check_count=20))
    early = decide_next(NotModified(), HISTORY, replace(busy, dice=0.0))
    fixed = decide_next(NotModified(), HISTORY, replace(busy, policy=Policy.FIXED))
    foreseen = decide_next(
        NotModified(),
        HISTORY,
        replace(busy, policy=Policy.FORECAST, previous_poll=NOON - HOUR),
    )

    assert early.next_poll.at == NOON + timedelta(minutes=25, seconds=30)
    assert (fixed.next_poll.at, fixed.next_poll.mode) == (NOON + 4 * HOUR, Mode.FIXED)
    assert foreseen.next_poll.mode is Mode.SMART
    assert foreseen.next_poll.because.rule is Rule.FORECAST_HABIT
    assert foreseen.rhythm.forecast is not None
    assert early.rhythm.forecast is None


def test_hours_are_learned_in_the_operators_time_zone() -> None:
    """(S004-3, settled 10)."""
    shanghai = ZoneInfo("Asia/Shanghai")

    decision = decide_next(
        NotModified(), HISTORY, replace(POLL, rhythm=Rhythm(), timezone=shanghai)
    )

    assert decision.rhythm.avg_publish_hour == 17.0


def test_a_smart_source_that_nobody_can_read_any_more_keeps_its_rhythm() -> None:
    """(S000-12)."""
    decision = decide_next(Skipped(why="no fetcher"), HISTORY, KNOWN)

    assert decision.rhythm == KNOWN.rhythm
    assert decision.next_poll.at == NOON + 2 * HOUR


def test_news_without_a_date_is_dated_by_the_poll() -> None:
    """(S004-1) `last_article_at`."""
    decision = decide_next(Fetched(drafts=()), PollFindings(inserted=1, published_at=()), POLL)

    assert decision.rhythm.last_article_at == NOON


def test_a_source_silent_far_beyond_its_rhythm_is_flagged_and_news_clears_it() -> None:
    """No peer tells its users that a feed died."""
    days = tuple(NOON - timedelta(days=40 + n) for n in range(10))
    silent = decide_next(NotModified(), PollFindings(inserted=0, published_at=days), POLL)
    again = decide_next(
        Fetched(drafts=()),
        PollFindings(inserted=1, published_at=(NOON, *days)),
        replace(POLL, rhythm=silent.rhythm),
    )

    assert silent.rhythm.is_stale
    assert not again.rhythm.is_stale
    # Settled 16: slowed down by its silence, and known by its history again with the first news.
    assert (silent.rhythm.cadence, silent.next_poll.because.rule) == ("P6", Rule.SILENCE)
    assert (again.rhythm.cadence, again.next_poll.because.rule) == ("P4", Rule.USUAL_HOUR)


def test_news_without_a_date_end_a_silence_too() -> None:
    """(settled 16): as long as they are the latest, whatever the old dates say."""
    days = tuple(NOON - timedelta(days=400 + n) for n in range(10))
    silent = decide_next(NotModified(), PollFindings(inserted=0, published_at=days), POLL)
    undated = PollFindings(inserted=1, published_at=days, new=(None,))

    news = decide_next(Fetched(drafts=()), undated, replace(POLL, rhythm=silent.rhythm))
    later = decide_next(
        NotModified(),
        PollFindings(inserted=0, published_at=days),
        replace(POLL, rhythm=news.rhythm),
    )

    assert [each.rhythm.is_stale for each in (silent, news, later)] == [True, False, False]
    assert later.rhythm.last_article_at == NOON


@given(
    gaps=st.lists(st.integers(0, 60 * 24 * 9), max_size=25),
    checks=st.integers(0, 25),
    days_later=st.integers(0, 40),
    minutes=st.integers(0, 60 * 24),
    policy=st.sampled_from(Policy),
    outcome=st.sampled_from([NotModified(), Fetched(drafts=()), BROKEN, Skipped(why="none")]),
)
def test_dates_that_are_not_needed_would_have_changed_nothing(
    *,
    gaps: list[int],
    checks: int,
    days_later: int,
    minutes: int,
    policy: Policy,
    outcome: Outcome,
) -> None:
    """Whatever the history, and however long after the last news we poll again without any."""
    dates = tuple(accumulate(gaps, lambda at, gap: at - timedelta(minutes=gap), initial=NOON))
    first = replace(POLL, rhythm=Rhythm(check_count=checks), policy=policy)
    rhythm = decide_next(
        Fetched(drafts=()), PollFindings(inserted=len(dates), published_at=dates), first
    ).rhythm
    later = NOON + timedelta(days=days_later, minutes=minutes)
    again = replace(first, rhythm=rhythm, started_at=later, now=later)

    with_dates = decide_next(outcome, PollFindings(inserted=0, published_at=dates), again)
    without = decide_next(outcome, PollFindings(inserted=0, published_at=None), again)

    assert needs_dates(again) or without == with_dates


@pytest.mark.parametrize(
    ("change", "needed"),
    [
        ({}, False),
        ({"avg_publish_hour": None}, True),  # how many items carry a date?
        ({"cadence": None}, True),  # a rhythm is to be learned
        ({"check_count": 29}, True),  # and learned anew at every tenth check
        ({"last_article_at": None}, True),
        ({"last_article_at": NOON - timedelta(days=3)}, True),  # silent for too long?
        ({"last_article_at": NOON - timedelta(days=3), "is_stale": True}, False),  # and still is
    ],
)
def test_dates_are_needed_where_the_rhythm_does_not_say_enough(
    change: dict[str, Any], needed: bool
) -> None:
    rhythm = replace(KNOWN.rhythm, **{"last_article_at": NOON - HOUR, **change})

    assert needs_dates(replace(KNOWN, rhythm=rhythm)) is needed


def test_dates_are_needed_where_the_budget_of_reads_is_short() -> None:
    """(S001-8): how much is posted decides when a poll fits."""
    share = ReadShare(a_day=4.0, left=10, limit=100, ends_at=NOON + timedelta(days=9))
    known = replace(KNOWN, rhythm=replace(KNOWN.rhythm, last_article_at=NOON - HOUR))

    assert not needs_dates(known)
    assert needs_dates(replace(known, poll_price=PollPrice(reads=share)))
