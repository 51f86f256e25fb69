"""Several who want the same thing at the same time share one effort."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class SingleFlight(Generic[T]):
    """Runs the work of a key once, for all who wait for it; when the last leaves, it is ended."""

    def __init__(self) -> None:
        self._tasks: dict[str, asyncio.Task[T]] = {}
        self._waiting: dict[str, int] = {}

    async def run(self, key: str, work: Callable[[], Awaitable[T]]) -> T:
        """What *work* returns, or raises; another's, if it is under way already."""
        task = self._tasks.get(key)
        if task is None or task.done():
            task = self._tasks[key] = asyncio.create_task(_awaited(work))
            self._waiting[key] = 0
        self._waiting[key] += 1
        try:
            return await asyncio.shield(task)
        finally:
            if self._tasks.get(key) is task:
                await self._leave(key, task)

    async def _leave(self, key: str, task: asyncio.Task[T]) -> None:
        self._waiting[key] -= 1
        if self._waiting[key]:
            return
        del self._tasks[key], self._waiting[key]
        if not task.done():
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


async def _awaited(work: Callable[[], Awaitable[T]]) -> T:
    return await work()
