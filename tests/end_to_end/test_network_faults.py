"""Real collectors behind a real cable: slow, cut, or leading nowhere. Never lose, never storm."""

from __future__ import annotations

import asyncio
import signal
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest

from clawfeed.app.clock import system_clock
from clawfeed.simulator import Entry, max_in_flight
from clawfeed.storage.database import Database
from clawfeed.storage.sources.sources import NewSource, SourceStore
from tests.end_to_end.clocks import MovedClock, WorldClock, faketime_library
from tests.end_to_end.fleet import (
    check_exactly_once,
    check_schedule,
    count,
    follow,
    make_all_due,
    opened,
    until,
)
from tests.end_to_end.network import Link, LinkedFleet, fleet_at, linked, namespace
from tests.support.processes import Running

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(300),
    pytest.mark.root,
    pytest.mark.parametrize("database_url", ["sqlite"], indirect=True),
]

FEEDS = 8
# Every answer is held so long: requests that start closer together than this overlap.
HOLD = timedelta(milliseconds=200)
AT_ONCE = 2
SPACING = timedelta(milliseconds=80)
HOUR = timedelta(hours=1)
AGE = 20 * HOUR
TIMEOUT = 30
# A round takes some four seconds; the rest is for machines that are busy with something else.
BOUND = 90.0
# So often the clock is moved on within it.
ROUNDS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A fleet at the other end of a link, its followers' database, and both clocks."""

    link: Link
    fleet: LinkedFleet
    database: Database
    world: WorldClock
    clock: MovedClock
    environment: dict[str, str]
    folder: Path

    @contextmanager
    def collector(self) -> Iterator[Running]:
        with self.link.inside.collector(self.folder, self.environment) as running:
            yield running

    async def without(self, polls: str) -> set[str]:
        """The names of the sources that have no such *polls*."""
        rows = await self.database.read(
            f"SELECT name FROM sources WHERE id NOT IN (SELECT source_id FROM fetch_log {polls})"
        )
        return {str(row["name"]) for row in rows}

    async def until_all_have(self, polls: str) -> None:
        """Wait until every source has such *polls*; fails with the names of the frozen ones.

        On a busy machine a request may give up, and its source is put off for minutes: so the
        clock goes on while we wait.
        """

        async def is_done() -> bool:
            return not await self.without(polls)

        for _ in range(ROUNDS):
            try:
                await until(is_done, patience=BOUND / ROUNDS)
            except TimeoutError:
                self.clock.move(self.clock.shift + MINUTES_LATER)
            else:
                return
        pytest.fail(f"{await self.without(polls)} have no poll {polls} within {BOUND:g} s")

    async def errors(self) -> dict[str, int]:
        """What stands on the counter of each source that is still active."""
        rows = await self.database.read(
            "SELECT name, fetch_error_count FROM sources WHERE is_active = 1"
        )
        return {str(row["name"]): int(row["fetch_error_count"]) for row in rows}

    async def check_nothing_was_lost(self) -> None:
        """Every source is read, active and has a date; every item is stored once (I1, I3)."""
        assert await self.errors() == {f"f{number}": 0 for number in range(FEEDS)}
        await check_exactly_once(self.database, self.fleet)
        assert await count(self.database, "raw_items") >= AGE // HOUR * FEEDS
        await check_schedule(self.database, self.clock.now())


