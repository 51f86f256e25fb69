"""What a look does when its own arithmetic fails."""

from __future__ import annotations

from datetime import timedelta

import pytest

from clawfeed.collector.poll import _dates_needed, _decide
from clawfeed.domain.interval import interval_for
from clawfeed.domain.schedule import Found, Rhythm
from clawfeed.domain.source import NotModified
from clawfeed.domain.verdict import Circumstances
from clawfeed.storage.arrivals import LATEST
from tests.support.clocks import NOON


def test_a_date_that_cannot_be_computed_becomes_the_fixed_interval(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """(S003-8): the default schedule, and an error with the details in the log."""
    circumstances = Circumstances(
        source_type="rss",
        interval=interval_for("rss", {}, None),
        rhythm=Rhythm(check_count="seven"),  # type: ignore[arg-type] # as SQLite may hold it
        started_at=NOON,
        now=NOON,
    )

    verdict = _decide(NotModified(), Found(inserted=0, published_at=()), circumstances)

    assert verdict.next_look.at == NOON + timedelta(hours=4)
    assert "no date could be computed" in caplog.text
    assert "TypeError" in caplog.text


def test_a_damaged_row_asks_for_all_dates_and_leaves_the_verdict_to_tell() -> None:
    circumstances = Circumstances(
        source_type="rss",
        interval=interval_for("rss", {}, None),
        rhythm=Rhythm(check_count="seven", avg_publish_hour=9.0),  # type: ignore[arg-type] # as SQLite may hold it
        started_at=NOON,
        now=NOON,
    )

    assert _dates_needed(circumstances) == LATEST
