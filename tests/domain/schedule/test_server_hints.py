"""What servers ask for slows us down, within a day."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawfeed.domain.because import Because, Rule
from clawfeed.domain.schedule.server_hints import slow_down, with_evidence
from clawfeed.domain.sources.source import Hints
from clawfeed.domain.wording.because_wording import render_because
from tests.support.clocks import NOON  # a Sunday

HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)
OURS = Because(Rule.BACK_OFF, {"failures": 1})
DAY_FROM_NOON = NOON + 24 * HOUR


def slowed(hints: Hints, at: datetime = NOON + HOUR) -> tuple[datetime, Because]:
    return slow_down(at, OURS, hints, now=NOON, latest=DAY_FROM_NOON)


@pytest.mark.parametrize(
    ("hints", "wait", "rule"),
    [
        (Hints(), HOUR, OURS.rule),
        (Hints(wait=30 * MINUTE), HOUR, OURS.rule),
        (Hints(wait=HOUR), HOUR, OURS.rule),
        (Hints(wait=timedelta.min), HOUR, OURS.rule),
        (Hints(wait=3 * HOUR), 3 * HOUR, Rule.SERVER_HINT),
        (Hints(wait=timedelta(days=365)), 24 * HOUR, Rule.SERVER_HINT),
        (Hints(wait=timedelta.max), 24 * HOUR, Rule.SERVER_HINT),
    ],
    ids=str,
)
def test_a_wait_counts_when_it_is_longer_than_ours_and_for_a_day_at_most(
    hints: Hints, wait: timedelta, rule: Rule
) -> None:
    """POLLING, the rules that always win: hints only slow us down; the 24 h cap."""
    at, because = slowed(hints)

    assert (at, because.rule) == (NOON + wait, rule)


@pytest.mark.parametrize(
    ("hints", "expected", "rule"),
    [
        (Hints(skip_hours=frozenset({12, 14})), NOON + 90 * MINUTE, OURS.rule),
        (Hints(skip_hours=frozenset({13})), NOON + 2 * HOUR, Rule.SKIP_HOUR),
        (Hints(skip_hours=frozenset({13, 14, 15})), NOON + 4 * HOUR, Rule.SKIP_HOUR),
        (Hints(skip_hours=frozenset(range(24))), NOON + 90 * MINUTE, OURS.rule),
        (Hints(skip_days=frozenset({0})), NOON + 90 * MINUTE, OURS.rule),
        (Hints(skip_days=frozenset({6})), NOON + 12 * HOUR, Rule.SKIP_DAY),
        (Hints(skip_days=frozenset({6, 0})), DAY_FROM_NOON, Rule.SKIP_DAY),
        (Hints(skip_days=frozenset(range(7))), NOON + 90 * MINUTE, OURS.rule),
        (
            Hints(skip_days=frozenset({6}), skip_hours=frozenset({0, 1})),
            NOON + 14 * HOUR,
            Rule.SKIP_HOUR,
        ),
        (
            Hints(skip_days=frozenset(range(7)), skip_hours=frozenset({13})),
            NOON + 2 * HOUR,
            Rule.SKIP_HOUR,
        ),
        (Hints(wait=3 * HOUR, skip_hours=frozenset({15})), NOON + 4 * HOUR, Rule.SKIP_HOUR),
    ],
    ids=str,
)
def test_a_date_in_a_quiet_time_moves_to_the_next_allowed_hour(
    hints: Hints, expected: datetime, rule: Rule
) -> None:
    """RSS skipHours and skipDays, in UTC; a feed that forbids everything is not believed."""
    at, because = slowed(hints, at=NOON + 90 * MINUTE)

    assert (at, because.rule) == (expected, rule)


def every(gap: timedelta, count: int = 30) -> list[datetime]:
    return [NOON - gap * (place + 0.5) for place in range(count)]


@pytest.mark.parametrize(
    ("published", "hints", "wait", "rule"),
    [
        # Ten items an hour, and "daily": four of its gaps are granted.
        (every(6 * MINUTE), Hints(feed_wait=24 * HOUR), 24 * MINUTE, Rule.FEED_HINT_CAPPED),
        # It asks for four gaps or less: no contradiction.
        (every(7 * HOUR), Hints(feed_wait=24 * HOUR), 24 * HOUR, Rule.SERVER_HINT),
        # However much it publishes, a quarter of an hour is granted.
        (every(3 * MINUTE), Hints(feed_wait=24 * HOUR), 15 * MINUTE, Rule.FEED_HINT_CAPPED),
        # Nine items prove nothing, nor do thirty of one moment.
        (every(6 * MINUTE, 9), Hints(feed_wait=24 * HOUR), 24 * HOUR, Rule.SERVER_HINT),
        (every(MINUTE), Hints(feed_wait=24 * HOUR), 24 * HOUR, Rule.SERVER_HINT),
        # It once did, and is silent since: the silence counts.
        (
            [date - timedelta(days=30) for date in every(6 * MINUTE)],
            Hints(feed_wait=12 * HOUR),
            12 * HOUR,
            Rule.SERVER_HINT,
        ),
        # Cache-Control and Retry-After are obeyed whatever it publishes.
        (every(6 * MINUTE), Hints(wait=24 * HOUR), 24 * HOUR, Rule.SERVER_HINT),
        (
            every(6 * MINUTE),
            Hints(wait=2 * HOUR, feed_wait=24 * HOUR),
            2 * HOUR,
            Rule.SERVER_HINT,
        ),
    ],
)
def test_a_feed_that_contradicts_itself_is_held_to_what_it_does(
    published: list[datetime], hints: Hints, wait: timedelta, rule: Rule
) -> None:
    """`<ttl>` and `sy:*` are what a template says; the dates are what the feed does."""
    evident = with_evidence(hints, published, NOON)

    at, because = slowed(evident, at=NOON + 5 * MINUTE)

    assert at - NOON == pytest.approx(wait, abs=2 * MINUTE)
    assert because.rule is rule


def test_a_capped_wish_says_what_was_asked_and_what_is_done() -> None:
    evident = with_evidence(Hints(feed_wait=24 * HOUR), every(6 * MINUTE), NOON)

    _, because = slowed(evident, at=NOON + 5 * MINUTE)
    unneeded, _ = slowed(evident, at=NOON + HOUR)

    assert render_because(because) == (
        "the feed asks for 24 h between polls, but publishes about 244 times a day: polled sooner"
    )
    assert unneeded == NOON + HOUR, "a hint never hurries us"


def test_programs_learn_which_rule_a_hint_overruled() -> None:
    _, because = slowed(Hints(wait=3 * HOUR))

    assert because.parameters == {"instead_of": "back_off"}


def test_a_date_already_beyond_the_latest_stays_where_it_is() -> None:
    late = DAY_FROM_NOON + HOUR

    assert slowed(Hints(wait=3 * HOUR, skip_hours=frozenset({13})), at=late) == (late, OURS)


@given(
    st.timedeltas(timedelta(seconds=1), 24 * HOUR),
    st.none() | st.timedeltas(),
    st.frozensets(st.integers(0, 24)),
    st.frozensets(st.integers(0, 7)),
)
def test_hints_never_make_a_poll_earlier_nor_later_than_the_latest(
    wait: timedelta, asked: timedelta | None, hours: frozenset[int], days: frozenset[int]
) -> None:
    """POLLING, the rules that always win."""
    hints = Hints(wait=asked, skip_hours=hours, skip_days=days)

    date, because = slowed(hints, at=NOON + wait)

    assert NOON + wait <= date <= DAY_FROM_NOON
    assert (because == OURS) == (date == NOON + wait)
    assert date.tzinfo is UTC
