"""The cookie of a browser that is on its way to a provider and back (T16).

It binds the sign-in to the browser that began it: a link with somebody else's code, opened in
another browser, finishes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import Request, Response

from clawfeed.storage.oidc_flows import LIFE


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingCookie:
    """Sets, reads and clears it; *is_secure* as for the session's cookie."""

    is_secure: bool

    @classmethod
    def of(cls, base_url: str) -> PendingCookie:
        return cls(is_secure=base_url.lower().startswith("https://"))

    @property
    def name(self) -> str:
        return "__Host-oidc" if self.is_secure else "oidc"

    def read(self, request: Request) -> str | None:
        return request.cookies.get(self.name) or None

    def set(self, response: Response, token: str) -> None:
        self._write(response, token, int(LIFE.total_seconds()))

    def clear(self, response: Response) -> None:
        self._write(response, "", 0)

    def _write(self, response: Response, value: str, max_age: int) -> None:
        # Lax and not strict: the way back from the provider starts at another site.
        response.set_cookie(
            self.name,
            value,
            max_age=max_age,
            path="/",
            secure=self.is_secure,
            httponly=True,
            samesite="lax",
        )
