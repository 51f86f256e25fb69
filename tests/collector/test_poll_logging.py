"""What the log says of polls: a line for each, the count of what is due, and else nothing."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta

import pytest

from clawfeed.collector.poll import PollResult
from clawfeed.collector.poll_logging import PollLog
from clawfeed.domain.because import Because, Rule
from clawfeed.domain.errors import Reason
from clawfeed.domain.ids import SourceId
from clawfeed.domain.schedule.schedule import Mode, NextPoll, PollDecision, Rhythm
from clawfeed.domain.sources.source import Failed, Fetched, NotModified, Outcome, Postponed, Source
from tests.collector.conftest import Bench, until
from tests.support.clocks import NOON

HOUR = timedelta(hours=1)


def lines(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str]]:
    return [(record.levelname, record.message) for record in caplog.records]


async def test_a_type_nobody_reads_is_warned_of_once(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    """(S000-12): one warning for each type, then silence, however many sources and rounds."""
    await bench.add(3, "gopher")
    await bench.add(1, "finger")
    for _ in range(2):
        await bench.collector().run_once()
        bench.advance(25 * HOUR)
    report = PollLog()
    caplog.set_level(logging.INFO)

    for result in bench.results:
        report(result)

    assert len(bench.results) == 8
    assert lines(caplog) == [("WARNING", "sources skipped")] * 2
    told = {record.__dict__["type"]: record.__dict__["why"] for record in caplog.records}
    assert sorted(told) == ["finger", "gopher"]
    assert "gopher" in told["gopher"]


@pytest.mark.parametrize(
    ("outcome", "line"),
    [
        (Fetched(drafts=()), ("INFO", "source polled")),
        (NotModified(), ("INFO", "source unchanged")),
        (
            Postponed(because=Because(Rule.OFFLINE), detail="rests", wait=HOUR),
            ("INFO", "source postponed"),
        ),
        (Failed(reason=Reason.BROKEN, detail="500", status=500), ("WARNING", "source failed")),
    ],
    ids=["fetched", "unchanged", "postponed", "failed"],
)
def test_every_other_result_is_one_line_at_every_poll(
    caplog: pytest.LogCaptureFixture, outcome: Outcome, line: tuple[str, str]
) -> None:
    """(S000-8): with the source, its next date and why then."""
    caplog.set_level(logging.INFO)
    next_poll = NextPoll(
        at=NOON + HOUR, because=Because(Rule.OWN_INTERVAL, {"minutes": 60}), mode=Mode.FIXED
    )
    result = PollResult(
        source=Source(id=SourceId(7), type="rss", name="Harbour", config={}, param_key="7"),
        outcome=outcome,
        inserted=0,
        decision=PollDecision(rhythm=Rhythm(), next_poll=next_poll),
        duration=timedelta(seconds=1),
    )
    report = PollLog()

    report(result)
    report(result)

    assert lines(caplog) == [line, line]
    told = caplog.records[0].__dict__
    assert (told["source"], told["title"]) == (7, "Harbour")
    assert (told["next"], told["because"], told["rule"]) == (
        "2026-11-15T13:00:00Z",
        "every 60 min (source's own interval)",
        "own_interval",
    )


async def test_while_nothing_is_due_the_loop_says_nothing(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    """(S000-8): nor at its first tick, which no earlier announcement keeps silent."""
    await bench.add(2)
    await bench.collector().run_once()
    asked: list[datetime] = []

    def clock() -> datetime:
        asked.append(NOON)
        return NOON

    bench.clock = clock
    caplog.set_level(logging.INFO)

    async with bench.running():
        await until(lambda: len(asked) > 12)  # about four times a tick

    assert lines(caplog) == []
    assert len(bench.results) == 2
