"""Leases of work whose length nobody knows, such as a model's: renewed while it goes on."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta

from clawfeed.domain.errors import StorageError
from clawfeed.runtime.stop import Stop, repeat

log = logging.getLogger(__name__)

# Three of them may fail before a lease lapses.
RENEWALS_PER_LEASE = 4


@asynccontextmanager
async def held_on(
    lease: timedelta, renewal: Callable[[], Awaitable[object]]
) -> AsyncIterator[None]:
    """Do *renewal* again and again while the block runs, so that no *lease* of it lapses.

    What it finds lost is left lost: the fences of the block's own writes tell.
    """
    stop, pause = Stop(), lease / RENEWALS_PER_LEASE

    async def renew() -> timedelta:
        try:
            await renewal()
        except StorageError as error:
            log.warning("leases not renewed; trying again", extra={"why": str(error)})
        return pause

    async def go_on() -> None:
        await stop.wait(pause)
        await repeat(renew, stop)

    renewing = asyncio.create_task(go_on())
    try:
        yield
    finally:
        stop.ask()
        await renewing
