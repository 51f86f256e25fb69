"""A request to stop, and waiting that ends when it comes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any


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
