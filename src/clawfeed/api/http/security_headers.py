"""Security headers on every answer, whoever made it."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send

CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' https: data:; "
    "font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types clawfeed"
)

HEADERS = [
    (b"content-security-policy", CONTENT_SECURITY_POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    # Nothing to others, and to ourselves where a form was sent from: with `no-referrer` browsers
    # hide even that, and a form could not prove that it is ours.
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
]

# Where people come by https, browsers never try without again: two years, as their lists want it.
# For this name alone: what else is under it is not ours to decide.
HTTPS_ONLY = (b"strict-transport-security", b"max-age=63072000")


class SecurityHeaders:
    """ASGI middleware; outermost, so that even a crash page carries them."""

    def __init__(self, app: ASGIApp, *, is_https: bool = False) -> None:
        self._app = app
        self._headers = [*HEADERS, HTTPS_ONLY] if is_https else HEADERS

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                present = {name.lower() for name, _ in message["headers"]}
                message["headers"] = [
                    *message["headers"],
                    *(header for header in self._headers if header[0] not in present),
                ]
            await send(message)

        await self._app(scope, receive, send_with_headers)
