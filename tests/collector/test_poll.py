"""What a poll does when its own arithmetic fails, or the database is away."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from datetime import timedelta

import pytest

from clawfeed.collector import poll
from clawfeed.collector.loop import CollectorPace
from clawfeed.collector.poll import PollConfig, _dates_needed, _decide
from clawfeed.domain.errors import Reason, SourceError
from clawfeed.domain.ids import SourceId
from clawfeed.domain.polling.failures import LONGEST_DETAIL
from clawfeed.domain.polling.poll_decision import PollContext
from clawfeed.domain.schedule.interval import Intervals, interval_for
from clawfeed.domain.schedule.schedule import PollFindings, Rhythm
from clawfeed.domain.sources.source import Fetched, Hints, NotModified, Source
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.storage.database import execute
from clawfeed.storage.items.new_items import LATEST_DATES
from tests.collector.conftest import Bench, until
from tests.support.clocks import NOON


def test_a_date_that_cannot_be_computed_becomes_the_fixed_interval(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """(S003-8): the default schedule, and an error with the details in the log."""
    context = PollContext(
        source_type="rss",
        interval=interval_for(BUILT_IN.facts("rss"), {}, None),
        rhythm=Rhythm(check_count="seven"),  # type: ignore[arg-type] # as SQLite may hold it
        started_at=NOON,
        now=NOON,
    )

    found = PollFindings(inserted=0, published_at=())
    source = Source(id=SourceId(7), type="rss", name="A", param_key="7")

    decision = _decide(NotModified(), found, context, source)

    assert decision.next_poll.at == NOON + timedelta(hours=4)
    assert "no date could be computed" in caplog.text
    assert "TypeError" in caplog.text
    [told] = caplog.records
    assert (told.levelname, told.source, told.collector) == ("ERROR", 7, "rss/7")  # type: ignore[attr-defined] # fields of ours


def test_a_damaged_row_asks_for_all_dates_and_leaves_the_decision_to_tell() -> None:
    context = PollContext(
        source_type="rss",
        interval=interval_for(BUILT_IN.facts("rss"), {}, None),
        rhythm=Rhythm(check_count="seven", avg_publish_hour=9.0),  # type: ignore[arg-type] # as SQLite may hold it
        started_at=NOON,
        now=NOON,
    )

    assert _dates_needed(context, NotModified()) == LATEST_DATES


def test_a_feeds_wish_is_held_against_its_dates_even_if_nothing_is_new() -> None:
    """One quiet hour of a busy feed that says "daily" must not cost a day."""
    known = Rhythm(
        frequency_type="realtime",
        cadence="P0",
        avg_publish_hour=9.0,
        std_publish_hour=1.0,
        last_article_at=NOON,
        check_count=1,
    )
    context = PollContext(
        source_type="rss",
        interval=interval_for(BUILT_IN.facts("rss"), {}, None),
        rhythm=known,
        started_at=NOON,
        now=NOON,
    )
    asking = NotModified(hints=Hints(feed_wait=timedelta(days=1)))

    assert _dates_needed(context, asking) == LATEST_DATES
    assert _dates_needed(context, NotModified()) == 0


def test_the_longest_poll_and_the_longest_wait_for_the_database_fit_into_a_lease() -> None:
    """(I2, F7, F16): nobody else takes a source that somebody still polls or stores."""
    waits = [poll.FIRST_RETRY * 2**tried for tried in range(poll.FINISH_TRIES - 1)]

    longest = PollConfig(worker="any", intervals=Intervals(types=BUILT_IN)).longest_poll + sum(
        waits, timedelta()
    )

    assert longest < CollectorPace(worker="any").lease


async def test_a_failure_whose_words_no_database_takes_is_stored_and_backs_off(
    bench: Bench,
) -> None:
    """(S001-9, T30): a plug-in passes on what a server said; unstored, nothing would back off."""
    said = "they said \x00\ud800\x1b[2J" + "!" * 10_000

    def fail(_source: Source) -> Fetched:
        raise SourceError(Reason.BROKEN, said)

    bench.fetcher.answer = fail
    await bench.add(1)
    await bench.collector().run_once()

    [row] = await bench.database.read(
        "SELECT s.last_error, t.fail_count, t.backoff_until, t.lease_until FROM sources s "
        "JOIN source_stats t ON t.source_id = s.id"
    )
    assert (row["fail_count"], row["lease_until"]) == (1, None)
    assert row["backoff_until"] > NOON.timestamp()
    message = json.loads(row["last_error"])["message"]
    assert message.startswith("they said  [2J!")
    assert len(message) <= LONGEST_DETAIL


async def test_a_database_that_fails_twice_is_waited_for(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    """(F7, I1): what was fetched is stored once it is back, and not asked for again."""
    bench.config = replace(bench.config, first_retry=timedelta(seconds=0.1))
    await bench.add(1)
    await execute(bench.database, "ALTER TABLE fetch_log RENAME TO gone")
    running = asyncio.create_task(bench.collector().run_once())

    await until(lambda: caplog.text.count("could not store a poll; trying again") == 2)
    await execute(bench.database, "ALTER TABLE gone RENAME TO fetch_log")
    await running

    assert [result.inserted for result in bench.results] == [1]
    assert len(bench.fetcher.seen) == 1
    assert len(await bench.database.read("SELECT id FROM raw_items")) == 1
    [log] = await bench.database.read("SELECT outcome, inserted FROM fetch_log")
    assert (log["outcome"], log["inserted"]) == ("new", 1)
