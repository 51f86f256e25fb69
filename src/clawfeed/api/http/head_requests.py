"""`HEAD` wherever there is `GET`: the same answer without its body (RFC 9110, 9.3.2)."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send


class HeadRequests:
    """ASGI middleware; the routes see a `GET`, so that none of them can forget `HEAD`."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return

        is_over = False

        async def send_without_body(message: Message) -> None:
            """The head, and then the end: a stream would last for ever, to nobody's use."""
            nonlocal is_over
            if is_over:
                return
            if message["type"] == "http.response.body":
                is_over, message = True, {**message, "body": b"", "more_body": False}
            await send(message)

        await self._app({**scope, "method": "GET"}, receive, send_without_body)
