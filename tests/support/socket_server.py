"""An application behind a real socket, and a plain client for it."""

from __future__ import annotations

import asyncio
import io
import json
import socket
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any, cast

import aiohttp
import uvicorn
from multidict import CIMultiDictProxy
from starlette.types import ASGIApp

from clawfeed.app.processes.http_server import server_config


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A whole answer, read."""

    status: int
    headers: Mapping[str, str]
    content_type: str
    text: str

    def json(self) -> Any:
        return json.loads(self.text)


def set_cookies(answer: Answer) -> list[str]:
    """Each `Set-Cookie` of *answer*."""
    headers = cast(CIMultiDictProxy[str], answer.headers)
    return headers.getall("Set-Cookie", [])


class Client:
    """Asks one server; every answer is read to its end."""

    def __init__(self, session: aiohttp.ClientSession) -> None:
        self._session = session

    async def get(self, path: str, headers: Mapping[str, str] | None = None) -> Answer:
        return await self.ask("GET", path, headers)

    async def post(
        self, path: str, headers: Mapping[str, str] | None = None, body: object = None
    ) -> Answer:
        return await self.ask("POST", path, headers, body)

    async def put(
        self, path: str, headers: Mapping[str, str] | None = None, body: object = None
    ) -> Answer:
        return await self.ask("PUT", path, headers, body)

    async def delete(self, path: str, headers: Mapping[str, str] | None = None) -> Answer:
        return await self.ask("DELETE", path, headers)

    @asynccontextmanager
    async def opened(
        self, path: str, headers: Mapping[str, str] | None = None
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """An answer that is read as it comes."""
        async with self._session.get(path, headers=headers) as answer:
            yield answer

    async def ask(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str] | None = None,
        body: object = None,
    ) -> Answer:
        """One request, redirects not followed; *body* is JSON unless bytes or a stream."""
        is_raw = isinstance(body, bytes | io.BytesIO | AsyncIterator)
        raw, plain = (body, None) if is_raw else (None, body)
        async with self._session.request(
            method, path, headers=headers, json=plain, data=raw, allow_redirects=False
        ) as answer:
            return Answer(
                status=answer.status,
                headers=answer.headers,
                content_type=answer.content_type,
                text=await answer.text(),
            )


class _Server(uvicorn.Server):
    """The product's server, without the two tenths of a second it takes to end."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.asked_to_stop = asyncio.Event()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def main_loop(self) -> None:
        await self.on_tick(0)
        await self.asked_to_stop.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for server in self.servers:
            server.close()
        for listener in sockets or ():
            listener.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        await asyncio.gather(*self.server_state.tasks, return_exceptions=True)


@asynccontextmanager
async def served(app: ASGIApp) -> AsyncIterator[Client]:
    """A client whose paths reach *app*."""
    listener = socket.create_server(("127.0.0.1", 0))
    # Inherited by each connection. asyncio sets it only where a socket names its protocol; without
    # it a body in two pieces waits 40 ms for the client's delayed acknowledgement.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    server = _Server(server_config(app))
    running = asyncio.create_task(server.serve(sockets=[listener]))
    port = listener.getsockname()[1]
    try:
        async with aiohttp.ClientSession(
            f"http://127.0.0.1:{port}", cookie_jar=aiohttp.DummyCookieJar()
        ) as session:
            yield Client(session)
    finally:
        server.asked_to_stop.set()
        await running
