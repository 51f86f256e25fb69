"""What servers ask for slows us down, within a day."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clawfeed.domain.server_hints import ASKED_TO_WAIT, QUIET_DAY, QUIET_HOUR, slow_down
from clawfeed.domain.source import Hints
from tests.support.clocks import NOON  # a Sunday

HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)
OURS = "our own rule"
DAY_FROM_NOON = NOON + 24 * HOUR


def slowed(hints: Hints, at: datetime = NOON + HOUR) -> tuple[datetime, str]:
    return slow_down(at, OURS, hints, now=NOON, latest=DAY_FROM_NOON)


@pytest.mark.parametrize(
    ("hints", "wait", "because"),
    [
        (Hints(), HOUR, OURS),
        (Hints(wait=30 * MINUTE), HOUR, OURS),
        (Hints(wait=HOUR), HOUR, OURS),
        (Hints(wait=timedelta.min), HOUR, OURS),
        (Hints(wait=3 * HOUR), 3 * HOUR, ASKED_TO_WAIT),
        (Hints(wait=timedelta(days=365)), 24 * HOUR, ASKED_TO_WAIT),
        (Hints(wait=timedelta.max), 24 * HOUR, ASKED_TO_WAIT),
    ],
    ids=str,
)
def test_a_wait_counts_when_it_is_longer_than_ours_and_for_a_day_at_most(
    hints: Hints, wait: timedelta, because: str
) -> None:
    """POLLING, the rules that always win: hints only slow us down; the 24 h cap."""
    assert slowed(hints) == (NOON + wait, because)


@pytest.mark.parametrize(
    ("hints", "expected", "because"),
    [
        (Hints(skip_hours=frozenset({12, 14})), NOON + 90 * MINUTE, OURS),
        (Hints(skip_hours=frozenset({13})), NOON + 2 * HOUR, QUIET_HOUR),
        (Hints(skip_hours=frozenset({13, 14, 15})), NOON + 4 * HOUR, QUIET_HOUR),
        (Hints(skip_hours=frozenset(range(24))), NOON + 90 * MINUTE, OURS),
        (Hints(skip_days=frozenset({0})), NOON + 90 * MINUTE, OURS),
        (Hints(skip_days=frozenset({6})), NOON + 12 * HOUR, QUIET_DAY),
        (Hints(skip_days=frozenset({6, 0})), DAY_FROM_NOON, QUIET_DAY),
        (Hints(skip_days=frozenset(range(7))), NOON + 90 * MINUTE, OURS),
        (
            Hints(skip_days=frozenset({6}), skip_hours=frozenset({0, 1})),
            NOON + 14 * HOUR,
            QUIET_HOUR,
        ),
        (
            Hints(skip_days=frozenset(range(7)), skip_hours=frozenset({13})),
            NOON + 2 * HOUR,
            QUIET_HOUR,
        ),
        (Hints(wait=3 * HOUR, skip_hours=frozenset({15})), NOON + 4 * HOUR, QUIET_HOUR),
    ],
    ids=str,
)
def test_a_date_in_a_quiet_time_moves_to_the_next_allowed_hour(
    hints: Hints, expected: datetime, because: str
) -> None:
    """RSS skipHours and skipDays, in UTC; a feed that forbids everything is not believed."""
    assert slowed(hints, at=NOON + 90 * MINUTE) == (expected, because)


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
