"""An application behind a real socket, and a plain client for it."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp
from starlette.types import ASGIApp

from clawfeed.app.listening import HttpWorkshop


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A whole answer, read."""

    status: int
    headers: Mapping[str, str]
    content_type: str
    text: str

    def json(self) -> Any:
        return json.loads(self.text)


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


@asynccontextmanager
async def served(app: ASGIApp) -> AsyncIterator[Client]:
    """A client whose paths reach *app*."""
    workshop = HttpWorkshop(app, host="127.0.0.1", port=0, base_url="http://test")
    running = asyncio.create_task(workshop.run())
    try:
        async with aiohttp.ClientSession(
            f"http://127.0.0.1:{workshop.port}", cookie_jar=aiohttp.DummyCookieJar()
        ) as session:
            yield Client(session)
    finally:
        workshop.stop()
        await running
