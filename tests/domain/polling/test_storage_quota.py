"""How much may be stored in a day."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from clawfeed.domain.because import Because, Rule
from clawfeed.domain.polling.poll_decision import PollContext, decide_next
from clawfeed.domain.polling.storage_quota import MEGABYTE, Quota, fitting, tomorrow
from clawfeed.domain.schedule.interval import Interval
from clawfeed.domain.schedule.schedule import PollFindings, Rhythm
from clawfeed.domain.sources.source import Fetched

HALF = MEGABYTE // 2


@pytest.mark.parametrize(
    ("quota", "items", "size", "fits"),
    [
        (Quota(), 10**9, 10**15, 4),
        (Quota(items=4), 0, 0, 4),
        (Quota(items=4), 1, 0, 3),
        (Quota(items=4), 9, 0, 0),
        (Quota(megabytes=2), 0, 0, 4),
        (Quota(megabytes=2), 0, 1, 3),
        (Quota(items=2, megabytes=1), 0, 0, 2),
        (Quota(items=3, megabytes=1), 0, 0, 2),
    ],
)
def test_as_many_as_fit(quota: Quota, items: int, size: int, fits: int) -> None:
    assert fitting([HALF] * 4, quota, items=items, size=size) == fits


def test_the_rest_is_read_in_the_first_hour_of_tomorrow() -> None:
    late = datetime(2026, 11, 15, 23, 59, tzinfo=UTC)

    dates = [tomorrow(late, spread) for spread in (0.0, 0.5)]

    assert dates == [datetime(2026, 11, 16, 0, minute, tzinfo=UTC) for minute in (0, 30)]


def test_a_source_over_its_quota_waits_for_tomorrow_and_says_so() -> None:
    now = datetime(2026, 11, 15, 12, tzinfo=UTC)
    why = Because(Rule.SOURCE_QUOTA, {"items": 2, "megabytes": 0})
    hourly = Interval(minutes=60, rule=Rule.OWN_INTERVAL)
    context = PollContext(
        source_type="rss", interval=hourly, rhythm=Rhythm(), started_at=now, now=now, spread=0.0
    )

    found = PollFindings(inserted=2, published_at=(), over_quota=why)
    decision = decide_next(Fetched(drafts=()), found, context)

    assert decision.next_poll.at == datetime(2026, 11, 16, tzinfo=UTC)
    assert decision.next_poll.because == why
    assert decision.rhythm.fail_count == 0
