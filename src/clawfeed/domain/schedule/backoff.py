"""How long to stay away after a failed poll (S004-7)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from clawfeed.domain.because import Because, Rule
from clawfeed.domain.errors import Reason
from clawfeed.domain.schedule.longest_wait import LONGEST_WAIT
from clawfeed.domain.sources.source import Failed

BUSY_WAIT = timedelta(hours=6)
REFUSED_WAIT = timedelta(hours=12)
FIRST_WAIT = timedelta(minutes=15)
AUTH_WAIT = timedelta(hours=1)
# Beyond this, doubling only overflows; the ceiling wins long before.
MAX_DOUBLINGS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """How long to wait and why. `is_rest` is false where the contract says "no back-off"."""

    wait: timedelta
    because: Because
    is_rest: bool = True


def back_off(failed: Failed, *, failures: int, base: timedelta) -> Backoff:
    """Choose the wait after the *failures*-th failure in a row.

    A server's Retry-After is obeyed, within a day: we never come before it, and never sooner
    than our own doubling waits.
    """
    asked = min(failed.wait, LONGEST_WAIT) if failed.wait else None
    doubled = min(FIRST_WAIT * 2 ** min(failures - 1, MAX_DOUBLINGS), LONGEST_WAIT)
    if failed.reason is Reason.AUTH_REQUIRED:
        wait = max(base, AUTH_WAIT, asked or AUTH_WAIT)
        return Backoff(wait=wait, because=Because(Rule.AUTH_REQUIRED), is_rest=False)
    if asked:
        return Backoff(wait=max(asked, doubled), because=Because(Rule.RETRY_AFTER))
    if failed.reason is Reason.BUSY:
        return Backoff(wait=BUSY_WAIT, because=Because(Rule.RATE_LIMITED))
    if failed.reason is Reason.REFUSED:
        return Backoff(wait=REFUSED_WAIT, because=Because(Rule.FORBIDDEN))
    return Backoff(wait=doubled, because=Because(Rule.BACK_OFF, {"failures": failures}))
