"""Who may ask: deny by default, a Bearer API key for operators."""

from __future__ import annotations

import hmac
from collections.abc import Callable

from fastapi import HTTPException, Request

from clawfeed.domain.secret import Secret


def operator_only(api_key: Secret | None) -> Callable[[Request], None]:
    """A dependency that lets only the holder of *api_key* in (S000-17)."""

    def check(request: Request) -> None:
        if api_key is None:
            raise _refusal("no API key is set up: set API_KEY and restart")
        given = request.headers.get("authorization", "")
        if not hmac.compare_digest(given.encode(), f"Bearer {api_key.reveal()}".encode()):
            raise _refusal("give the API key as a Bearer token")

    return check


def _refusal(detail: str) -> HTTPException:
    return HTTPException(401, detail, headers={"WWW-Authenticate": "Bearer"})
