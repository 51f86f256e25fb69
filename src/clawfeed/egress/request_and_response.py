"""What goes out and what comes back, and which headers may travel."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from clawfeed.domain.errors import EgressError, Reason
from clawfeed.egress.politeness import Manners
from clawfeed.egress.response_limits import DEFAULT_LIMITS, Limits

_NAME = re.compile(r"\A[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}\Z")
_VALUE = re.compile(r"\A[\t\x20-\x7e\xa0-\ud7ff\ue000-\U0010ffff]{0,8192}\Z")
# How aiohttp writes a byte that is no UTF-8 (surrogateescape).
_RAW_BYTE = re.compile("[\udc80-\udcff]")
_REPEATABLE = frozenset({"GET", "HEAD"})
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"})

# The client's own: who sets these could name another host or split the message in two.
_OURS = frozenset(
    {"host", "content-length", "transfer-encoding", "connection", "keep-alive", "upgrade", "te"}
    | {"trailer", "expect", "proxy-authorization", "proxy-connection", "accept-encoding"}
)
# All that may follow a redirect to another origin. Everything else a caller sets may be a secret
# (Authorization, Cookie, X-Api-Key) or belongs to the old place (If-None-Match).
_HARMLESS = frozenset({"accept", "accept-language", "accept-charset", "user-agent"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One thing to ask the world for. Header values and the URL may hold secrets: no `repr`.

    Without *manners* it is asked like a feed, as the operator has set it up. *is_once* is for
    what costs or changes something: it leaves on a connection of its own, once, whatever becomes
    of it. Methods other than GET and HEAD always do.
    """

    url: str = field(repr=False)
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes | None = field(default=None, repr=False)
    limits: Limits = DEFAULT_LIMITS
    manners: Manners | None = None
    is_once: bool = False

    @property
    def may_be_repeated(self) -> bool:
        return not self.is_once and self.method in _REPEATABLE


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """What came back, whatever its status: 4xx and 5xx are for the caller to judge.

    The body of a status of 400 or more may be cut at the limit. *permanent_url* is where an
    unbroken start of permanent redirects led, None if there was none; it is never a step down
    from https to http.
    """

    status: int
    url: str = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)  # lower-case names
    body: bytes = field(repr=False)
    permanent_url: str | None = field(default=None, repr=False)


def check_request(request: Request) -> None:
    """Raise `EgressError(MISCONFIGURED)` for a method or header that may not be sent."""
    if request.method not in _METHODS:
        raise EgressError(Reason.MISCONFIGURED, "This HTTP method cannot be sent.")
    for name, value in request.headers.items():
        if not _NAME.match(name):
            raise EgressError(Reason.MISCONFIGURED, "A header's name is not valid.")
        if name.lower() in _OURS:
            raise EgressError(Reason.MISCONFIGURED, f"The header {name} cannot be set.")
        if not _VALUE.match(value):
            raise EgressError(Reason.MISCONFIGURED, f"The value of the header {name} is not valid.")


def harmless(headers: Mapping[str, str]) -> dict[str, str]:
    """What is left of the caller's headers when the origin changes."""
    return {name: value for name, value in headers.items() if name.lower() in _HARMLESS}


def without_body(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers once a redirect has turned a POST into a GET."""
    return {n: v for n, v in headers.items() if not n.lower().startswith("content-")}


def readable(value: str) -> str:
    """A header's value as proper text: bytes that are no UTF-8 become U+FFFD."""
    if value.isascii():
        return value
    return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def locations(values: Iterable[str]) -> tuple[str, ...]:
    """The different places that an answer's `Location` headers name, in their order.

    Bytes that are no UTF-8 are percent-encoded as they are, as browsers do: they name a path.
    """
    return tuple(dict.fromkeys(_RAW_BYTE.sub(_percent_encoded, value) for value in values))


def _percent_encoded(byte: re.Match[str]) -> str:
    return f"%{ord(byte[0]) - 0xDC00:02X}"
