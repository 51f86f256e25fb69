"""How long to stay away after a failed poll (S004-7)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from clawfeed.domain.errors import Reason
from clawfeed.domain.source import Failed

BUSY_WAIT = timedelta(hours=6)
REFUSED_WAIT = timedelta(hours=12)
FIRST_WAIT = timedelta(minutes=15)
LONGEST_WAIT = timedelta(hours=24)
AUTH_WAIT = timedelta(hours=1)
# Beyond this, doubling only overflows; the ceiling wins long before.
MAX_DOUBLINGS = 16

# The HTTP status speaks first (settled question 8).
BY_STATUS: Mapping[int, Reason] = {
    401: Reason.AUTH_REQUIRED,
    403: Reason.REFUSED,
    429: Reason.BUSY,
}
# Then words at word starts, so that "generate" is not "rate".
BY_WORDS: tuple[tuple[re.Pattern[str], Reason], ...] = (
    (re.compile(r"\brate|频繁", re.IGNORECASE), Reason.BUSY),
    (re.compile(r"\bexpired|过期", re.IGNORECASE), Reason.AUTH_REQUIRED),
    (re.compile(r"\bforbidden", re.IGNORECASE), Reason.REFUSED),
)
_CERTIFICATE = re.compile(r"certificate|\btls\b|\bssl\b|证书", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """How long to wait and why. `is_rest` is false where the contract says "no back-off"."""

    wait: timedelta
    because: str
    is_rest: bool = True


def kind_of(failed: Failed) -> Reason:
    """The family of a failure: by its status, else by its words, else as it was reported."""
    by_status = BY_STATUS.get(failed.status or 0)
    if by_status:
        return by_status
    for pattern, reason in BY_WORDS:
        if pattern.search(failed.detail) and not _is_about_certificates(reason, failed.detail):
            return reason
    return failed.reason


def back_off(failed: Failed, *, failures: int, base: timedelta) -> Backoff:
    """Choose the wait after the *failures*-th failure in a row.

    A server's Retry-After is obeyed, within a day: we never come before it, and never sooner
    than our own doubling waits.
    """
    asked = min(failed.wait, LONGEST_WAIT) if failed.wait else None
    doubled = min(FIRST_WAIT * 2 ** min(failures - 1, MAX_DOUBLINGS), LONGEST_WAIT)
    kind = kind_of(failed)
    if kind is Reason.AUTH_REQUIRED:
        wait = max(base, AUTH_WAIT, asked or AUTH_WAIT)
        return Backoff(wait=wait, because="waiting for a working login", is_rest=False)
    if asked:
        return Backoff(wait=max(asked, doubled), because="the server asked us to wait")
    if kind is Reason.BUSY:
        return Backoff(wait=BUSY_WAIT, because="the server said we come too often")
    if kind is Reason.REFUSED:
        return Backoff(wait=REFUSED_WAIT, because="the server refused us")
    return Backoff(wait=doubled, because=f"backing off after failure {failures} in a row")


def _is_about_certificates(reason: Reason, detail: str) -> bool:
    """An expired certificate is not an expired login (settled question 8)."""
    return reason is Reason.AUTH_REQUIRED and bool(_CERTIFICATE.search(detail))
