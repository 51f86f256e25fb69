"""What a POST was answered, so that its repetition is answered the same.

While the first is handled its row is held as all work is (decision 0003): who takes longer than a
lease holds on, who was killed is followed by the next, and who is late changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeAlias

from clawfeed.domain.errors import QuotaError
from clawfeed.domain.ids import UserId
from clawfeed.storage.database import Database, Dialect, Row, SqlValue, Statement, Steps
from clawfeed.storage.dead_workers import IsDead, take_back_from_dead
from clawfeed.storage.leases import (
    Condition,
    Held,
    Holder,
    LeasedTable,
    fenced,
    give_back,
    remove,
    renew,
    take,
    take_back_lapsed,
)
from clawfeed.storage.timestamps import seconds

# Renewed while the request is handled, which may take as long as an edition does.
LEASE = timedelta(minutes=1)
KEY_LIFETIME = timedelta(hours=24)
# Answers of up to 64 KiB are kept for a day: this bounds what one person makes us keep (T26).
MOST_KEYS = 2_000
IDEMPOTENCY_KEYS = LeasedTable(
    table="idempotency_keys", noun="request", longest_lease=timedelta(minutes=2)
)
_UNANSWERED = Condition(sql="status IS NULL")


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """A request that carries a key. Equal requests have equal fingerprints."""

    user: UserId
    key: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class First:
    """Nobody asked this before: do it, `hold` on meanwhile, then `keep` or `forget`."""

    held: Held


@dataclass(frozen=True, slots=True)
class StillRunning:
    """The first such request is not answered yet."""


@dataclass(frozen=True, slots=True)
class AnotherRequest:
    """The key was used for something else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What the first was answered. *body* is None if it held a secret."""

    status: int
    body: bytes | None


Standing: TypeAlias = First | StillRunning | AnotherRequest | Answered


class IdempotencyStore:
    """One row per person and key, for a day."""

    def __init__(self, database: Database, holder: Holder) -> None:
        self._db, self._holder = database, holder

    @property
    def lease(self) -> timedelta:
        return self._holder.lease

    async def begin(self, attempt: Attempt, *, now: datetime) -> Standing:
        """Where this attempt stands; `First` means the caller now holds the key."""
        return await self._db.run(lambda: _begin(attempt, self._holder, self._db.dialect, now))

    async def hold(self, first: First) -> bool:
        """Hold on while the request takes long; whether the key is still ours."""
        dialect, lease = self._db.dialect, self.lease
        return await self._db.run(lambda: renew(IDEMPOTENCY_KEYS, dialect, first.held, lease))

    async def keep(self, first: First, status: int, body: bytes | None) -> bool:
        """Remember the answer; False if somebody else answers by now, whose answer stands."""
        answer: dict[str, SqlValue] = {"status": status, "body": body}
        changes = "status = :status, body = :body"
        return await self._db.run(lambda: give_back(IDEMPOTENCY_KEYS, first.held, changes, answer))

    async def forget(self, first: First) -> bool:
        """Nothing came of it: the key is free again, unless somebody else has it by now."""
        return await self._db.run(lambda: remove(IDEMPOTENCY_KEYS, first.held))

    async def take_back_from_dead(self, is_dead: IsDead) -> int:
        """Free the keys of requests that dead workers were handling; how many."""
        return await take_back_from_dead(self._db, [IDEMPOTENCY_KEYS], is_dead)


def _begin(attempt: Attempt, holder: Holder, dialect: Dialect, now: datetime) -> Steps[Standing]:
    # Of this key alone: who is late with another may still keep its answer, if nobody asks again.
    asked: dict[str, SqlValue] = {"user": attempt.user, "key": attempt.key}
    this = Condition(sql="user_id = :user AND key = :key", params=asked)
    yield from take_back_lapsed(IDEMPOTENCY_KEYS, dialect, only=this)
    added = yield from _add(attempt, now)
    if added is not None:
        yield from _check_quota(attempt.user)
        taken = yield from _take(added, holder, dialect)
        return taken or StillRunning()
    rows = yield Statement(
        "SELECT id, fingerprint, status, body FROM idempotency_keys "
        "WHERE user_id = :user AND key = :key",
        asked,
    )
    if not rows:  # forgotten this very moment
        return StillRunning()
    answered = _standing(rows[0], attempt)
    if answered:
        return answered
    taken = yield from _take(int(rows[0]["id"]), holder, dialect)
    if taken:  # of who was cut off; its day begins anew
        yield fenced(IDEMPOTENCY_KEYS, taken.held, "created_at = :now", {"now": seconds(now)})
    return taken or StillRunning()


def _add(attempt: Attempt, now: datetime) -> Steps[int | None]:
    """A row for a key that is new, or older than a day; None if there is one."""
    params: dict[str, SqlValue] = {
        "user": attempt.user,
        "key": attempt.key,
        "fingerprint": attempt.fingerprint,
        "now": seconds(now),
        "old": seconds(now - KEY_LIFETIME),
    }
    yield Statement(
        "DELETE FROM idempotency_keys WHERE user_id = :user AND key = :key AND created_at < :old",
        params,
    )
    rows = yield Statement(
        """
        INSERT INTO idempotency_keys (user_id, key, fingerprint, created_at)
        VALUES (:user, :key, :fingerprint, :now)
        ON CONFLICT (user_id, key) DO NOTHING RETURNING id
        """,
        params,
    )
    return int(rows[0]["id"]) if rows else None


def _take(key: int, holder: Holder, dialect: Dialect) -> Steps[First | None]:
    """The right to answer it; None if somebody has that, or has just answered."""
    taken = yield from take(
        IDEMPOTENCY_KEYS, dialect, holder, [key], returning="id", only=_UNANSWERED
    )
    return First(Held(key=key, claim=taken[key]["claim"])) if key in taken else None


def _check_quota(user: UserId) -> Steps[None]:
    rows = yield Statement(
        "SELECT count(*) AS n FROM idempotency_keys WHERE user_id = :user", {"user": user}
    )
    if int(rows[0]["n"]) > MOST_KEYS:
        raise QuotaError(
            f"{MOST_KEYS:,} requests with an Idempotency-Key in a day are the most; "
            "send this one without, or wait"
        )


def _standing(row: Row, attempt: Attempt) -> AnotherRequest | Answered | None:
    """What is settled already; None while nobody has an answer."""
    if row["fingerprint"] != attempt.fingerprint:
        return AnotherRequest()
    if row["status"] is None:
        return None
    body = row["body"]
    return Answered(status=int(row["status"]), body=None if body is None else bytes(body))
