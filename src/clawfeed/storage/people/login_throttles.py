"""Failed attempts as rows: one count for every door and every process."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from clawfeed.domain.ids import UserId
from clawfeed.domain.people.login_throttle import (
    NO_WAIT,
    FailedAttempts,
    ThrottleState,
    counted,
    neighbourhood,
    wait,
)
from clawfeed.storage.database import Database, Row, Statement, Steps
from clawfeed.storage.timestamps import moment, seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class ThrottleCounter:
    """What is counted, and under which stored name."""

    brake: ThrottleState
    key: str


def address_counter(address: str, door: str = "address") -> ThrottleCounter:
    """Each *door* counts for itself: who cannot sign in may still be sent to a provider."""
    return ThrottleCounter(brake=ThrottleState.ADDRESS, key=f"{door}:{neighbourhood(address)}")


def account_counter(email: str) -> ThrottleCounter:
    """By a hash: people type passwords into the wrong field, and strangers type anything."""
    digest = hashlib.sha256(email.strip().lower().encode("utf-8", "replace")).hexdigest()
    return ThrottleCounter(brake=ThrottleState.ACCOUNT, key=f"account:{digest[:32]}")


def device_counter(token_hash: bytes) -> ThrottleCounter:
    """Of a browser that somebody signed in with before; nobody else's slips count there."""
    return ThrottleCounter(brake=ThrottleState.ACCOUNT, key=f"device:{token_hash.hex()[:32]}")


def person_counter(user_id: UserId) -> ThrottleCounter:
    """Of somebody who is signed in already."""
    return ThrottleCounter(brake=ThrottleState.ACCOUNT, key=f"person:{user_id}")


class Throttles:
    """Counts attempts before they are looked at, so that many at once do not slip through."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def enter(self, counters: Iterable[ThrottleCounter], *, now: datetime) -> timedelta:
        """Count one attempt everywhere and return zero; or none, and how long to wait."""
        # In one order, so that two attempts on the same rows cannot deadlock.
        ordered = sorted(counters, key=lambda counter: counter.key)
        return await self._db.run(lambda: _enter(ordered, now))

    async def succeed(self, counters: Iterable[ThrottleCounter]) -> None:
        """Take a counted attempt back, and forgive the account its slips."""
        ordered = sorted(counters, key=lambda counter: counter.key)
        await self._db.run(lambda: _succeed(ordered))

    async def waiting(self, counter: ThrottleCounter, *, now: datetime) -> timedelta:
        """How long *counter* has to wait; counts nothing."""
        rows = await self._db.read(
            "SELECT failures, last_at FROM throttles WHERE key = :key", {"key": counter.key}
        )
        return wait(counter.brake, _to_attempts(rows[0]), now) if rows else NO_WAIT


def _enter(counters: list[ThrottleCounter], now: datetime) -> Steps[timedelta]:
    tried = []
    for counter in counters:
        # The update that changes nothing locks the row on both databases.
        rows = yield Statement(
            """
            INSERT INTO throttles (key, failures, last_at) VALUES (:key, 0, :now)
            ON CONFLICT (key) DO UPDATE SET failures = throttles.failures
            RETURNING failures, last_at
            """,
            {"key": counter.key, "now": seconds(now)},
        )
        tried.append(_to_attempts(rows[0]))
    pairs = list(zip(counters, tried, strict=True))
    waiting = max((wait(c.brake, attempts, now) for c, attempts in pairs), default=NO_WAIT)
    if waiting > NO_WAIT:
        return waiting
    for counter, attempts in pairs:
        after = counted(counter.brake, attempts, now)
        yield Statement(
            "UPDATE throttles SET failures = :failures, last_at = :at WHERE key = :key",
            {"failures": after.failures, "at": seconds(after.since), "key": counter.key},
        )
    return NO_WAIT


def _succeed(counters: list[ThrottleCounter]) -> Steps[None]:
    for counter in counters:
        if counter.brake is ThrottleState.ACCOUNT:
            yield Statement("DELETE FROM throttles WHERE key = :key", {"key": counter.key})
        else:
            yield Statement(
                "UPDATE throttles SET failures = failures - 1 WHERE key = :key AND failures > 0",
                {"key": counter.key},
            )


def _to_attempts(row: Row) -> FailedAttempts:
    return FailedAttempts(failures=int(row["failures"]), since=moment(row["last_at"]))
