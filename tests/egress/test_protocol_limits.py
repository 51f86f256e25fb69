"""Servers that send much around little, or more than was asked: on both event loops (T6, I9).

uvloop, which the product runs on, hands over 256 KiB at a time and many times in a row.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from threading import Event, Thread
from typing import Any

import aiohttp
import aiohttp.http_exceptions
import pytest
import uvloop
from aiohttp.client_proto import ResponseHandler
from aiohttp.http import RawResponseMessage
from aiohttp.streams import StreamReader

from clawfeed.domain.errors import EgressError, Reason
from clawfeed.egress.client import Egress
from clawfeed.egress.dialler import AddrInfo
from clawfeed.egress.protocol_limits import MOST_INTERIM, ProtocolLimits, watch
from clawfeed.egress.request_and_response import Request, Response
from tests.egress.loopback_servers import (
    Asked,
    Exchange,
    Handler,
    RawServer,
    new_egress,
    reply,
    serving,
)

LOOPS: dict[str, Callable[[], asyncio.AbstractEventLoop]] = {
    "asyncio": asyncio.new_event_loop,
    "uvloop": uvloop.new_event_loop,
}
ASK = Request(url="http://public.example/")
OK = b"HTTP/1.1 200 X\r\ncontent-length: 2\r\n\r\nok"
CHUNKED = b"HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n"
INTERIM = b"HTTP/1.1 103 \r\n\r\n"
# What we took, what the two kernels hold for us, and some air; unbounded it is megabytes a second.
FEW_BYTES = 1_000_000
KERNELS_HOLD = 65_536


def _run(loop: str, work: Coroutine[Any, Any, Response]) -> Response:
    with asyncio.Runner(loop_factory=LOOPS[loop]) as runner:
        return runner.run(work)


@dataclass
class Flood:
    """Sends *first* when asked, and *then* for ever, from a thread that nothing holds up."""

    first: bytes
    then: bytes
    port: int = 0
    sent: int = 0
    may_go_on: Event = field(default_factory=Event)
    is_cut: Event = field(default_factory=Event)

    def serve(self, listener: socket.socket) -> None:
        with suppress(OSError):
            client, _ = listener.accept()
            with client:
                client.recv(65536)
                client.sendall(self.first)
                self.may_go_on.wait(10)
                self._pour(client)

    def _pour(self, client: socket.socket) -> None:
        piece = self.then * (16_384 // len(self.then) + 1)
        try:
            while True:
                self.sent += client.send(piece)
        except OSError:
            self.is_cut.set()


class Narrow(Exchange):
    """Connections whose kernels hold little, so that what was sent is nearly what was taken."""

    def __call__(self, info: AddrInfo) -> socket.socket:
        sock = super().__call__(info)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, KERNELS_HOLD)
        return sock


@contextmanager
def flooding(first: bytes, then: bytes) -> Iterator[Flood]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, KERNELS_HOLD)
        flood = Flood(first, then, port=listener.getsockname()[1])
        thread = Thread(target=flood.serve, args=(listener,), daemon=True)
        thread.start()
        yield flood
    flood.may_go_on.set()
    thread.join(10)


async def _ask(
    server: Flood, after: Callable[[Egress], Awaitable[object]] | None = None
) -> Response:
    raw = RawServer(_unused)
    raw.port = server.port
    async with new_egress(dial=Narrow(raw)) as egress:
        response = await egress.request(ASK)
        if after is not None:
            await after(egress)
        return response


async def _unused(_: Asked, __: asyncio.StreamWriter) -> None:
    raise AssertionError


AROUND = {
    "interim answers": (b"", INTERIM, Reason.UNREADABLE, "again and again"),
    "empty lines": (b"", b"\r\n", Reason.TOO_LARGE, "more headers than we take"),
    "headers": (
        b"HTTP/1.1 200 X\r\n",
        b"a: " + b"b" * 16_000 + b"\r\n",
        Reason.TOO_LARGE,
        "more headers than we take",
    ),
    "a chunk's extension": (CHUNKED + b"5;", b"a", Reason.UNREADABLE, "packaging"),
    "chunks of one byte": (CHUNKED, b"1\r\nx\r\n", Reason.UNREADABLE, "packaging"),
}


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("name", AROUND)
def test_what_comes_around_a_body_is_bounded_too(name: str, loop: str) -> None:
    """T6: ended by the bytes taken, not by the time limit; the sentence says of what."""
    first, then, reason, sentence = AROUND[name]
    with flooding(first, then) as server:
        server.may_go_on.set()

        with pytest.raises(EgressError) as caught:
            _run(loop, _ask(server))

        assert server.is_cut.wait(30)
        assert server.sent < FEW_BYTES
    assert caught.value.reason is reason
    assert sentence in caught.value.detail


AFTERWARDS = {
    "answers": b"HTTP/1.1 200 X\r\ncontent-length: 0\r\n\r\n",
    "interim answers": INTERIM,
    "empty lines": b"\r\n",
    "junk": b"x" * 64,
}


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("name", AFTERWARDS)
def test_what_comes_after_the_answer_only_closes_the_connection(name: str, loop: str) -> None:
    """I9: on an idle connection there is nobody to fail, and nothing is kept."""

    async def until_cut(_: Egress) -> None:
        server.may_go_on.set()
        # Were it read until idle connections are closed, that would be more than a few bytes.
        assert await asyncio.to_thread(server.is_cut.wait, 30)

    with flooding(OK, AFTERWARDS[name]) as server:
        response = _run(loop, _ask(server, until_cut))

        assert server.sent < FEW_BYTES
    assert response.body == b"ok"


async def _ask_twice(handler: Handler) -> tuple[list[bytes], int]:
    async with serving(handler) as server, new_egress(dial=Exchange(server)) as egress:
        bodies = [(await egress.request(ASK)).body for _ in range(2)]
        return bodies, server.connections


@pytest.mark.parametrize("planted", [1, 3000])
@pytest.mark.parametrize("loop", LOOPS)
def test_answers_that_nobody_asked_for_are_never_another_requests(loop: str, planted: int) -> None:
    """The first of several is the answer; the rest goes with the connection."""

    async def handler(_: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(reply(200, b"mine") + reply(200, b"planted") * planted)

    with asyncio.Runner(loop_factory=LOOPS[loop]) as runner:
        bodies, connections = runner.run(_ask_twice(handler))

    assert bodies == [b"mine", b"mine"]
    assert connections == 2


# What `egress.protocol_limits` and `egress.cancellation` lean on without aiohttp promising it.
LEANED_ON: dict[type, str] = {
    ResponseHandler: "data_received feed_data set_response_params pause_reading resume_reading "
    "connection_lost force_close set_exception transport",
    StreamReader: "total_bytes is_eof set_exception",
    aiohttp.ClientResponse: "connection close",
    aiohttp.http_exceptions.LineTooLong: "message",
}
MOVED = "egress leans on it to hold floods: find its new place before the cap on aiohttp is raised"


@pytest.mark.parametrize("owner", LEANED_ON)
def test_aiohttp_still_has_what_we_lean_on(owner: type) -> None:
    """The version is capped in pyproject.toml; this speaks to who lifts the cap."""
    gone = [name for name in LEANED_ON[owner].split() if not hasattr(owner, name)]

    assert gone == [], f"aiohttp {aiohttp.__version__} has no {owner.__name__}.{gone}; {MOVED}"


async def test_aiohttp_still_makes_its_connections_where_we_look() -> None:
    async with aiohttp.TCPConnector() as connector:
        made = getattr(connector, "_factory", lambda: None)()

        assert isinstance(made, ResponseHandler), f"TCPConnector._factory is gone; {MOVED}"


async def test_a_connector_that_cannot_be_watched_is_no_connector() -> None:
    """Setting an attribute that nobody reads would leave the flood gates open without a word."""
    connector = aiohttp.TCPConnector()
    del connector._factory

    with pytest.raises(RuntimeError, match="makes its connections elsewhere"):
        watch(connector)

    await connector.close()


class _Counting(ProtocolLimits):
    messages = 0

    def feed_data(self, data: tuple[RawResponseMessage, StreamReader], size: int = 0) -> None:
        self.messages += 1
        super().feed_data(data, size)


async def test_a_flood_is_noticed_before_all_of_it_is_read() -> None:
    """I9: uvloop hands over 256 KiB at once; 16,384 interim answers would cost 160 ms."""
    loop = asyncio.get_running_loop()
    ours, theirs = socket.socketpair()
    with theirs:
        _, wire = await loop.create_connection(lambda: _Counting(loop), sock=ours)
        wire.set_response_params()

        wire.data_received(INTERIM * 16_384)

    assert MOST_INTERIM < wire.messages < 2000
    assert not wire.is_connected()


def _chunked(body: bytes, size: int) -> bytes:
    pieces = (body[at : at + size] for at in range(0, len(body), size))
    return CHUNKED + b"".join(b"%x\r\n%s\r\n" % (len(p), p) for p in pieces) + b"0\r\n\r\n"


TEXT = b"0123456789abcdef" * 28_125  # 450 KB
HONEST: dict[str, tuple[bytes, bytes]] = {
    "at once": (reply(200, TEXT), TEXT),
    "large chunks": (_chunked(TEXT, 16_384), TEXT),
    "small chunks": (_chunked(TEXT, 5), TEXT),
    "chunks of one byte": (_chunked(TEXT[:30_000], 1), TEXT[:30_000]),
    "large headers": (reply(200, b"ok", x_policy="p" * 16_000), b"ok"),
    "interim answers first": (INTERIM * 3 + b"HTTP/1.1 102 X\r\n\r\n" * 5 + OK, b"ok"),
    "no body": (b"HTTP/1.1 204 X\r\n\r\n", b""),
    "not modified": (b"HTTP/1.1 304 X\r\ncontent-length: 5\r\n\r\n", b""),
}


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("name", HONEST)
def test_an_honest_answer_arrives_whole_and_its_connection_is_used_again(
    name: str, loop: str
) -> None:
    raw, body = HONEST[name]

    async def handler(_: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(raw)

    with asyncio.Runner(loop_factory=LOOPS[loop]) as runner:
        bodies, connections = runner.run(_ask_twice(handler))

    assert bodies == [body, body]
    assert connections == 1
