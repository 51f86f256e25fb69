"""What an answer's status and headers mean for a source, whichever fetcher asked."""

from __future__ import annotations

from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from http import HTTPStatus

from clawfeed.domain.errors import EgressError, Reason, SourceError
from clawfeed.domain.polling.failures import as_source_error
from clawfeed.domain.schedule.longest_wait import LONGEST_WAIT
from clawfeed.domain.sources.source import Hints
from clawfeed.domain.status_reasons import reason_of_status
from clawfeed.egress.client import Egress
from clawfeed.egress.request_and_response import Request, Response
from clawfeed.egress.retry_after import parse_retry_after

# A longer one could not be sent back (egress refuses values over 8 KiB), and no server needs it.
LONGEST_VALIDATOR = 512


async def ask(egress: Egress, request: Request, *, now: datetime) -> Response:
    """The answer to *request* if it is a success or "not modified"; else `SourceError`."""
    try:
        response = await egress.request(request)
    except EgressError as error:
        raise as_source_error(error) from error
    if response.status in (HTTPStatus.OK, HTTPStatus.NOT_MODIFIED):
        return response
    raise failure(response, now=now)


def failure(response: Response, *, now: datetime) -> SourceError:
    """The refusal *response* is, in words."""
    status = response.status
    return SourceError(
        reason_of_status(status, otherwise=Reason.UNREADABLE),
        f"the server answered {status} {_phrase(status)}".strip(),
        status=status,
        wait=parse_retry_after(response.headers.get("retry-after", ""), now),
    )


def hints_from(response: Response, *, now: datetime) -> Hints:
    """When the server would like us back: max-age, else Expires; and where it moved to."""
    return Hints(wait=_freshness(response, now), moved_to=response.permanent_url)


def conditional(cursor_etag: object, cursor_modified: object) -> dict[str, str]:
    """The request headers that let a server answer "not modified"."""
    headers: dict[str, str] = {}
    if isinstance(cursor_etag, str) and cursor_etag:
        headers["If-None-Match"] = cursor_etag
    if isinstance(cursor_modified, str) and cursor_modified:
        headers["If-Modified-Since"] = cursor_modified
    return headers


def validator(response: Response, name: str) -> str:
    """The answer's ETag or Last-Modified, if we could send it back."""
    value = response.headers.get(name, "")
    is_sendable = len(value) <= LONGEST_VALIDATOR and value.isascii() and value.isprintable()
    return value if is_sendable else ""


def _freshness(response: Response, now: datetime) -> timedelta | None:
    control = response.headers.get("cache-control", "").lower()
    if "no-cache" in control or "no-store" in control:
        return None
    for directive in control.split(","):
        name, _, value = directive.strip().partition("=")
        if name == "max-age" and value.strip('"').isdecimal():
            age = _seconds(response.headers.get("age", ""))
            return _clamped(timedelta(seconds=min(int(value.strip('"')[:9]), 10**9)) - age)
    if "expires" not in response.headers:
        return None
    try:
        expires = parsedate_to_datetime(response.headers["expires"])
        return _clamped(expires - now) if expires.tzinfo else None
    except (ValueError, TypeError, OverflowError):
        return None


def _clamped(wait: timedelta) -> timedelta | None:
    return min(wait, LONGEST_WAIT) if wait > timedelta(0) else None


def _seconds(text: str) -> timedelta:
    return timedelta(seconds=int(text[:9])) if text.isdecimal() else timedelta(0)


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""
