"""No request body over 1 MiB, whether it says its length or not (T26)."""

from __future__ import annotations

from typing import Final

from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from clawfeed.api.http.problems import problem

LARGEST_BODY: Final = 1024 * 1024


class BodyLimit:
    """ASGI middleware. A body that declares its length is refused before it is read."""

    def __init__(self, app: ASGIApp, largest: int = LARGEST_BODY) -> None:
        self._app = app
        self._largest = largest
        self._text = f"a request body may have {largest // 1024} KiB at most"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif _declared(scope) > self._largest:
            await problem(413, self._text, {"Connection": "close"})(scope, receive, send)
        else:
            await self._app(scope, self._counting(receive), send)

    def _counting(self, receive: Receive) -> Receive:
        """*receive*, until too much came through it."""
        left = self._largest

        async def counted() -> Message:
            nonlocal left
            message = await receive()
            left -= len(message.get("body", b""))
            if left < 0:
                raise HTTPException(413, self._text, {"Connection": "close"})
            return message

        return counted


def _declared(scope: Scope) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit() and len(value) < 20:
            return int(value)
    return 0
