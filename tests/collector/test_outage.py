"""While our own network is down: told once, one source now and then, and nothing written."""

from __future__ import annotations

import socket
from dataclasses import dataclass, replace
from datetime import timedelta

import pytest

from clawfeed.collector.offline_pace import OfflinePace
from clawfeed.domain.because import Because, Rule
from clawfeed.domain.errors import Reason, SourceError
from clawfeed.domain.secret import Secret
from clawfeed.domain.sources.source import Fetched, Source
from clawfeed.sources.parsing.pool import ParsePool
from clawfeed.sources.x.fetcher import Twitter, TwitterConfig
from clawfeed.storage.database import Database
from clawfeed.storage.sources.sources import NewSource, SourceStore
from tests.collector.conftest import Bench, until
from tests.egress.loopback_servers import Exchange, StubResolver, answering, new_egress, serving
from tests.sources.x.simulated_x import Purse, endpoint_of
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

    assert await _what_came_of_it(bench) == SPARED


API_AND_BRIDGE = TwitterConfig(
    api_base_url="http://x.example",
    bearer_token=Secret("a-token"),
    bridges=("http://bridge.example/{list_id}",),
)


@pytest.mark.parametrize(
    ("config", "reads"),
    [
        (replace(API_AND_BRIDGE, bridges=()), 10),
        (replace(API_AND_BRIDGE, bearer_token=None), 10),
        (API_AND_BRIDGE, 10),
        (API_AND_BRIDGE, 0),
    ],
    ids=["the API", "a bridge", "both", "a bridge while the reads are spent"],
)
async def test_a_source_of_x_is_not_charged_for_our_own_outage_either(
    bench: Bench, config: TwitterConfig, reads: int
) -> None:
    """(settled 2): whoever of X's back ends was asked, and by whichever of them it is told."""
    lost = socket.gaierror(socket.EAI_AGAIN, "no name server")
    resolver = StubResolver({"x.example": lost, "bridge.example": lost})

    await _poll_of_x(bench, config, resolver=resolver, reads=reads)

    assert await _what_came_of_it(bench) == SPARED


async def test_a_source_of_x_is_charged_if_one_back_end_answered(bench: Bench) -> None:
    """(settled 2): then our network was not down. X refuses for longer, so the bridge decides."""
    lost = socket.gaierror(socket.EAI_AGAIN, "no name server")
    resolver = StubResolver({"bridge.example": lost})
    async with serving(answering(403)) as x:
        await _poll_of_x(bench, API_AND_BRIDGE, resolver=resolver, dial=Exchange(x))

    found = await _what_came_of_it(bench)
    assert (found.failures, found.outcome, found.reason) == (1, "failed", Reason.UNREACHABLE)


async def _poll_of_x(
    bench: Bench,
    config: TwitterConfig,
    *,
    resolver: StubResolver,
    dial: Exchange | None = None,
    reads: int = 10,
) -> None:
    """One round in which a list of X is due, and the API allows so many *reads*."""
    new = NewSource(type="twitter_list", name="A list", config={"list_id": "1"})
    await SourceStore(bench.database).add(new, now=bench.clock())
    async with new_egress(resolver=resolver, dial=dial) as egress, ParsePool() as parse:
        bench.others["twitter_list"] = Twitter(
            endpoint_of("twitter_list"),
            egress=egress,
            parse=parse,
            clock=bench.clock,
            settings=config,
            budget=Purse(limit=reads),
        )
        await bench.collector().run_once()


@dataclass(frozen=True)
class WhatCame:
    """How often the source failed, and what its poll came to; *again_in* is seconds."""

    failures: int
    outcome: str
    reason: str
    again_in: float


SPARED = WhatCame(failures=0, outcome="postponed", reason=Rule.NOBODY_ANSWERED, again_in=60)


async def _what_came_of_it(bench: Bench) -> WhatCame:
    [row] = await bench.database.read(
        "SELECT s.fetch_error_count, l.outcome, l.reason, t.next_due_at FROM sources s "
        "JOIN fetch_log l ON l.source_id = s.id JOIN source_stats t ON t.source_id = s.id"
    )
    return WhatCame(
        failures=row["fetch_error_count"],
        outcome=row["outcome"],
        reason=row["reason"],
        again_in=row["next_due_at"] - bench.clock().timestamp(),
    )
