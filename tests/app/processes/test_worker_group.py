"""Workers run side by side and stop well."""

from __future__ import annotations

import asyncio
import os
import signal
from datetime import timedelta

import pytest

from clawfeed.app.processes.worker_group import Service
from clawfeed.domain.errors import ConfigError
from tests.support.virtual_time_loop import run_warped


class Shop:
    """A worker that works until told to stop, then needs a while to finish."""

    def __init__(self, name: str, *, needs: float = 0.0) -> None:
        self.name = name
        self.started = asyncio.Event()
        self.is_done = False
        self._needs, self._stopping = needs, asyncio.Event()

    async def run(self) -> None:
        self.started.set()
        await self._stopping.wait()
        await asyncio.sleep(self._needs)
        self.is_done = True

    def stop(self) -> None:
        self._stopping.set()


class Crashing(Shop):
    async def run(self) -> None:
        raise ZeroDivisionError


async def test_workers_run_side_by_side_and_a_signal_ends_them_with_0() -> None:
    """(S000-14)."""
    shops = [Shop("one"), Shop("two", needs=0.05)]
    running = asyncio.create_task(Service(shops).run())
    await asyncio.gather(*(shop.started.wait() for shop in shops))

    os.kill(os.getpid(), signal.SIGTERM)

    assert await running == 0
    assert all(shop.is_done for shop in shops)


async def test_work_that_does_not_end_in_time_is_cut_off_with_1() -> None:
    """(S000-14)."""
    shop = Shop("slow", needs=60)
    running = asyncio.create_task(Service([shop], patience=timedelta(seconds=0.05)).run())
    await shop.started.wait()

    os.kill(os.getpid(), signal.SIGINT)

    assert await running == 1
    assert not shop.is_done


@pytest.mark.parametrize(("needs", "code"), [(29.5, 0), (30.5, 1)])
def test_running_work_is_given_thirty_seconds(needs: float, code: int) -> None:
    """(S000-14): by a service as every command makes it."""

    async def stopped() -> int:
        shop = Shop("busy", needs=needs)
        running = asyncio.create_task(Service([shop]).run())
        await shop.started.wait()
        os.kill(os.getpid(), signal.SIGTERM)
        return await running

    assert run_warped(stopped()) == code


def test_a_second_signal_ends_at_once() -> None:
    """F26: whatever is left of its patience."""

    async def seconds_until_stopped() -> tuple[int, float]:
        shop = Shop("slow", needs=2 * 3600)
        running = asyncio.create_task(Service([shop], patience=timedelta(hours=1)).run())
        await shop.started.wait()
        began = asyncio.get_running_loop().time()
        os.kill(os.getpid(), signal.SIGTERM)
        await asyncio.sleep(0.6)
        os.kill(os.getpid(), signal.SIGTERM)
        return await running, asyncio.get_running_loop().time() - began

    code, seconds = run_warped(seconds_until_stopped())

    assert code == 1
    assert seconds < 60


async def test_an_echo_of_the_first_signal_is_not_impatience() -> None:
    """Ctrl-C reaches the whole group, and the supervisor signals its children besides."""
    shop = Shop("busy", needs=0.2)
    running = asyncio.create_task(Service([shop]).run())
    await shop.started.wait()

    os.kill(os.getpid(), signal.SIGINT)
    os.kill(os.getpid(), signal.SIGTERM)

    assert await running == 0
    assert shop.is_done


async def test_a_crash_is_raised_and_ends_the_others() -> None:
    shop = Shop("fine")

    with pytest.raises(ExceptionGroup) as caught:
        await Service([shop, Crashing("broken")]).run()

    assert caught.value.subgroup(ZeroDivisionError) is not None
    assert not shop.is_done


async def test_what_the_operator_must_fix_is_raised_by_itself() -> None:
    """One sentence, not the traceback of a group."""

    class Misconfigured(Shop):
        async def run(self) -> None:
            raise ConfigError(f"{self.name} is wrong")

    shops = [Shop("fine"), Misconfigured("PORT"), Misconfigured("HOST"), Misconfigured("PORT")]

    with pytest.raises(ConfigError) as caught:
        await Service(shops).run()

    assert caught.value.problems == ("PORT is wrong", "HOST is wrong")
