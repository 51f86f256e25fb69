"""The brake on guessing: the same for every door, in every process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

from fastapi import HTTPException

from clawfeed.auth.refused import RefusedError
from clawfeed.domain.errors import RefusalCode
from clawfeed.domain.people.login_throttle import NO_WAIT, whole_seconds
from clawfeed.storage.people.login_throttles import ThrottleCounter, Throttles


def too_many(waiting: timedelta, what: str = "too many attempts") -> HTTPException:
    """429 that says when to come back."""
    seconds = whole_seconds(waiting)
    detail = f"{what}: try again in {seconds} second{'' if seconds == 1 else 's'}"
    return RefusedError(
        429,
        detail,
        RefusalCode.TOO_MANY_ATTEMPTS,
        headers={"Retry-After": str(seconds)},
        seconds=seconds,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LoginThrottle:
    """Counts attempts before they are looked at; who was right takes theirs back."""

    throttles: Throttles
    clock: Callable[[], datetime]

    async def enter(self, counter: ThrottleCounter) -> None:
        """Count an attempt, or raise 429 without looking at it."""
        waiting = await self.count(counter)
        if waiting > NO_WAIT:
            raise too_many(waiting)

    async def count(self, counter: ThrottleCounter) -> timedelta:
        """Count an attempt and return zero; or count nothing, and how long it should wait."""
        return await self.throttles.enter([counter], now=self.clock())

    async def succeed(self, *counters: ThrottleCounter) -> None:
        await self.throttles.succeed(counters)


class SerialQueue:
    """One at a time, in a short line: for attempts from an address with too many wrong ones.

    They are looked at, since a right password must not suffer from its neighbours' wrong ones (a
    proxy makes everybody one address). But they never take more than one of the hashers.
    """

    def __init__(self, most_waiting: int = 10) -> None:
        self._turn, self._waiting, self._most = asyncio.Lock(), 0, most_waiting

    @asynccontextmanager
    async def turn(self, waiting: timedelta) -> AsyncIterator[None]:
        """Wait for a turn; 429 if the line is full. Without *waiting*, no line either."""
        if waiting <= NO_WAIT:
            yield
            return
        if self._waiting >= self._most:
            raise too_many(waiting)
        self._waiting += 1
        try:
            async with self._turn:
                yield
        finally:
            self._waiting -= 1
