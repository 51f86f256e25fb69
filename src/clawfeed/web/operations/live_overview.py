"""The house's figures, read once for all who look, and not at all while nobody does."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from clawfeed.domain.errors import StorageError
from clawfeed.runtime.stop import Stop
from clawfeed.storage.operations.overview import HouseOverview

REFRESH_INTERVAL: Final = timedelta(seconds=3)
# A large house takes longer to read: looking at it takes no more than this share of its time.
RESTS_PER_READING: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What was read; nothing if the database did not answer."""

    overview: HouseOverview | None


class LiveOverview:
    """Reads again and again while somebody looks. *stop* ends it for everybody, at once."""

    def __init__(
        self,
        read: Callable[[], Awaitable[HouseOverview]],
        stop: Stop,
        *,
        every: timedelta = REFRESH_INTERVAL,
    ) -> None:
        self._read, self._stop, self._every = read, stop, every
        self._viewers = 0
        self._task: asyncio.Task[None] | None = None
        self._latest: Reading | None = None
        self._next: asyncio.Future[Reading | None] | None = None

    async def once(self) -> HouseOverview:
        """What is true now, for a page; raises `StorageError` if the database does not answer."""
        return await self._read()

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Somebody looks: what is read is read for them, too."""
        self._viewers += 1
        if self._task is None or self._task.done():
            self._next = asyncio.get_running_loop().create_future()
            self._task = asyncio.create_task(self._read_on(self._next), name="live overview")
        try:
            yield
        finally:
            self._viewers -= 1
            if not self._viewers:
                self._task.cancel()
                self._task = self._latest = self._next = None

    async def news(self, seen: Reading | None) -> Reading | None:
        """The latest reading, once there is another than *seen*; None if it is over.

        Who is slow skips readings. What goes wrong in reading is raised at all who look.
        """
        if self._latest is not None and self._latest is not seen:
            return self._latest
        if self._next is None:
            return None
        # Shielded: whoever gives up waiting does so for themselves.
        return await asyncio.shield(self._next)

    async def _read_on(self, upcoming: asyncio.Future[Reading | None]) -> None:
        loop = asyncio.get_running_loop()
        try:
            while not self._stop.is_asked:
                began = loop.time()
                found = await self._unless_stopped(self._reading())
                if found is None:
                    break
                pause = timedelta(seconds=RESTS_PER_READING * (loop.time() - began))
                self._latest, told = found, upcoming
                self._next = upcoming = loop.create_future()
                told.set_result(found)
                await self._stop.wait(max(self._every, pause))
        except Exception as error:  # noqa: BLE001 -- raised where somebody waits for it
            self._end()
            upcoming.set_exception(error)
        else:
            self._end()
            upcoming.set_result(None)

    def _end(self) -> None:
        """What was read last is nobody's news any more."""
        self._latest = None

    async def _unless_stopped(self, work: Coroutine[None, None, Reading]) -> Reading | None:
        """What *work* brings; None once we are to stop: a database that hangs holds up nobody."""
        task = asyncio.create_task(work)
        return task.result() if await self._stop.see_out(task) else None

    async def _reading(self) -> Reading:
        try:
            return Reading(overview=await self._read())
        except StorageError:
            return Reading(overview=None)
