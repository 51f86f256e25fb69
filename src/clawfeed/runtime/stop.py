"""A request to stop, waiting that ends when it comes, and work that is seen out."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any, Final

AT_ONCE: Final = timedelta(0)


class Stop:
    """Asked for once, from anywhere in the loop; whoever waits here returns at once."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    @property
    def is_asked(self) -> bool:
        return self._event.is_set()

    def ask(self) -> None:
        self._event.set()

    async def wait(self, longest: timedelta) -> bool:
        """Wait for *longest*, or until asked to stop; True if asked."""
        return await is_set_within(self._event, longest)

    async def wait_for_end(self, work: asyncio.Task[Any]) -> bool:
        """Wait until *work* ended or a stop was asked for; True if it ended. It is not cancelled.

        What it ended with, an exception too, is for the caller to fetch.
        """
        asked = asyncio.create_task(self._event.wait())
        try:
            await asyncio.wait({work, asked}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            asked.cancel()
        return work.done()

    async def see_out(
        self,
        work: asyncio.Task[Any],
        *,
        patience: timedelta = AT_ONCE,
        on_stop: Callable[[], object] = lambda: None,
        cut_short: Callable[[], object] | None = None,
    ) -> bool:
        """Wait until *work* ended; True if it did so by itself.

        After a stop, which *on_stop* hears of, it has *patience*; then *cut_short* is called, or
        it is cancelled. So it is at once when whoever waits here is cancelled. What was cut short
        is not waited for.
        """
        try:
            if not await self.wait_for_end(work):
                on_stop()
                if patience:
                    await asyncio.wait({work}, timeout=patience.total_seconds())
        finally:
            has_ended = work.done()
            if not has_ended:
                (cut_short or work.cancel)()
        return has_ended


class Bell(Stop):
    """A stop that can also be rung: whoever listens goes on, once for each ringing."""

    def __init__(self) -> None:
        super().__init__()
        self._rung = asyncio.Event()

    def ask(self) -> None:
        super().ask()
        self._rung.set()

    def ring(self) -> None:
        self._rung.set()

    async def listen(self, longest: timedelta | None = None) -> bool:
        """Wait until it rings or a stop is asked for, no longer than *longest*; whether it came.

        A ringing that nobody heard is heard by the next; a stop is heard by everybody.
        """
        has_come = await is_set_within(self._rung, longest)
        if has_come and not self.is_asked:
            self._rung.clear()
        return has_come


async def is_set_within(event: asyncio.Event, longest: timedelta | None) -> bool:
    """Wait for *event*, no longer than *longest* (None: as long as it takes); whether it came."""
    try:
        async with asyncio.timeout(None if longest is None else longest.total_seconds()):
            await event.wait()
    except TimeoutError:
        return False
    return True


async def repeat(work: Callable[[], Awaitable[timedelta]], stop: Stop) -> None:
    """Do *work* again and again until asked to stop; each answers how long to wait for the next."""
    while not stop.is_asked:
        await stop.wait(await work())


class RepeatedWorker(ABC):
    """A worker that looks for work again and again until asked to stop."""

    def __init__(self) -> None:
        self._stop = Stop()

    def stop(self) -> None:
        self._stop.ask()

    async def run(self) -> None:
        await repeat(self.look, self._stop)

    @abstractmethod
    async def look(self) -> timedelta:
        """Do what there is to do; answers when to look again."""
