"""HTTP/1.1 as a server speaks it, written out by hand so that it can also be spoken badly."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import cast
from urllib.parse import parse_qs, unquote

LARGEST_HEAD = 64 * 1024
LARGEST_BODY = 4 * 1024 * 1024
Headers = tuple[tuple[str, str], ...]

_PHRASES = {status.value: status.phrase for status in HTTPStatus}


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a client asked. Header names are in lower case; *path* is decoded, without the query."""

    method: str
    path: str
    query: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    peer: str = ""
    is_last: bool = False  # the client wants the connection closed afterwards

    def parameter(self, name: str, default: str = "") -> str:
        return parse_qs(self.query).get(name, [default])[-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """What goes over the wire, before anybody spoils it."""

    status: int = 200
    headers: Headers = ()
    body: bytes = b""
    is_head: bool = False  # an answer to HEAD: the length is told, the body stays

    def head(self, *, without: str = "") -> bytes:
        """Status line and headers with the closing blank line; *without* one header, if asked."""
        lines = [f"HTTP/1.1 {self.status} {_PHRASES.get(self.status, 'Odd')}"]
        lines += [f"{name}: {value}" for name, value in self.headers if name != without]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")

    def encode(self) -> bytes:
        return self.head() if self.is_head else self.head() + self.body


class Wire:
    """The connection in the hands of a performance, which may break every rule with it."""

    def __init__(self, connection: Connection, transport: asyncio.Transport) -> None:
        self._connection = connection
        self._transport = transport

    async def send(self, data: bytes) -> None:
        """Write, and wait until the other side has taken most of it."""
        self._transport.write(data)
        await asyncio.sleep(0)  # an endless sender must let the others live
        await self._connection.writable.wait()

    def end_writing(self) -> None:
        """Send FIN and go on listening."""
        self._transport.write_eof()

    def reset(self) -> None:
        """Throw the connection away with RST instead of FIN."""
        sock = self._transport.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._transport.abort()

    async def wait_for_ever(self) -> None:
        """Silence, until the client gives up (the connection's end cancels the performance)."""
        await asyncio.Event().wait()


Performance = Callable[[Wire], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """How to answer one request: plainly, after a *hold* (seconds), or with a performance."""

    response: Response
    done: Callable[[], None]
    hold: float = 0.0
    perform: Performance | None = None


Handler = Callable[[Request], Exchange]


class Connection(asyncio.Protocol):
    """One client. Requests are answered strictly in order, however many were pipelined."""

    def __init__(self, handle: Handler, connections: set[Connection]) -> None:
        self.writable = asyncio.Event()
        self.writable.set()
        self._handle = handle
        self._connections = connections
        self._buffer = bytearray()
        self._transport: asyncio.Transport | None = None
        self._task: asyncio.Task[None] | None = None
        self._peer = ""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # TCP has no other kind; uvloop's does not inherit from asyncio's.
        self._transport = cast("asyncio.Transport", transport)
        self._connections.add(self)
        self._peer = str((transport.get_extra_info("peername") or ("",))[0])

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        self._transport = None
        self._connections.discard(self)
        if self._task:
            self._task.cancel()

    def pause_writing(self) -> None:
        self.writable.clear()

    def resume_writing(self) -> None:
        self.writable.set()

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        self._answer_all()

    def abort(self) -> None:
        if self._transport:
            self._transport.abort()

    def _answer_all(self) -> None:
        """Answer what has arrived whole; stop at a request that takes time."""
        while self._transport and not self._task and not self._transport.is_closing():
            try:
                request = self._take_request()
            except ValueError:
                self._refuse()
                return
            if request is None:
                return
            self._answer(request, self._transport)

    def _answer(self, request: Request, transport: asyncio.Transport) -> None:
        exchange = self._handle(request)
        if exchange.hold or exchange.perform:
            self._task = asyncio.get_running_loop().create_task(
                self._take_time(exchange, transport, is_last=request.is_last)
            )
            return
        transport.write(exchange.response.encode())
        exchange.done()
        if request.is_last:
            transport.close()

    async def _take_time(
        self, exchange: Exchange, transport: asyncio.Transport, *, is_last: bool
    ) -> None:
        try:
            if exchange.hold:
                await asyncio.sleep(exchange.hold)
            if exchange.perform:
                await exchange.perform(Wire(self, transport))
            else:
                transport.write(exchange.response.encode())
        finally:
            exchange.done()
            self._task = None
        if is_last or exchange.perform:
            transport.close()
        self._answer_all()

    def _refuse(self) -> None:
        if self._transport:
            headers = (("Content-Length", "0"), ("Connection", "close"))
            self._transport.write(Response(status=400, headers=headers).encode())
            self._transport.close()

    def _take_request(self) -> Request | None:
        """The next whole request, or None until more bytes come. ValueError: not HTTP."""
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            if len(self._buffer) > LARGEST_HEAD:
                raise ValueError("endless head")
            return None
        request = parse_head(bytes(self._buffer[:end]).decode("latin-1"), self._peer)
        length = int(request.headers.get("content-length", 0))
        if not 0 <= length <= LARGEST_BODY or "transfer-encoding" in request.headers:
            raise ValueError("a body we do not read")
        whole = end + 4 + length
        if len(self._buffer) < whole:
            return None
        body = bytes(self._buffer[end + 4 : whole])
        del self._buffer[:whole]
        return replace(request, body=body) if body else request


def parse_head(text: str, peer: str) -> Request:
    """Read a request's head (without the blank line). ValueError when it is none."""
    first, *lines = text.split("\r\n")
    method, target, version = first.split(" ")
    if not version.startswith("HTTP/1."):
        raise ValueError("another protocol")
    headers = {}
    for line in lines:
        name, _, value = line.partition(":")
        headers[name.lower()] = value.strip()
    path, _, query = target.partition("?")
    asked = headers.get("connection", "").lower()
    return Request(
        method=method,
        path=unquote(path) if "%" in path else path,
        query=query,
        headers=headers,
        peer=peer,
        is_last=asked == "close" or (version == "HTTP/1.0" and asked != "keep-alive"),
    )
