"""What follows from one look."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from clawfeed.domain.errors import Reason
from clawfeed.domain.interval import interval_for
from clawfeed.domain.schedule import Found, Mode, Rhythm
from clawfeed.domain.source import Failed, Fetched, NotModified, Outcome, Skipped
from clawfeed.domain.verdict import Circumstances, Rules, judge, mode_of
from tests.support.clocks import NOON

HOUR = timedelta(hours=1)
NOTHING = Found(inserted=0, published_at=())
BROKEN = Failed(reason=Reason.BROKEN, detail="502", status=502)
LOOK = Circumstances(
    source_type="rss",
    interval=interval_for("rss", {}, None),
    rhythm=Rhythm(check_count=7, hit_count=3, fail_count=2),
    started_at=NOON,
    now=NOON + timedelta(seconds=5),
)


@pytest.mark.parametrize("outcome", [Fetched(drafts=()), NotModified()])
def test_success_is_looked_at_again_one_interval_after_its_start(outcome: Outcome) -> None:
    """(S000-20, S001-9, settled 1)."""
    verdict = judge(outcome, NOTHING, LOOK)

    assert verdict.next_look.at == NOON + 4 * HOUR
    assert verdict.next_look.because == "every 240 min (the usual for rss)"
    assert verdict.rhythm.fail_count == 0


def test_a_hit_is_something_inserted() -> None:
    """(S004-4, settled 4)."""
    hit = judge(Fetched(drafts=()), Found(inserted=2, published_at=(NOON - HOUR,)), LOOK)
    miss = judge(Fetched(drafts=()), NOTHING, LOOK)

    assert (hit.rhythm.check_count, hit.rhythm.hit_count) == (8, 4)
    assert hit.rhythm.last_article_at == NOON - HOUR
    assert (miss.rhythm.check_count, miss.rhythm.hit_count) == (8, 3)


def test_the_fifth_failure_in_a_row_pauses() -> None:
    """(S000-11, settled 2)."""
    fourth = judge(BROKEN, NOTHING, replace(LOOK, rhythm=Rhythm(fail_count=3)))
    fifth = judge(BROKEN, NOTHING, replace(LOOK, rhythm=Rhythm(fail_count=4)))
    never = judge(
        BROKEN,
        NOTHING,
        replace(LOOK, rhythm=Rhythm(fail_count=400), rules=Rules(auto_pause_after=0)),
    )

    assert (fourth.paused_because, fifth.paused_because) == (None, "errors")
    assert fifth.next_look.at is None
    assert never.next_look.at == LOOK.now + 24 * HOUR


def test_410_three_times_stops_the_source() -> None:
    """T20: once may be a slip."""
    gone = Failed(reason=Reason.GONE, detail="410", status=410)

    second = judge(gone, NOTHING, replace(LOOK, rhythm=Rhythm(fail_count=1)))
    third = judge(gone, NOTHING, replace(LOOK, rhythm=Rhythm(fail_count=2)))

    assert (second.paused_because, third.paused_because) == (None, "gone")


def test_while_our_own_network_is_down_nobodys_counter_moves() -> None:
    """Settled question 2."""
    verdict = judge(Failed(reason=Reason.OFFLINE, detail="offline"), NOTHING, LOOK)

    assert verdict.rhythm == LOOK.rhythm
    assert verdict.next_look.at == LOOK.now + timedelta(minutes=1)


def test_a_host_at_rest_is_not_the_sources_failure() -> None:
    resting = Failed(reason=Reason.BUSY, detail="rests", wait=2 * HOUR)

    verdict = judge(resting, NOTHING, LOOK)

    assert verdict.rhythm == LOOK.rhythm
    assert verdict.next_look.at == LOOK.now + 2 * HOUR


def test_a_back_off_is_remembered_as_one() -> None:
    """(S004-7)."""
    verdict = judge(BROKEN, NOTHING, replace(LOOK, rhythm=Rhythm()))

    assert verdict.next_look.at == verdict.next_look.backoff_until
    assert verdict.next_look.at == LOOK.now + timedelta(minutes=15)


def test_a_skip_changes_nothing_but_the_date() -> None:
    """(S000-12)."""
    verdict = judge(Skipped(why="no fetcher"), NOTHING, LOOK)

    assert verdict.rhythm == LOOK.rhythm
    assert verdict.next_look.at == NOON + 4 * HOUR


@pytest.mark.parametrize(
    ("source_type", "overrides", "own", "mode"),
    [
        ("rss", {}, None, Mode.FIXED),
        ("rss", {"rss": 60}, None, Mode.PINNED),
        ("rss", {}, 30, Mode.PINNED),
        ("hackernews", {}, None, Mode.PINNED),
        ("twitter_account", {}, None, Mode.PINNED),
        ("website", {}, None, Mode.FIXED),
        ("my_plugin", {}, None, Mode.FIXED),
    ],
)
def test_the_mode_says_who_chose_the_rhythm(
    source_type: str, overrides: dict[str, int], own: int | None, mode: Mode
) -> None:
    """Settled question 1."""
    assert mode_of(source_type, interval_for(source_type, overrides, own)) is mode
