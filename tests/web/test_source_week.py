"""What a source's page makes of the forecast and of a poll that was asked for."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from clawfeed.domain.forecast.usual_hours import Description, Habit
from clawfeed.storage.polling.poll_history import PollRow
from clawfeed.web.sources.poll_watch import watch_of
from clawfeed.web.sources.recent_days_chart import RecentPublishing, recent_days

NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)  # a Wednesday
LONG_AGO = NOON - timedelta(days=100)
# Two items a day, all of them between eight and nine.
MORNINGS = Description(
    habit=Habit(on_days="daily", at_hours="08-09"),
    rate=2.0,
    week=tuple(24.0 if hour % 24 == 8 else 0.0 for hour in range(168)),
)


def test_days_are_the_readers_and_of_today_only_what_has_passed_is_expected() -> None:
    came = [NOON - timedelta(days=1, hours=4), NOON - timedelta(days=1, hours=3)]
    shanghai, honolulu = ZoneInfo("Asia/Shanghai"), ZoneInfo("Pacific/Honolulu")

    [here, there, west] = [
        recent_days(MORNINGS, RecentPublishing(published=came, known_since=LONG_AGO), NOON, zone)
        for zone in (UTC, shanghai, honolulu)
    ]

    assert here
    assert [day.expected for day in here.days] == [2.0] * 7
    assert [day.came for day in here.days] == [0, 0, 0, 0, 0, 2, 0]
    assert (here.came, here.expected, here.verdict, here.since) == (2, 14, "less", None)
    assert there
    assert there.days[-1].date.day == 18
    # It is two in the morning there: today's items are still to come.
    assert west
    assert [day.expected for day in west.days] == [2.0] * 6 + [0.0]
    assert west.days[4].came == 2


def test_nothing_is_expected_of_the_days_before_a_source_was_known() -> None:
    """A feed's first poll brings what it lists; how much it told before, nobody knows."""
    came = [NOON - timedelta(days=1)]
    seen = RecentPublishing(published=came, known_since=NOON - timedelta(hours=1))

    found = recent_days(MORNINGS, seen, NOON, UTC)

    assert found
    assert [day.expected for day in found.days] == [None] * 5 + [0.0, 2.0]
    assert (found.since, found.verdict) == (came[0], "as_expected")
    nobody_knows = Description(habit=None, rate=0.0, week=MORNINGS.week)
    assert recent_days(nobody_knows, seen, NOON, UTC) is None


@pytest.mark.parametrize(
    ("outcome", "inserted", "started", "asked", "state"),
    [
        ("ok", 3, 5, 10, "came"),
        ("not_modified", 0, 5, 10, "nothing_new"),
        ("failed", 0, 5, 10, "failed"),
        ("postponed", 0, 5, 10, "put_off"),
        ("ok", 3, 20, 10, "waiting"),
        ("ok", 3, 300, 200, "late"),
        ("ok", 3, 5, 2_000, None),
        ("ok", 3, 5, -60, None),
    ],
)
def test_a_poll_that_was_asked_for_is_told_until_it_is_history(
    outcome: str, inserted: int, started: int, asked: int, state: str | None
) -> None:
    now = NOON.timestamp()
    poll = PollRow(1, None, now - started, now - started + 1, outcome, inserted, None, None)

    found = watch_of(poll, str(int(now) - asked), NOON)

    assert (found.state if found else None) == state
    assert watch_of(poll, "yesterday", NOON) is None
