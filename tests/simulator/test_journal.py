from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from clawfeed.simulator import (
    Fault,
    Misbehaviour,
    Origin,
    World,
    gaps,
    keys_served,
    max_in_flight,
    read_journal,
    serve,
)
from tests.simulator.conftest import HandClock
from tests.simulator.raw_client import connected, get, request

PATH = "/feeds/harbour-times.xml"


async def test_the_journal_knows_what_was_asked_and_served(
    origin: Origin, world: World, journal: Path, clock: HandClock
) -> None:
    first = await get(
        origin, PATH, user_agent="Tester/1", authorization="Bearer hush", x_member="1"
    )
    clock.pass_time(timedelta(minutes=1))
    await get(origin, PATH, if_none_match=first.headers["etag"])

    served, unchanged = read_journal(journal)

    feed = world.feeds["harbour-times"]
    assert (served.path, served.feed, served.status) == (PATH, feed.id, 200)
    assert served.keys == world.keys(feed, served.ts)
    assert served.etag == first.headers["etag"]
    assert (served.user_agent, served.has_authorization) == ("Tester/1", True)
    assert served.other_headers == ("x-member",)
    assert (unchanged.status, unchanged.keys) == (304, ())
    assert unchanged.if_none_match == first.headers["etag"]
    assert "hush" not in journal.read_text()


async def test_overlapping_requests_are_counted(world: World, journal: Path) -> None:
    """(I2) A feed that holds its answer shows who comes twice at the same time."""
    slow = replace(world.feeds["harbour-times"], hold=timedelta(seconds=1))
    world = World([slow, world.feeds["night-sky"]], seed=1, clock=world.clock)

    async with serve(world, journal=journal) as origin:
        await asyncio.gather(
            *(get(origin, PATH) for _ in range(3)), get(origin, "/feeds/night-sky.atom")
        )
        await get(origin, PATH)

    entries = read_journal(journal)
    assert sorted(entry.in_flight for entry in entries if entry.path == PATH) == [1, 1, 2, 3]
    assert max_in_flight(entries) == 3
    assert max_in_flight([entry for entry in entries if entry.feed == "night-sky"]) == 1


async def test_a_client_that_left_is_no_longer_in_flight(
    origin: Origin, world: World, journal: Path
) -> None:
    world.misbehave(PATH, Misbehaviour(fault=Fault.NEVER_CLOSE))

    async def in_flight_when_asked() -> int:
        async with connected(origin) as (reader, writer):
            writer.write(request(PATH))
            await reader.readuntil(b"\r\n\r\n")
        return read_journal(journal)[-1].in_flight

    assert await in_flight_when_asked() == 1
    async with asyncio.timeout(30):
        while await in_flight_when_asked() > 1:  # noqa: ASYNC110 -- the origin sends no event
            await asyncio.sleep(0.05)


async def test_gaps_and_keys_are_those_of_one_feed(
    origin: Origin, world: World, journal: Path, clock: HandClock
) -> None:
    feed = world.feeds["harbour-times"]
    expected: set[str] = set()

    for hours in (1, 3, 9):
        await get(origin, PATH)
        await get(origin, "/feeds/night-sky.atom")
        expected |= set(world.keys(feed))
        clock.pass_time(timedelta(hours=hours))

    entries = read_journal(journal)
    assert gaps(entries, feed.id) == [timedelta(hours=1), timedelta(hours=3)]
    assert keys_served(entries, feed.id) == expected


@pytest.mark.parametrize(
    ("fault", "arrive"), [(Fault.RESET, False), (Fault.TRUNCATED, False), (Fault.HALF_CLOSE, True)]
)
async def test_only_items_that_arrived_whole_count_as_served(
    origin: Origin, world: World, journal: Path, fault: Fault, *, arrive: bool
) -> None:
    """Proves (I1)."""
    world.misbehave(PATH, Misbehaviour(fault=fault))

    async with connected(origin) as (reader, writer):
        writer.write(request(PATH))
        await reader.read(10)

    (entry,) = read_journal(journal)
    assert entry.fault == fault.name.lower()
    assert bool(entry.keys) is arrive


async def test_a_page_without_a_feed_has_a_key_per_version(
    origin: Origin, world: World, journal: Path, clock: HandClock
) -> None:
    feed = world.feeds["status-page"]
    before = world.count(feed)

    await get(origin, feed.path)
    clock.pass_time(timedelta(hours=12))
    await get(origin, feed.path)

    keys = keys_served(read_journal(journal), feed.id)
    assert keys == {f"{feed.path}#{before - 1}", f"{feed.path}#{world.count(feed) - 1}"}
    assert len(keys) == 2


def test_a_line_that_is_being_written_is_left_out(journal: Path) -> None:
    journal.write_text('{"ts": "2026-')

    assert read_journal(journal) == []
