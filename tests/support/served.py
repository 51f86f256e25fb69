"""An application behind a real socket, and a plain client for it."""

from __future__ import annotations

import asyncio
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
        async with self._session.get(path, headers=headers) as answer:
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
        async with aiohttp.ClientSession(f"http://127.0.0.1:{workshop.port}") as session:
            yield Client(session)
    finally:
        workshop.stop()
        await running
