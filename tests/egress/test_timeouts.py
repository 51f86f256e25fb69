"""Time limits on one timer keep the promises of `asyncio.timeout`."""

from __future__ import annotations

import asyncio

import pytest

from clawfeed.egress.timeouts import TICK_SECONDS, Deadlines

SOON = 0.05
NEVER = 60.0


async def test_a_limit_rings_in_its_own_task_and_no_earlier() -> None:
    deadlines = Deadlines()
    started = asyncio.get_running_loop().time()

    with pytest.raises(TimeoutError), deadlines.within(SOON):
        await asyncio.sleep(NEVER)

    lasted = asyncio.get_running_loop().time() - started
    assert SOON <= lasted < NEVER
    await asyncio.sleep(0)  # and the task may go on


async def test_what_ends_in_time_is_left_alone_for_good() -> None:
    deadlines = Deadlines()

    with deadlines.within(SOON):
        await asyncio.sleep(0)
    with pytest.raises(TimeoutError), deadlines.within(SOON + 2 * TICK_SECONDS):
        await asyncio.sleep(NEVER)  # a later limit has rung: the first would have, too

    with deadlines.within(NEVER):
        await asyncio.sleep(0)

    task = asyncio.current_task()
    assert task is not None
    assert task.cancelling() == 0


async def test_each_task_has_its_own_limit() -> None:
    deadlines = Deadlines()

    async def wait(limit: float) -> str:
        with deadlines.within(limit):
            await asyncio.sleep(SOON + 3 * TICK_SECONDS)
        return "done"

    short, long = await asyncio.gather(wait(SOON), wait(NEVER), return_exceptions=True)

    assert isinstance(short, TimeoutError)
    assert long == "done"


async def test_the_inner_of_two_limits_may_ring_alone() -> None:
    deadlines = Deadlines()

    with deadlines.within(NEVER):
        with pytest.raises(TimeoutError), deadlines.within(SOON):
            await asyncio.sleep(NEVER)
        await asyncio.sleep(0)


async def test_a_task_that_is_stopped_from_outside_is_stopped_and_not_late() -> None:
    deadlines = Deadlines()

    async def wait() -> None:
        with deadlines.within(NEVER):
            await asyncio.sleep(NEVER)

    task = asyncio.create_task(wait())
    await asyncio.sleep(0)
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task


async def test_an_error_inside_passes_as_it_is() -> None:
    with pytest.raises(ZeroDivisionError), Deadlines().within(NEVER):
        raise ZeroDivisionError


def test_limits_ring_on_a_second_event_loop_too() -> None:
    """The first loop may have ended while the timer still ticked."""
    deadlines = Deadlines()

    async def in_time() -> None:
        with deadlines.within(NEVER):
            await asyncio.sleep(0)

    async def late() -> None:
        with pytest.raises(TimeoutError), deadlines.within(SOON):
            await asyncio.sleep(NEVER)

    asyncio.run(in_time())

    asyncio.run(late())


def test_a_limit_outside_a_task_is_a_mistake_of_ours() -> None:
    with pytest.raises(RuntimeError), Deadlines().within(NEVER):
        pass
