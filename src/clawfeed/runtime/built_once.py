"""What is built when it is first wanted."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class BuiltOnce(Generic[T]):
    """Built at the first `get`, once, however many ask at the same time.

    What goes wrong is raised at whoever asked; the next one tries again.
    """

    def __init__(self, build: Callable[[], Awaitable[T]]) -> None:
        self._build = build
        self._built: list[T] = []
        self._lock = asyncio.Lock()

    @property
    def is_built(self) -> bool:
        return bool(self._built)

    async def get(self) -> T:
        async with self._lock:
            if not self._built:
                self._built.append(await self._build())
            return self._built[0]

    def forget(self) -> None:
        """The next who asks has it built anew; what was built is not closed here."""
        self._built.clear()
