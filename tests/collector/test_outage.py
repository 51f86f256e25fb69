"""While our own network is down: told once, one source now and then, and nothing written."""

from __future__ import annotations

from datetime import timedelta

import pytest

from clawfeed.collector.offline_pace import OfflinePace
from clawfeed.domain.because import Because, Rule
from clawfeed.domain.errors import Reason, SourceError
from clawfeed.domain.sources.source import Fetched, Source
from clawfeed.storage.database import Database
from tests.collector.conftest import Bench, until
from tests.support.clocks import FakeClock
from tests.support.counting_database import CountingDatabase
from tests.support.fakes import one_item

SECOND = timedelta(seconds=1)
SOURCES = 20


def test_the_pace_of_an_outage(caplog: pytest.LogCaptureFixture) -> None:
    """All, none, a probe, none, another; and all again, by and by."""
    clock, is_offline = FakeClock(), [False]
    pace = OfflinePace(lambda: is_offline[0], clock)
    found = [pace.slots(4)]

    is_offline[0] = True
    for wait in (0, 15, 0, 29, 1):
        clock.advance(wait * SECOND)
        found.append(pace.slots(4))
        if found[-1]:
            pace.note_probe()
    is_offline[0] = False
    for wait in (0, 5, 5, 5):
        clock.advance(wait * SECOND)
        found.append(pace.slots(4))

    assert found == [4, 0, 1, 0, 0, 1, 1, 2, 4, 4]
    assert [record.message for record in caplog.records] == [
        "our own network is down; one source is tried now and then",
        "our own network is back",
    ]


async def test_an_outage_is_told_once_charges_nobody_and_writes_nothing(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    """(settled 2, F8): twenty are due; five in flight learn of it, then one probe after another."""
    counting = CountingDatabase(database)
    bench = Bench(counting)
    is_down = True

    def answer(source: Source) -> Fetched:
        bench.is_offline = is_down
        if is_down:
            raise SourceError(Reason.OFFLINE, "down", postponed=Because(Rule.OFFLINE))
        return one_item(source)

    bench.fetcher.answer = answer
    await bench.add(SOURCES)
    caplog.set_level("INFO")
    asked = bench.fetcher.seen

    async with bench.running(slots=5):
        await until(lambda: len(asked) == 5 and "our own network is down" in caplog.text)
        counting.forget()
        for probes in (1, 2, 3):
            bench.advance(timedelta(minutes=2))
            await until(lambda goal=5 + probes: len(asked) >= goal)  # type: ignore[misc] # bound now
        # A claim and a release for each probe; those in flight may still be released.
        assert counting.writes <= 5 + 2 * 3
        is_down = False
        bench.advance(timedelta(minutes=9))
        await until(lambda: len(bench.results) > 0)
        await until(lambda: _advanced(bench) and len(bench.results) == SOURCES)

    assert len({source.id for source in asked[:8]}) == 8, "each probe asks another"
    assert caplog.text.count("our own network is down") == 1
    assert caplog.text.count("our own network is back") == 1
    assert "source postponed" not in caplog.text
    outcomes = await database.read("SELECT DISTINCT outcome FROM fetch_log")
    assert [row["outcome"] for row in outcomes] == ["new"]
    [row] = await database.read("SELECT max(fetch_error_count) AS n FROM sources")
    assert row["n"] == 0


def _advanced(bench: Bench) -> bool:
    bench.advance(SECOND)
    return True


async def test_who_may_have_failed_through_us_is_not_charged_but_tried_again(bench: Bench) -> None:
    """(settled 2): the first two of an outage were charged, before it was believed."""

    def answer(_source: Source) -> Fetched:
        raise SourceError(Reason.TIMED_OUT, "silent", is_doubtful=True)

    bench.fetcher.answer = answer
    await bench.add(1)

    await bench.collector().run_once()

    [row] = await bench.database.read(
        "SELECT s.fetch_error_count, l.outcome, l.reason, t.next_due_at FROM sources s "
        "JOIN fetch_log l ON l.source_id = s.id JOIN source_stats t ON t.source_id = s.id"
    )
    assert (row["fetch_error_count"], row["outcome"]) == (0, "postponed")
    assert row["reason"] == Rule.NOBODY_ANSWERED
    assert row["next_due_at"] == (bench.clock() + timedelta(minutes=1)).timestamp()
