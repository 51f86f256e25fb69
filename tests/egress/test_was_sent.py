"""Whether anything of a failed request may have left, and that it left no more than once.

What is carried out beyond takes no second sending: the journal is the server's own.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest

from clawfeed.domain.errors import EgressError, Reason
from clawfeed.egress.politeness import Manners
from clawfeed.egress.request_and_response import Request
from clawfeed.egress.response_limits import Limits
from tests.egress.loopback_servers import (
    NOON,
    Asked,
    Exchange,
    Handler,
    StubResolver,
    answering,
    new_egress,
    reply,
    serving,
)
from tests.support.certificates import signed_by_itself

URL = "http://public.example/"
# It must ring, and not before the request has left.
SHORT = Limits(total=timedelta(seconds=2))
RESET = struct.pack("ii", 1, 0)
EFFECTS = ["POST", "PUT", "PATCH", "DELETE"]


async def _failure(handler: Handler, request: Request) -> EgressError:
    async with serving(handler) as server, new_egress(dial=Exchange(server)) as egress:
        with pytest.raises(EgressError) as caught:
            await egress.request(request)
    return caught.value


async def _refused_connection() -> EgressError:
    with socket.create_server(("127.0.0.1", 0)) as gone:
        place = f"127.0.0.1:{gone.getsockname()[1]}"
    async with new_egress(allow=place) as egress:
        with pytest.raises(EgressError) as caught:
            await egress.request(Request(url=f"http://{place}/", method="POST", body=b"x"))
    return caught.value


async def _guards_refusal() -> EgressError:
    async with new_egress() as egress:
        with pytest.raises(EgressError) as caught:
            await egress.request(Request(url="http://10.0.0.1/", method="POST", body=b"x"))
    return caught.value


async def _name_of_a_private_address() -> EgressError:
    resolver = StubResolver({"public.example": [["10.0.0.1"]]})
    async with new_egress(resolver=resolver) as egress:
        with pytest.raises(EgressError) as caught:
            await egress.request(Request(url=URL))
    return caught.value


async def _unknown_name() -> EgressError:
    error = socket.gaierror(socket.EAI_NONAME, "no")
    async with new_egress(resolver=StubResolver({"public.example": error})) as egress:
        with pytest.raises(EgressError) as caught:
            await egress.request(Request(url=URL))
    return caught.value


async def _name_server_that_hangs() -> EgressError:
    async with new_egress(resolver=StubResolver({"public.example": "TIMEOUT"})) as egress:
        with pytest.raises(EgressError) as caught:
            await egress.request(Request(url=URL, limits=SHORT))
    return caught.value


async def _site_at_rest() -> EgressError:
    async with new_egress() as egress:
        egress.impose("public.example", NOON + timedelta(hours=1))
        with pytest.raises(EgressError) as caught:
            await egress.request(Request(url=URL))
    return caught.value


async def _full_queue() -> EgressError:
    manners = Manners(at_once=1, spacing=timedelta(0), patience=timedelta(milliseconds=20))
    is_asked = asyncio.Event()

    async def hold(_: Asked, __: asyncio.StreamWriter) -> None:
        is_asked.set()
        await asyncio.sleep(3600)

    async with (
        serving(hold) as server,
        new_egress(dial=Exchange(server), manners=manners) as egress,
    ):
        first = asyncio.create_task(egress.request(Request(url=URL)))
        await is_asked.wait()
        with pytest.raises(EgressError) as caught:
            await egress.request(Request(url=URL))
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
    return caught.value


NOT_SENT: dict[str, tuple[Callable[[], Awaitable[EgressError]], Reason]] = {
    "refused connection": (_refused_connection, Reason.UNREACHABLE),
    "guard": (_guards_refusal, Reason.BLOCKED),
    "name of a private address": (_name_of_a_private_address, Reason.BLOCKED),
    "unknown name": (_unknown_name, Reason.UNREACHABLE),
    "name server that hangs": (_name_server_that_hangs, Reason.TIMED_OUT),
    "site at rest": (_site_at_rest, Reason.BUSY),
    "full queue": (_full_queue, Reason.BUSY),
}


@pytest.mark.parametrize("name", NOT_SENT)
async def test_what_failed_before_a_connection_was_not_sent(name: str) -> None:
    fail, reason = NOT_SENT[name]

    error = await fail()

    assert (error.reason, error.was_sent) == (reason, False)


async def test_a_certificate_that_is_not_trusted_keeps_the_request_here(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    context = signed_by_itself(tmp_path_factory.mktemp("tls"), "IP:127.0.0.1").context()

    async def hear(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    async with await asyncio.start_server(hear, "127.0.0.1", 0, ssl=context) as server:
        place = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        async with new_egress(allow=place) as egress:
            with pytest.raises(EgressError) as caught:
                await egress.request(Request(url=f"https://{place}/", method="POST", body=b"x"))

    assert "signed itself" in caught.value.detail
    assert caught.value.was_sent is False


async def _silence(_: Asked, __: asyncio.StreamWriter) -> None:
    await asyncio.sleep(3600)


async def _reset(_: Asked, writer: asyncio.StreamWriter) -> None:
    sock = writer.get_extra_info("socket")
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
    writer.transport.abort()


async def _half_an_answer(_: Asked, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 X\r\ncontent-length: 100\r\n\r\nhalf")
    await writer.drain()
    writer.close()


async def _hang_up(_: Asked, writer: asyncio.StreamWriter) -> None:
    writer.close()


async def _nonsense(_: Asked, writer: asyncio.StreamWriter) -> None:
    writer.write(b"220 mail.example ESMTP\r\n\r\n")


SENT: dict[str, tuple[Handler, Reason]] = {
    "time-out": (_silence, Reason.TIMED_OUT),
    "reset after accepting": (_reset, Reason.UNREACHABLE),
    "closed without an answer": (_hang_up, Reason.UNREACHABLE),
    "half an answer": (_half_an_answer, Reason.UNREACHABLE),
    "no HTTP": (_nonsense, Reason.UNREADABLE),
    "too large": (answering(200, b"x" * 600_000), Reason.TOO_LARGE),
    "redirect to nowhere": (answering(302), Reason.UNREADABLE),
    "redirect to a private address": (answering(302, location="http://10.0.0.1/"), Reason.BLOCKED),
}


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("name", SENT)
async def test_what_failed_after_the_request_was_written_may_have_left(
    name: str, method: str
) -> None:
    handler, reason = SENT[name]
    limits = SHORT if reason is Reason.TIMED_OUT else Limits()

    error = await _failure(handler, Request(url=URL, method=method, limits=limits))

    assert (error.reason, error.was_sent) == (reason, True)


async def test_a_hop_that_was_sent_counts_when_the_next_one_is_not() -> None:
    """The first host was asked; the second has no address."""
    gone = socket.gaierror(socket.EAI_NONAME, "no")
    resolver = StubResolver({"gone.example": gone})
    moved = answering(302, location="http://gone.example/")
    async with (
        serving(moved) as server,
        new_egress(dial=Exchange(server), resolver=resolver) as egress,
    ):
        with pytest.raises(EgressError) as caught:
            await egress.request(Request(url=URL))

    assert (caught.value.reason, caught.value.was_sent) == (Reason.UNREACHABLE, True)


@asynccontextmanager
async def _resetting() -> AsyncIterator[str]:
    """Resets every connection at once, with whatever was written to it unread."""

    async def reset(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        sock = writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        writer.transport.abort()

    async with await asyncio.start_server(reset, "127.0.0.1", 0) as server:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def test_a_reset_before_any_byte_was_read_is_not_told_from_one_after() -> None:
    async with _resetting() as place, new_egress(allow=place) as egress:
        with pytest.raises(EgressError) as caught:
            await egress.request(Request(url=f"http://{place}/", method="POST", body=b"x"))

    assert (caught.value.reason, caught.value.was_sent) == (Reason.UNREACHABLE, True)


@pytest.mark.parametrize("ending", [_hang_up, _reset], ids=["closed", "reset"])
@pytest.mark.parametrize("method", [*EFFECTS, "GET once"])
async def test_what_has_effects_arrives_at_most_once(method: str, ending: Handler) -> None:
    """F19: the server carries it out and breaks the connection; nobody tries again."""
    verb, _, once = method.partition(" ")
    request = Request(url=URL, method=verb, is_once=bool(once))
    async with serving(ending) as server, new_egress(dial=Exchange(server)) as egress:
        with pytest.raises(EgressError) as caught:
            await egress.request(request)

    assert [asked.line for asked in server.seen] == [f"{verb} / HTTP/1.1"]
    assert caught.value.was_sent is True


async def test_a_question_is_repeated_on_a_connection_that_broke() -> None:
    """A feed's server closed what it had kept: no failure of the source."""

    async def every_second(_: Asked, writer: asyncio.StreamWriter) -> None:
        if len(server.seen) == 2:
            writer.close()
        else:
            writer.write(reply(200))

    async with serving(every_second) as server, new_egress(dial=Exchange(server)) as egress:
        answers = [await egress.request(Request(url=URL)) for _ in range(2)]

    assert [answer.status for answer in answers] == [200, 200]
    assert len(server.seen) == 3


@pytest.mark.parametrize("method", EFFECTS)
async def test_what_has_effects_never_leaves_on_a_connection_that_was_used(method: str) -> None:
    """One kept alive may be closed by its server just as we write: then nobody could tell."""

    async def close_the_used(asked: Asked, writer: asyncio.StreamWriter) -> None:
        if writer in used:
            writer.close()
            return
        used.append(writer)
        writer.write(reply(200, asked.body))

    used: list[asyncio.StreamWriter] = []
    async with serving(close_the_used) as server, new_egress(dial=Exchange(server)) as egress:
        await egress.request(Request(url=URL))
        answers = [
            await egress.request(Request(url=URL, method=method, body=b"%d" % number))
            for number in range(2)
        ]

    assert [answer.body for answer in answers] == [b"0", b"1"]
    assert (len(server.seen), server.connections) == (3, 3)