@asynccontextmanager
async def staged(
    folder: Path, database_url: str, *queue: str, fetch_timeout: int = TIMEOUT
) -> AsyncIterator[Stage]:
    world, clock = WorldClock(), MovedClock(faketime_library(), folder / "clock")
    with linked() as link:
        link.slow_down(*queue)
        serving = fleet_at(link.address, folder, FEEDS, clock=world, age=AGE, hold=HOLD)
        async with serving as fleet, opened(database_url) as database:
            await follow(database, fleet)
            manners = {
                "HOST_CONCURRENCY": str(AT_ONCE),
                "HOST_SPACING_MS": str(SPACING // timedelta(milliseconds=1)),
                "FETCH_TIMEOUT_SECONDS": str(fetch_timeout),
                # One in three is for those that failed: nobody waits for a place of our own.
                "COLLECTOR_CONCURRENCY": str(3 * FEEDS),
            }
            environment = fleet.environment(database_url, **manners, **clock.environment())
            yield Stage(
                link=link,
                fleet=fleet,
                database=database,
                world=world,
                clock=clock,
                environment=environment,
                folder=folder,
            )


def check_no_burst(entries: Sequence[Entry]) -> None:
    """I2, I4: never more requests at once at the host than allowed.

    Whether a source is asked twice at once, nobody can tell here where requests are given up: the
    origin may not know yet.
    """
    starts = sorted(entry.ts for entry in entries)
    most = max(sum(start - HOLD < other <= start for other in starts) for start in starts)
    assert most <= AT_ONCE


async def stopped(collector: Running) -> str:
    """Ask it to end, and see that it ends well; returns its log."""
    collector.signal(signal.SIGTERM)
    assert await asyncio.to_thread(collector.wait) == 0, collector.stderr
    assert "Traceback" not in collector.stderr, collector.stderr
    return collector.stderr


# The contract's 64 kbit/s. (Its delay and loss need a kernel with netem.)
NARROW = ("tbf", "rate", "64kbit", "burst", "2kb", "latency", "5s")


async def test_a_slow_network_costs_patience_and_nothing_else(
    database_url: str, tmp_path: Path
) -> None:
    """(F9, I1, I4): no time-outs, and never more at once because answers are late."""
    async with staged(tmp_path, database_url, *NARROW) as stage:

        async def all_have_polls() -> bool:
            return not await stage.without("WHERE id > 0")

        with stage.collector() as collector:
            # The clock stands by: nobody gives up, and whoever moves it ends leases.
            await until(all_have_polls, patience=2 * BOUND)
            await stopped(collector)

        assert await count(stage.database, "fetch_log WHERE outcome = 'new'") == FEEDS
        assert await count(stage.database, "fetch_log") == FEEDS
        await stage.check_nothing_was_lost()
        check_no_burst(stage.fleet.entries())
        assert max_in_flight(stage.fleet.entries()) == 1


# Narrow enough that an answer of some 12 KB is on its way for long, and can be cut in two.
MODEST = ("tbf", "rate", "128kbit", "burst", "2kb", "latency", "5s")
# What waits at the cable is then the body: an answer's head is not half as long.
SOME_BODY = 2000
ANSWERED = "WHERE outcome IN ('new', 'unchanged')"
ANSWERED_LAST = f"{ANSWERED} AND id IN (SELECT max(id) FROM fetch_log GROUP BY source_id)"
# More than the minutes for which those are put off that could not be asked, and than any probe's.
MINUTES_LATER = timedelta(minutes=11)


async def until_in_the_middle_of_a_body(stage: Stage) -> None:
    """And not before the first answer: who was never online cannot know that it went offline."""

    async def is_there() -> bool:
        answers = await count(stage.database, f"fetch_log {ANSWERED}")
        return answers > 0 and await asyncio.to_thread(stage.link.backlog) > SOME_BODY

    await until(is_there, patience=BOUND)


async def claims_of(database: Database) -> int:
    """How often somebody was claimed: a probe that finds nobody leaves no other trace."""
    [row] = await database.read("SELECT sum(claim) AS n FROM source_stats")
    return int(row["n"])


async def until_probed(database: Database, before: int) -> None:
    """Until more were claimed than *before*: a probe was begun."""

    async def is_there() -> bool:
        return await claims_of(database) > before

    await until(is_there, patience=BOUND)


async def until_nothing_is_left_of_the_cut(stage: Stage) -> None:
    """Until both ends know who left: farewells have arrived, and no answer is on its way.

    A busy machine sends again late: a source polled before that would seem to be asked twice.
    """

    async def is_done() -> bool:
        has_orphans = await asyncio.to_thread(stage.link.has_orphans)
        return not has_orphans and not stage.fleet.origin.unanswered

    await until(is_done, patience=BOUND)


DOWN, BACK = "our own network is down", "our own network is back"


async def test_a_cut_in_the_middle_of_bodies_is_nobodys_fault_and_loses_nothing(
    database_url: str, tmp_path: Path
) -> None:
    """(F8, I1, I3, I4, settled 2): no counter moves, no row is written, and it is told once.

    Its requests give up soon, and while the cable is down: so all of them end in the outage.
    """
    async with staged(tmp_path, database_url, *MODEST, fetch_timeout=4) as stage:
        with stage.collector() as collector:
            await until_in_the_middle_of_a_body(stage)
            stage.link.cut()
            await asyncio.to_thread(collector.wait_for, DOWN)
            await until_nobody_is_held(stage)
            before = len(stage.fleet.entries())
            polls = await count(stage.database, "fetch_log")
            await make_all_due(stage.database)
            # Some probes, which find nobody.
            for probes in (1, 2):
                claims = await claims_of(stage.database)
                stage.clock.move(probes * MINUTES_LATER)
                await until_probed(stage.database, claims)
                # One that is still under way would be heard when the cable is mended.
                await until_nobody_is_held(stage)
            assert await count(stage.database, "fetch_log") == polls
            stage.link.mend()
            await until_nothing_is_left_of_the_cut(stage)
            # What was given up may still have been on its way: heard now, it is nobody's poll. That
            # takes a connection from before the cut, and there were no more than these.
            heard = len(stage.fleet.entries())
            assert heard - before <= AT_ONCE
            stage.clock.move(3 * MINUTES_LATER)
            await asyncio.to_thread(collector.wait_for, BACK)
            stage.clock.move(4 * MINUTES_LATER)
            await stage.until_all_have(ANSWERED_LAST)
            log = await stopped(collector)

        assert (log.count(DOWN), log.count(BACK)) == (1, 1)
        assert await count(stage.database, "fetch_log WHERE outcome = 'failed'") == 0
        await stage.check_nothing_was_lost()
        entries = stage.fleet.entries()
        check_no_burst([*entries[:before], *entries[heard:]])


async def until_nobody_is_held(stage: Stage) -> None:
    async def is_done() -> bool:
        return not await count(stage.database, "source_stats WHERE lease_until IS NOT NULL")

    await until(is_done, patience=BOUND)


async def test_who_times_out_just_after_our_outage_is_not_to_blame(
    database_url: str, tmp_path: Path
) -> None:
    """(F8, settled 2): the route is back, but what was lost is not sent again in time."""
    async with staged(tmp_path, database_url, *MODEST, fetch_timeout=5) as stage:
        stage.link.repeat_late()
        with stage.collector() as collector:
            await until_in_the_middle_of_a_body(stage)
            stage.link.cut()
            # Most of what a request waits; what was lost meanwhile comes too late for it.
            await asyncio.sleep(3.5)
            stage.link.mend()
            # Who timed out has no row, and waits for minutes: nobody is to blame.
            await until_nobody_is_held(stage)
            stage.clock.move(MINUTES_LATER)
            await stage.until_all_have(ANSWERED_LAST)
            await stopped(collector)

        assert await count(stage.database, "fetch_log WHERE outcome = 'failed'") == 0
        await stage.check_nothing_was_lost()
        entries = stage.fleet.entries()
        check_no_burst(entries)
        assert most_asked(entries) > 1, "nobody timed out"


def most_asked(entries: Sequence[Entry]) -> int:
    """How often the source was asked that was asked most often."""
    return max(Counter(entry.path for entry in entries).values())


FLAPS = 5


async def test_a_flapping_network_loses_nothing_and_makes_no_storm(
    database_url: str, tmp_path: Path
) -> None:
    """(F8, I1, I3, I4): a second down, a second up; everybody is due whenever it is back.

    Nobody is asked more often than they were due: at the start, after each flap and at the end.
    """
    async with staged(tmp_path, database_url, *MODEST) as stage:
        with stage.collector() as collector:
            await until_in_the_middle_of_a_body(stage)
            for _ in range(FLAPS):
                stage.link.cut()
                await asyncio.sleep(1)
                stage.link.mend()
                await make_all_due(stage.database)
                await asyncio.sleep(1)
            stage.clock.move(MINUTES_LATER)
            await stage.until_all_have(ANSWERED_LAST)
            await stopped(collector)

        assert await count(stage.database, "fetch_log WHERE outcome = 'failed'") == 0
        entries = stage.fleet.entries()
        assert len(entries) >= await count(stage.database, f"fetch_log {ANSWERED}")
        assert most_asked(entries) <= FLAPS + 2
        await stage.check_nothing_was_lost()
        check_no_burst(entries)


STRANGERS = tuple(f"93.184.216.{number}" for number in range(1, 13))


@pytest.mark.parametrize("is_hole", [False, True], ids=["no route", "black hole"])
async def test_a_start_without_the_internet_charges_nobody_and_tells_it_once(
    database_url: str, tmp_path: Path, is_hole: bool
) -> None:
    """(F8, settled 2): twelve hosts fail and none answers; neither the first nor the last counts.

    A black hole: there is a route, and who is at its end passes nothing on.
    """
    settings = {
        "DATABASE_URL": database_url,
        "COLLECTOR_TICK": "1",
        "FETCH_TIMEOUT_SECONDS": "1",
        "PARSE_WORKERS": "1",
    }
    with linked() if is_hole else namespace() as place:
        inside = place.inside if isinstance(place, Link) else place
        async with opened(database_url) as database:
            for address in STRANGERS:
                config = {"url": f"http://{address}/feed"}
                new = NewSource(type="rss", name=address, config=config, host=address)
                await SourceStore(database).add(new, now=system_clock())
            with inside.collector(tmp_path, settings) as collector:
                await asyncio.to_thread(collector.wait_for, DOWN)
                await until_probed(database, await claims_of(database))
                log = await stopped(collector)

            [row] = await database.read("SELECT max(fetch_error_count) AS n FROM sources")
            assert row["n"] == 0
            # Of a black hole the first few were in doubt; then nothing is written.
            doubted = await count(database, "fetch_log WHERE reason = 'nobody_answered'")
            assert doubted == await count(database, "fetch_log") <= 4
            assert log.count(DOWN) == 1
            assert log.count("source postponed") == doubted
