"""Whoever waits for a stop hears of it; whoever does not hear one goes on."""

from __future__ import annotations

import asyncio
from datetime import timedelta

from clawfeed.runtime.stop import Bell, RepeatedWorker, Stop, is_set_within, repeat

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


async def test_a_repeated_worker_looks_again_until_it_is_asked_to_stop() -> None:
    class Watcher(RepeatedWorker):
        looks = 0

        async def look(self) -> timedelta:
            self.looks += 1
            if self.looks == 3:
                asyncio.get_running_loop().call_soon(self.stop)  # while it waits for the next
                return FOR_EVER
            return timedelta(0)

    watcher = Watcher()

    async with asyncio.timeout(60):  # only broken code would go on
        await watcher.run()

    assert watcher.looks == 3


async def test_work_that_ends_by_itself_is_seen_out() -> None:
    work = asyncio.create_task(asyncio.sleep(0, "done"))

    assert await Stop().see_out(work, cut_short=not_called)
    assert work.result() == "done"


async def test_after_a_stop_work_has_patience_to_end() -> None:
    stop, gate = Stop(), asyncio.Event()
    work = asyncio.create_task(gate.wait())
    stop.ask()

    assert await stop.see_out(work, patience=FOR_EVER, on_stop=gate.set, cut_short=not_called)


async def test_work_that_outlives_patience_is_cancelled() -> None:
    stop = Stop()
    work = asyncio.create_task(asyncio.Event().wait())
    stop.ask()

    assert not await stop.see_out(work, patience=A_MOMENT)

    await asyncio.wait({work})
    assert work.cancelled()


async def test_how_it_is_cut_short_is_the_callers_business() -> None:
    stop, gate = Stop(), asyncio.Event()
    work = asyncio.create_task(gate.wait())
    stop.ask()

    assert not await stop.see_out(work, cut_short=gate.set)
    assert await work


async def test_who_is_cancelled_leaves_no_work_behind() -> None:
    work = asyncio.create_task(asyncio.Event().wait())
    seeing = asyncio.create_task(Stop().see_out(work, patience=FOR_EVER))
    await asyncio.sleep(0)

    seeing.cancel()

    await asyncio.wait({seeing, work})
    assert work.cancelled()
    assert seeing.cancelled()


async def test_a_bell_is_heard_once_for_each_ringing() -> None:
    bell = Bell()
    bell.ring()
    bell.ring()

    assert await bell.listen(FOR_EVER)
    assert not await bell.listen(A_MOMENT)


async def test_a_bell_ends_the_listening() -> None:
    bell = Bell()
    listening = asyncio.create_task(bell.listen())
    await asyncio.sleep(0)

    bell.ring()

    assert await listening
    assert not bell.is_asked


async def test_a_stop_is_heard_by_all_who_listen_at_a_bell_and_every_time() -> None:
    bell = Bell()
    listening = [asyncio.create_task(bell.listen()) for _ in range(2)]
    await asyncio.sleep(0)

    bell.ask()

    assert await asyncio.gather(*listening) == [True, True]
    assert await bell.listen(FOR_EVER)
    assert bell.is_asked


def not_called() -> None:
    raise AssertionError("it was cut short")
