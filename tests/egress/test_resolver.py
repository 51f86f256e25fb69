"""Names to addresses: real look-ups of local names, in threads of our own (F14)."""

from __future__ import annotations

import asyncio
import socket
import threading

import pytest

from clawfeed.domain.errors import EgressError, Reason
from clawfeed.egress.failures import AddressRefusedError, classify
from clawfeed.egress.guard import Guard
from clawfeed.egress.request_and_response import Request
from clawfeed.egress.resolver import (
    LOOKUPS_AT_ONCE,
    MOST_DIALLED,
    GuardedResolver,
    SystemResolver,
)
from tests.egress.loopback_servers import (
    PUBLIC,
    Exchange,
    StubResolver,
    answering,
    new_egress,
    serving,
)


async def test_localhost_is_found_and_can_be_fetched_when_allowed() -> None:
    async with (
        serving(answering(200, b"here")) as server,
        new_egress(allow=f"localhost:{server.port}", resolver=SystemResolver()) as egress,
    ):
        response = await egress.request(Request(url=f"http://localhost:{server.port}/"))

    assert response.body == b"here"


async def test_a_name_that_cannot_exist_is_a_dns_error() -> None:
    with pytest.raises((socket.gaierror, UnicodeError)) as caught:
        await SystemResolver().resolve("a" * 70 + ".invalid", 80)

    assert classify(caught.value).reason in (Reason.BLOCKED, Reason.UNREACHABLE)


async def test_look_ups_that_hang_keep_to_their_own_few_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """F14: givers-up free nothing early, threads stay bounded, and all work again after."""
    gate = threading.Event()

    def hang(*_: object, **__: object) -> list[object]:
        gate.wait(10)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", hang)
    resolver, before = SystemResolver(), threading.active_count()

    async with asyncio.TaskGroup() as group:
        for number in range(2 * LOOKUPS_AT_ONCE):
            group.create_task(_give_up(resolver, f"{number}.example"))
    threads = threading.active_count() - before
    gate.set()
    found = await asyncio.wait_for(resolver.resolve("after.example", 80), 30)

    # Not equal: a thread of an earlier test may have ended meanwhile.
    assert LOOKUPS_AT_ONCE // 2 < threads <= LOOKUPS_AT_ONCE
    assert found == []


async def _give_up(resolver: SystemResolver, host: str) -> None:
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(resolver.resolve(host, 80), 0.1)


async def test_one_private_address_spoils_the_whole_answer() -> None:
    """The MIXED lines of ssrf_dns.txt, strictly."""
    stub = StubResolver({"mixed.example": [[PUBLIC, "127.0.0.1"]]})
    resolver = GuardedResolver(stub, Guard.parse(""))

    with pytest.raises(AddressRefusedError):
        await resolver.resolve("mixed.example", 80)


async def test_an_empty_answer_is_a_name_that_does_not_exist() -> None:
    resolver = GuardedResolver(StubResolver({"empty.example": [[]]}), Guard.parse(""))

    with pytest.raises(socket.gaierror):
        await resolver.resolve("empty.example", 80)


def _many(count: int) -> list[str]:
    return [f"93.184.{number >> 8}.{number & 255}" for number in range(1, count + 1)]


async def test_an_answer_of_thousands_is_refused_unread() -> None:
    """I9: 4,000 addresses stopped the loop for half a second."""
    dial = Exchange()
    stub = StubResolver({"huge.example": [_many(4000)]})

    async with new_egress(resolver=stub, dial=dial) as egress:
        with pytest.raises(EgressError) as caught:
            await egress.request(Request(url="http://huge.example/"))

    assert caught.value.reason is Reason.BLOCKED
    assert "4000 addresses" in caught.value.detail
    assert dial.dialled == []


async def test_of_many_addresses_only_a_few_are_dialled_and_of_each_family_some() -> None:
    sixes = [f"2606:4700::{number:x}" for number in range(1, 33)]
    dial = Exchange()
    stub = StubResolver({"many.example": [sixes + _many(32)]})

    async with new_egress(resolver=stub, dial=dial) as egress:
        with pytest.raises(EgressError) as caught:
            await egress.request(Request(url="http://many.example/"))

    assert caught.value.reason is Reason.UNREACHABLE
    # aiohttp tries those that failed more than once.
    addresses = {address for address, _ in dial.dialled}
    assert len(addresses) == MOST_DIALLED
    assert {":" in address for address in addresses} == {True, False}


async def test_a_private_address_is_found_behind_those_that_would_be_dialled() -> None:
    stub = StubResolver({"mixed.example": [[*_many(20), "10.0.0.1"]]})
    resolver = GuardedResolver(stub, Guard.parse(""))

    with pytest.raises(AddressRefusedError):
        await resolver.resolve("mixed.example", 80)
