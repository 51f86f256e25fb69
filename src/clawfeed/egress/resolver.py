"""Names to addresses, in threads of our own, with every answer checked before it is used."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import zip_longest
from threading import Thread
from typing import Any

from aiohttp.abc import AbstractResolver, ResolveResult

from clawfeed.domain.errors import EgressError, Reason
from clawfeed.egress.failures import AddressRefusedError
from clawfeed.egress.guard import Guard

# getaddrinfo cannot be cancelled. These threads are daemons and not the loop's own pool, so that
# name servers that hang (F14) neither starve the rest of the house nor hold up its exit.
LOOKUPS_AT_ONCE = 32

# Checking one address costs up to 120 µs, in the loop. The largest honest answers hold a dozen or
# two; an answer of thousands is there to be expensive.
MOST_ADDRESSES = 64
# Each is a connection attempt that somebody out there sees, and aiohttp repeats those that fail.
MOST_DIALLED = 8

_NUMERIC = socket.AI_NUMERICHOST | socket.AI_NUMERICSERV


class SystemResolver(AbstractResolver):
    """Asks the operating system."""

    def __init__(self) -> None:
        self._free = asyncio.Semaphore(LOOKUPS_AT_ONCE)

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        await self._free.acquire()
        lookup = _Lookup(asyncio.get_running_loop(), self._free)
        try:
            Thread(target=lookup.run, args=(host, port, family), daemon=True).start()
        except RuntimeError:
            self._free.release()
            raise socket.gaierror(socket.EAI_AGAIN, "no thread for a lookup") from None
        return [_result(host, port, info) for info in await lookup.answer]

    async def close(self) -> None:
        return


class GuardedResolver(AbstractResolver):
    """Refuses a whole answer that holds one address we may not dial.

    Not the guard itself (IP literals never come here): it makes mixed answers fail as one,
    instead of by luck of the draw.
    """

    def __init__(self, inner: AbstractResolver, guard: Guard) -> None:
        self._inner = inner
        self._guard = guard

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        found = await self._inner.resolve(host, port, family)
        if not found:
            raise socket.gaierror(socket.EAI_NONAME, "no address")
        try:
            _refuse_many(host, found)
            for result in found:
                self._guard.check_address(host, result["host"], port)
        except EgressError as refusal:
            raise AddressRefusedError(refusal) from None
        return _few(found)

    async def close(self) -> None:
        await self._inner.close()


def _refuse_many(host: str, found: list[ResolveResult]) -> None:
    if len(found) > MOST_ADDRESSES:
        raise EgressError(
            Reason.BLOCKED,
            f"{host} has {len(found)} addresses in the DNS, and we look at {MOST_ADDRESSES}.",
        )


def _few(found: list[ResolveResult]) -> list[ResolveResult]:
    """The first of each family in turn: a family without a route must not use up all tries."""
    families: dict[int, list[ResolveResult]] = {}
    for result in found:
        families.setdefault(result["family"], []).append(result)
    turns = zip_longest(*families.values())
    kept = [result for turn in turns for result in turn if result is not None][:MOST_DIALLED]
    return [result for result in found if result in kept]


class _Lookup:
    """One question to the operating system, asked in a thread and answered in the loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop, free: asyncio.Semaphore) -> None:
        self._loop = loop
        self._free = free
        self.answer: asyncio.Future[list[Any]] = loop.create_future()

    def run(self, host: str, port: int, family: int) -> None:
        settle: Callable[[], None]
        try:
            found = socket.getaddrinfo(
                host, port, family, socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG
            )
            settle = partial(self.answer.set_result, found)
        except (OSError, UnicodeError) as error:
            settle = partial(self.answer.set_exception, error)
        # A closed loop has no one waiting any more.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._deliver, settle)

    def _deliver(self, settle: Callable[[], None]) -> None:
        # The place is free when the thread ends, not when its asker gave up.
        self._free.release()
        if not self.answer.done():
            settle()


def _result(host: str, port: int, info: tuple[Any, ...]) -> ResolveResult:
    family, _, proto, _, address = info
    # A zone (fe80::1%eth0) stays part of the text and is refused by the guard.
    return ResolveResult(
        hostname=host, host=address[0], port=port, family=family, proto=proto, flags=_NUMERIC
    )
