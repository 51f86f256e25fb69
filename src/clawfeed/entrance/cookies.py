"""The session's cookie: for this site alone, out of reach of scripts."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import Request, Response

from clawfeed.storage.sessions import ABSOLUTE


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionCookie:
    """Sets, reads and clears it. *is_secure* when people reach us by https.

    Over plain http (a LAN, this machine) browsers refuse `Secure` and with it the `__Host-` name.
    """

    is_secure: bool

    @classmethod
    def of(cls, base_url: str) -> SessionCookie:
        return cls(is_secure=base_url.lower().startswith("https://"))

    @property
    def name(self) -> str:
        return "__Host-sid" if self.is_secure else "sid"

    def read(self, request: Request) -> str | None:
        return request.cookies.get(self.name) or None

    def set(self, response: Response, token: str) -> None:
        self._write(response, token, int(ABSOLUTE.total_seconds()))

    def clear(self, response: Response) -> None:
        self._write(response, "", 0)

    def _write(self, response: Response, value: str, max_age: int) -> None:
        response.set_cookie(
            self.name,
            value,
            max_age=max_age,
            path="/",
            secure=self.is_secure,
            httponly=True,
            samesite="lax",
        )
