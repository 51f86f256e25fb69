"""Several who want the same thing at the same time share one effort."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


@dataclass(slots=True)
class _Flight(Generic[T]):
    task: asyncio.Task[T]
    waiting: int = 0


class SingleFlight(Generic[K, T]):
    """Runs the work of a key once, for all who wait for it.

    When the last of them leaves, it is ended. With *lands_alone* it goes on without them, and
    what goes wrong then is nobody's error; `landed` waits for it.
    """

    def __init__(self, *, lands_alone: bool = False) -> None:
        self._flights: dict[K, _Flight[T]] = {}
        self._lands_alone = lands_alone

    async def run(self, key: K, work: Callable[[], Awaitable[T]], *, name: str | None = None) -> T:
        """What *work* returns, or raises; another's, if it is under way already."""
        flight = self._flights.get(key) or self._begin(key, work, name)
        flight.waiting += 1
        try:
            return await asyncio.shield(flight.task)
        finally:
            flight.waiting -= 1
            if not (flight.waiting or self._lands_alone or flight.task.done()):
                self._forget(key, flight)
                flight.task.cancel()
                await asyncio.gather(flight.task, return_exceptions=True)

    async def landed(self) -> None:
        """Wait for what is under way, however it ends."""
        if self._flights:
            await asyncio.wait([flight.task for flight in self._flights.values()])

    def _begin(self, key: K, work: Callable[[], Awaitable[T]], name: str | None) -> _Flight[T]:
        flight = _Flight(asyncio.create_task(_awaited(work), name=name))
        self._flights[key] = flight
        flight.task.add_done_callback(lambda _task: self._land(key, flight))
        return flight

    def _land(self, key: K, flight: _Flight[T]) -> None:
        self._forget(key, flight)
        if not flight.task.cancelled():
            flight.task.exception()  # looked at: whoever waited for it may be gone

    def _forget(self, key: K, flight: _Flight[T]) -> None:
        if self._flights.get(key) is flight:
            del self._flights[key]


async def _awaited(work: Callable[[], Awaitable[T]]) -> T:
    return await work()
