"""The brake on guessing: the same for every door, in every process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from fastapi import HTTPException

from clawfeed.auth.client_address import Client
from clawfeed.domain.login_throttle import NO_WAIT, whole_seconds
from clawfeed.storage.login_throttles import (
    ThrottleCounter,
    Throttles,
    account_counter,
    address_counter,
)


def too_many(waiting: timedelta, what: str = "too many attempts") -> HTTPException:
    """429 that says when to come back."""
    seconds = whole_seconds(waiting)
    detail = f"{what}: try again in {seconds} second{'' if seconds == 1 else 's'}"
    return HTTPException(429, detail, headers={"Retry-After": str(seconds)})


@dataclass(frozen=True, slots=True, kw_only=True)
class LoginThrottle:
    """Counts attempts before they are looked at; who was right takes theirs back."""

    throttles: Throttles
    clock: Callable[[], datetime]

    async def enter(self, client: Client, email: str | None = None) -> None:
        """Count an attempt, or raise 429 without looking at it."""
        waiting = await self.throttles.enter(_counters(client, email), now=self.clock())
        if waiting > NO_WAIT:
            raise too_many(waiting)

    async def succeed(self, client: Client, email: str | None = None) -> None:
        await self.throttles.succeed(_counters(client, email))

    async def check(self, client: Client) -> None:
        """Raise 429 if this address has to wait; counts nothing."""
        counter = address_counter(client.address)
        waiting = await self.throttles.waiting(counter, now=self.clock())
        if waiting > NO_WAIT:
            raise too_many(waiting)


def _counters(client: Client, email: str | None) -> list[ThrottleCounter]:
    counters = [address_counter(client.address)]
    return counters if email is None else [*counters, account_counter(email)]
