"""One request's way through its redirects: what is asked next, and what is left behind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from clawfeed.domain.errors import EgressError, Reason
from clawfeed.egress.guard import Guard
from clawfeed.egress.request_and_response import Request, harmless, without_body
from clawfeed.egress.url import ParsedUrl

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_PERMANENT = frozenset({301, 308})


class RedirectChain:
    """Mutable, lives for one request. Starts at the caller's URL with the caller's headers.

    Rules at each redirect: the new URL is checked like the first. On another origin (scheme,
    host or port) all headers but the harmless ones are dropped, for good; a body never crosses.
    A step from https down to http is such a change of origin: it is followed, without secrets,
    and never counts as permanent.
    """

    __slots__ = (
        *("_guard", "_limit", "body", "headers", "hops", "left", "method", "moved", "target"),
        "was_sent",
    )

    def __init__(self, request: Request, guard: Guard) -> None:
        self._guard = guard
        self._limit = request.limits.redirects
        self.target: ParsedUrl = guard.target(request.url)
        self.method = request.method
        self.headers: Mapping[str, str] = request.headers
        self.body = request.body
        self.left = request.limits.total.total_seconds()
        self.hops = 0
        self.moved: ParsedUrl | None = None
        self.was_sent = False  # any of the hops

    def follow(self, status: int, locations: Sequence[str]) -> bool:
        """Turn to where the answer points; False if it points nowhere and is the final one."""
        if status not in _REDIRECTS:
            return False
        if not any(locations):
            raise self._lost("redirects without saying where to.", status)
        if len(locations) > 1:
            # Whoever picks one may pick another than the guard of the next house.
            raise self._lost("redirects to several places at once.", status)
        self.hops += 1
        if self.hops > self._limit:
            times = f"more than {self._limit} times" if self._limit else "where it may not"
            raise self._lost(f"redirects {times}.", status)
        self._turn(status, self._guard.redirected(self.target, locations[0]))
        return True

    def _turn(self, status: int, target: ParsedUrl) -> None:
        self._note_permanence(status, target)
        self._choose_method(status)
        if target.origin != self.target.origin:
            if self.body is not None:
                raise EgressError(
                    Reason.BLOCKED, f"{self.target} redirects what we send to another host."
                )
            self.headers = harmless(self.headers)
        self.target = target

    def _note_permanence(self, status: int, target: ParsedUrl) -> None:
        unbroken = self.hops == 1 or self.moved is self.target
        is_downgrade = self.target.scheme == "https" and target.scheme == "http"
        if status in _PERMANENT and unbroken and not is_downgrade:
            self.moved = target

    def _choose_method(self, status: int) -> None:
        becomes_get = (status == 303 and self.method != "HEAD") or (
            status in (301, 302) and self.method == "POST"
        )
        if becomes_get and self.method != "GET":
            self.method, self.body = "GET", None
            self.headers = without_body(self.headers)

    def _lost(self, what: str, status: int) -> EgressError:
        return EgressError(Reason.UNREADABLE, f"{self.target} {what}", status=status)
