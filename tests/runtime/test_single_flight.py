"""Who wants the same thing at the same time shares one effort."""

from __future__ import annotations

import asyncio

import pytest

from clawfeed.runtime.single_flight import SingleFlight


class Work:
    """Runs until its gate opens; knows how often it began, and whether it was ended."""

    def __init__(self) -> None:
        self.gate, self.begun, self.ended = asyncio.Event(), 0, 0

    async def __call__(self) -> int:
        self.begun += 1
        try:
            await self.gate.wait()
        finally:
            self.ended += 1
        return self.begun


async def test_the_same_is_done_once_and_another_beside_it() -> None:
    flights, one, other = SingleFlight[str, int](), Work(), Work()
    waiting = [asyncio.create_task(flights.run("one", one)) for _ in range(3)]
    waiting.append(asyncio.create_task(flights.run("other", other)))
    await asyncio.sleep(0)

    one.gate.set()
    other.gate.set()

    assert await asyncio.gather(*waiting) == [1, 1, 1, 1]
    assert await flights.run("one", one) == 2


async def test_when_the_last_leaves_it_is_ended() -> None:
    flights, work = SingleFlight[str, int](), Work()
    first, last = (asyncio.create_task(flights.run("one", work)) for _ in range(2))
    await asyncio.sleep(0.001)

    await cancelled(first)
    assert work.ended == 0
    await cancelled(last)

    assert work.ended == 1
    await flights.landed()


async def test_who_comes_while_it_is_being_ended_has_it_done_anew() -> None:
    flights, is_ending, may_end = SingleFlight[str, str](), asyncio.Event(), asyncio.Event()

    async def work() -> str:
        try:
            await asyncio.Event().wait()
        finally:
            is_ending.set()
            await may_end.wait()
        return "never"

    left = asyncio.create_task(flights.run("one", work))
    await asyncio.sleep(0.001)
    left.cancel()
    await is_ending.wait()

    async def again() -> str:
        return "anew"

    assert await flights.run("one", again) == "anew"
    may_end.set()
    await asyncio.wait({left})


async def test_what_lands_alone_goes_on_without_anybody_and_is_waited_for() -> None:
    flights, work = SingleFlight[str, int](lands_alone=True), Work()
    waiting = asyncio.create_task(flights.run("one", work))
    await asyncio.sleep(0.001)
    await cancelled(waiting)
    assert work.ended == 0

    work.gate.set()
    await flights.landed()

    assert work.ended == 1


async def test_an_error_is_raised_at_all_and_the_next_tries_anew() -> None:
    flights, tries = SingleFlight[str, int](), 0

    async def work() -> int:
        nonlocal tries
        tries += 1
        await asyncio.sleep(0)
        raise OSError("away")

    found = await asyncio.gather(
        flights.run("one", work), flights.run("one", work), return_exceptions=True
    )
    assert [str(each) for each in found] == ["away", "away"]
    assert tries == 1

    with pytest.raises(OSError, match="away"):
        await flights.run("one", work)
    assert tries == 2


async def cancelled(task: asyncio.Task[int]) -> None:
    task.cancel()
    await asyncio.wait({task})
