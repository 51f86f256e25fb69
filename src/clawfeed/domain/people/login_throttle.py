"""How long someone who guesses has to wait: never for ever, and never for a first few slips.

Per account, because one password must not be guessed from many addresses; per address, because
many accounts must not be tried from one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from ipaddress import ip_address, ip_network

# Typing errors happen; after five in a row each further one doubles the wait.
FAST_TRIES = 5
LONGEST_WAIT = timedelta(minutes=15)
# Twenty at once, then one every three seconds: twenty a minute for as long as it lasts.
PER_MINUTE = 20
TOKEN_INTERVAL = timedelta(minutes=1) / PER_MINUTE
# Nobody is reminded of last week's slips.
ATTEMPTS_LIFETIME = timedelta(days=1)
NO_WAIT = timedelta(0)


class ThrottleState(StrEnum):
    """What is counted; the value begins the stored key."""

    ACCOUNT = "account"
    ADDRESS = "address"


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedAttempts:
    """Failures so far. *since* is the last one's moment; for an address, the last drip's."""

    failures: int
    since: datetime


def wait(brake: ThrottleState, tried: FailedAttempts, now: datetime) -> timedelta:
    """How long until the next try is looked at; zero if at once."""
    if brake is ThrottleState.ACCOUNT:
        penalty = _penalty(_remembered(tried, now))
    else:
        too_many = max(tried.failures - PER_MINUTE + 1, 0)
        penalty = TOKEN_INTERVAL * min(too_many, PER_MINUTE)
    # A clock set back must not lock anyone out for longer than the rule itself.
    return min(max(tried.since + penalty - now, NO_WAIT), penalty)


def counted(brake: ThrottleState, tried: FailedAttempts, now: datetime) -> FailedAttempts:
    """*tried* with one more failure at *now*."""
    if brake is ThrottleState.ACCOUNT:
        return FailedAttempts(failures=_remembered(tried, now) + 1, since=now)
    drips = max((now - tried.since) // TOKEN_INTERVAL, 0)
    left = max(tried.failures - drips, 0)
    # The remainder of a drip is kept: trying in the middle of one must not slow it down.
    return FailedAttempts(
        failures=left + 1, since=tried.since + TOKEN_INTERVAL * drips if left else now
    )


def whole_seconds(waiting: timedelta) -> int:
    """For `Retry-After`: rounded up, at least one."""
    return max(math.ceil(waiting.total_seconds()), 1)


def neighbourhood(address: str) -> str:
    """Whom an address stands for: itself, or its /64, since one IPv6 customer has all of those."""
    try:
        known = ip_address(address)
    except ValueError:
        return address
    if known.version == 4:
        return str(known)
    return str(ip_network((known, 64), strict=False))


def _remembered(tried: FailedAttempts, now: datetime) -> int:
    return 0 if now - tried.since > ATTEMPTS_LIFETIME else tried.failures


def _penalty(failures: int) -> timedelta:
    if failures < FAST_TRIES:
        return NO_WAIT
    # Ten doublings of one second pass the longest wait; more would only overflow.
    doublings = min(failures - FAST_TRIES, 10)
    return min(timedelta(seconds=2**doublings), LONGEST_WAIT)
