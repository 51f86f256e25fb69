"""Whoever waits for a stop hears of it; whoever does not hear one goes on."""

from __future__ import annotations

import asyncio
from datetime import timedelta

from clawfeed.runtime.stop import Stop, is_set_within, repeat

# The test's own time-out is shorter: nothing here may wait so long.
FOR_EVER = timedelta(days=1)
A_MOMENT = timedelta(milliseconds=1)


async def test_a_stop_ends_the_wait() -> None:
    stop = Stop()
    waiting = asyncio.create_task(stop.wait(FOR_EVER))
    await asyncio.sleep(0)

    stop.ask()

    assert await waiting


async def test_a_wait_ends_by_itself_if_nobody_asks() -> None:
    stop = Stop()

    assert not await stop.wait(A_MOMENT)
    assert not stop.is_asked


async def test_an_event_that_came_in_time_stays_set() -> None:
    event = asyncio.Event()
    event.set()

    assert await is_set_within(event, FOR_EVER)
    assert event.is_set()


async def test_work_that_ended_is_not_kept_waiting_for_a_stop() -> None:
    work = asyncio.create_task(asyncio.sleep(0, "done"))

    assert await Stop().wait_for_end(work)
    assert work.result() == "done"
    await asyncio.sleep(0)  # what is cancelled ends in the next turn
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_a_stop_leaves_the_work_running() -> None:
    stop, gate = Stop(), asyncio.Event()
    work = asyncio.create_task(gate.wait())
    stop.ask()

    assert not await stop.wait_for_end(work)

    gate.set()
    assert await work


async def test_work_is_repeated_until_a_stop() -> None:
    stop, pauses = Stop(), [A_MOMENT, timedelta(0), FOR_EVER]

    async def work() -> timedelta:
        pause = pauses.pop(0)
        if not pauses:
            asyncio.get_running_loop().call_soon(stop.ask)  # while it waits for the next
        return pause

    await repeat(work, stop)

    assert pauses == []


async def test_after_a_stop_nothing_begins() -> None:
    stop, begun = Stop(), 0

    async def work() -> timedelta:
        nonlocal begun
        begun += 1
        return timedelta(0)

    stop.ask()
    async with asyncio.timeout(60):  # only broken code would go on
        await repeat(work, stop)

    assert begun == 0
