"""Our cookies: for this site alone, out of reach of scripts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import ClassVar, Self

from fastapi import Request, Response

from clawfeed.storage.people.known_devices import DEVICE_LIFETIME
from clawfeed.storage.people.sessions import ABSOLUTE


@dataclass(frozen=True, slots=True, kw_only=True)
class SafeCookie:
    """Sets, reads and clears one cookie. *is_secure* when people reach us by https.

    Over plain http (a LAN, this machine) browsers refuse `Secure` and with it the `__Host-` name.
    """

    plain_name: ClassVar[str]
    life: ClassVar[timedelta]

    is_secure: bool

    @classmethod
    def of(cls, base_url: str) -> Self:
        return cls(is_secure=base_url.lower().startswith("https://"))

    @property
    def name(self) -> str:
        return f"__Host-{self.plain_name}" if self.is_secure else self.plain_name

    def read(self, request: Request) -> str | None:
        return request.cookies.get(self.name) or None

    def set(self, response: Response, token: str) -> None:
        self._write(response, token, int(self.life.total_seconds()))

    def clear(self, response: Response) -> None:
        self._write(response, "", 0)

    def _write(self, response: Response, value: str, max_age: int) -> None:
        # Lax and not strict: the way back from an identity provider starts at another site.
        response.set_cookie(
            self.name,
            value,
            max_age=max_age,
            path="/",
            secure=self.is_secure,
            httponly=True,
            samesite="lax",
        )


class SessionCookie(SafeCookie):
    """Who is signed in."""

    __slots__ = ()

    plain_name = "sid"
    life = ABSOLUTE


class DeviceCookie(SafeCookie):
    """That somebody signed in with this browser before; it opens nothing."""

    __slots__ = ()

    plain_name = "device"
    life = DEVICE_LIFETIME


@dataclass(frozen=True, slots=True, kw_only=True)
class BrowserCookies:
    """What a browser keeps of a sign-in."""

    session: SessionCookie
    device: DeviceCookie

    @classmethod
    def of(cls, base_url: str) -> Self:
        return cls(session=SessionCookie.of(base_url), device=DeviceCookie.of(base_url))

    def read(self, request: Request) -> tuple[str | None, str | None]:
        """The session's token and the device's."""
        return self.session.read(request), self.device.read(request)

    def set(self, response: Response, token: str, device: str) -> None:
        self.session.set(response, token)
        self.device.set(response, device)

    def clear(self, response: Response) -> None:
        """The session ends; the browser stays known."""
        self.session.clear(response)
