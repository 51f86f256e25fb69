"""Whether a request that changes something was made from our own pages (T12).

Browsers say where a request came from; scripts with a key say nothing and need not.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from fastapi import Request

from clawfeed.auth.refused import RefusedError
from clawfeed.domain.default_ports import DEFAULT_PORTS
from clawfeed.domain.errors import RefusalCode

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
_REFUSAL = "this request comes from another site: open ClawFeed itself and do it there"


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnOrigin:
    """The origins that are us: the base URL's, and on this machine its other names."""

    origins: frozenset[str]

    @classmethod
    def of(cls, base_url: str) -> OwnOrigin:
        parts = urlsplit(base_url.lower())
        host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname or ""
        names = _LOOPBACK if host in _LOOPBACK else (host,)
        return cls(origins=frozenset(_origin(parts.scheme, name, parts.port) for name in names))

    def check(self, request: Request, *, has_cookie: bool) -> None:
        """Raise 403 for a changing request from elsewhere, or with a cookie and no origin."""
        if request.method in SAFE_METHODS:
            return
        site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
        if site not in {None, "same-origin", "none"} or not self._is_ours(origin, site):
            raise RefusedError(403, _REFUSAL, RefusalCode.OTHER_SITE)
        if has_cookie and site is None and origin is None:
            raise RefusedError(
                403, "a request with a cookie must say its Origin", RefusalCode.OTHER_SITE
            )

    def _is_ours(self, origin: str | None, site: str | None) -> bool:
        if origin == "null":
            # What browsers send from a page that hides where it is (`Referrer-Policy`).
            # A sandboxed or foreign page's is null too, but its site is then cross-site.
            return site == "same-origin"
        return origin is None or origin.lower() in self.origins


def _origin(scheme: str, host: str, port: int | None) -> str:
    shown = "" if port in {None, DEFAULT_PORTS.get(scheme)} else f":{port}"
    return f"{scheme}://{host}{shown}"
