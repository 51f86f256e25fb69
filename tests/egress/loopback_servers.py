"""A small world on loopback.

A raw server that may misbehave, a DNS that says what it is told, and a telephone exchange that
notes every number dialled and connects it to our server.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from aiohttp.abc import AbstractResolver, ResolveResult

from clawfeed.egress.client import Egress, EgressConfig
from clawfeed.egress.dialler import AddrInfo
from clawfeed.egress.politeness import Manners

PUBLIC = "93.184.216.34"
NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)
HURRIED = Manners(at_once=50, spacing=timedelta(0))


@dataclass
class Clock:
    now: datetime = NOON

    def __call__(self) -> datetime:
        return self.now


class StubResolver(AbstractResolver):
    """Answers from a table; a list of lists answers one after the other, then the last again."""

    def __init__(self, answers: Mapping[str, Any] | None = None) -> None:
        self.answers = dict(answers or {})
        self.asked: list[str] = []

    async def resolve(
        self,
        host: str,
        port: int = 0,
        family: socket.AddressFamily = socket.AF_UNSPEC,  # noqa: ARG002 - the table decides
    ) -> list[ResolveResult]:
        self.asked.append(host)
        answer = self.answers.get(host.rstrip("."), [[PUBLIC]])
        if isinstance(answer, Exception):
            raise answer
        if answer == "TIMEOUT":
            await asyncio.sleep(3600)
        turn = min(self.asked.count(host), len(answer)) - 1
        return [_result(host, ip, port) for ip in answer[turn]]

    async def close(self) -> None:
        return


def _result(host: str, ip: str, port: int) -> ResolveResult:
    kind = socket.AF_INET6 if ":" in ip else socket.AF_INET
    return ResolveResult(hostname=host, host=ip, port=port, family=kind, proto=0, flags=0)


class _Detour(socket.socket):
    """Believes it connects to a public address; reaches our loopback server."""

    detour: tuple[str, int]

    def connect(self, address: Any) -> None:  # noqa: ARG002 - the point
        super().connect(self.detour)


@dataclass
class Exchange:
    """Notes every address dialled. Without a server behind it, no call goes through."""

    server: RawServer | None = None
    dialled: list[tuple[str, int]] = field(default_factory=list)

    def __call__(self, info: AddrInfo) -> socket.socket:
        self.dialled.append(info[4][:2])
        if self.server is None:
            raise OSError(113, "no route to host")
        sock = _Detour(socket.AF_INET, socket.SOCK_STREAM)
        sock.detour = ("127.0.0.1", self.server.port)
        return sock


@dataclass
class Asked:
    """One request as the server saw it."""

    line: str
    headers: dict[str, str]
    body: bytes

    @property
    def path(self) -> str:
        return self.line.split()[1]


Handler = Callable[[Asked, asyncio.StreamWriter], Awaitable[None]]


class RawServer:
    """Speaks whatever bytes its handler writes."""

    def __init__(self, handler: Handler) -> None:
        self._handler = handler
        self.port = 0
        self.seen: list[Asked] = []
        self.connections = 0
        self.most_at_once = 0
        self._inside = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while asked := await _read_request(reader):
                self.seen.append(asked)
                self._inside += 1
                self.most_at_once = max(self.most_at_once, self._inside)
                try:
                    await self._handler(asked, writer)
                    await writer.drain()
                finally:
                    self._inside -= 1
        writer.close()


async def _read_request(reader: asyncio.StreamReader) -> Asked | None:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    line, *fields = head.strip().split("\r\n")
    headers = {name.lower(): value for name, _, value in (f.partition(": ") for f in fields)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Asked(line=line, headers=headers, body=body)


@asynccontextmanager
async def serving(handler: Handler) -> AsyncIterator[RawServer]:
    raw = RawServer(handler)
    server = await asyncio.start_server(raw.serve, "127.0.0.1", 0)
    raw.port = server.sockets[0].getsockname()[1]
    tasks_before = asyncio.all_tasks()
    try:
        yield raw
    finally:
        server.close()
        mine = [t for t in asyncio.all_tasks() - tasks_before if "serve" in repr(t.get_coro())]
        for task in mine:
            task.cancel()
        await asyncio.gather(*mine, return_exceptions=True)


def reply(status: int = 200, body: bytes = b"", **headers: str) -> bytes:
    """A whole HTTP answer; header names are written with underscores."""
    fields = {name.replace("_", "-"): value for name, value in headers.items()}
    fields.setdefault("content-length", str(len(body)))
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"HTTP/1.1 {status} X\r\n{head}\r\n".encode() + body


def answering(*args: Any, **kwargs: Any) -> Handler:
    async def handler(_: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(reply(*args, **kwargs))

    return handler


def new_egress(
    *,
    allow: str = "",
    manners: Manners = HURRIED,
    clock: Clock | None = None,
    resolver: AbstractResolver | None = None,
    dial: Exchange | None = None,
) -> Egress:
    extra: dict[str, Any] = {"dial": dial} if dial is not None else {}
    return Egress(
        EgressConfig(allow=allow, manners=manners),
        clock=clock or Clock(),
        dice=lambda: 0.5,
        resolver=resolver or StubResolver(),
        **extra,
        has_route=lambda: True,
    )
