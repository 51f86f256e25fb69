"""What a POST was answered, so that its repetition is answered the same."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeAlias

from clawfeed.domain.errors import QuotaError
from clawfeed.domain.ids import UserId
from clawfeed.storage.database import Database, Row, SqlValue, Statement, Steps, execute
from clawfeed.storage.timestamps import moment, seconds

# Longer than any request may take: what is still unanswered then was cut off by a crash.
RUNS_AT_MOST = timedelta(minutes=1)
KEY_LIFETIME = timedelta(hours=24)
# Answers of up to 64 KiB are kept for a day: this bounds what one person makes us keep (T26).
MOST_KEYS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """A request that carries a key. Equal requests have equal fingerprints."""

    user: UserId
    key: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class First:
    """Nobody asked this before: do it, then `keep` or `forget`."""


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

    def __init__(self, database: Database) -> None:
        self._db = database

    async def begin(self, attempt: Attempt, *, now: datetime) -> Standing:
        """Where this attempt stands; `First` means the caller now holds the key."""
        return await self._db.run(lambda: _begin(attempt, now))

    async def keep(self, attempt: Attempt, status: int, body: bytes | None) -> None:
        """Remember the answer."""
        await execute(
            self._db,
            "UPDATE idempotency_keys SET status = :status, body = :body "
            "WHERE user_id = :user AND key = :key",
            {"status": status, "body": body, "user": attempt.user, "key": attempt.key},
        )

    async def forget(self, attempt: Attempt) -> None:
        """Nothing came of it: the key is free again."""
        await execute(
            self._db,
            "DELETE FROM idempotency_keys WHERE user_id = :user AND key = :key AND status IS NULL",
            {"user": attempt.user, "key": attempt.key},
        )


def _begin(attempt: Attempt, now: datetime) -> Steps[Standing]:
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
        ON CONFLICT (user_id, key) DO NOTHING RETURNING key
        """,
        params,
    )
    if rows:
        yield from _check_quota(attempt.user)
        return First()
    [row] = yield Statement(
        "SELECT fingerprint, status, body, created_at FROM idempotency_keys "
        "WHERE user_id = :user AND key = :key",
        params,
    )
    standing = _standing(row, attempt, now)
    if isinstance(standing, First):
        yield Statement(
            "UPDATE idempotency_keys SET created_at = :now WHERE user_id = :user AND key = :key",
            params,
        )
    return standing


def _check_quota(user: UserId) -> Steps[None]:
    rows = yield Statement(
        "SELECT count(*) AS n FROM idempotency_keys WHERE user_id = :user", {"user": user}
    )
    if int(rows[0]["n"]) > MOST_KEYS:
        raise QuotaError(
            f"{MOST_KEYS:,} requests with an Idempotency-Key in a day are the most; "
            "send this one without, or wait"
        )


def _standing(row: Row, attempt: Attempt, now: datetime) -> Standing:
    if row["fingerprint"] != attempt.fingerprint:
        return AnotherRequest()
    if row["status"] is not None:
        body = row["body"]
        return Answered(status=int(row["status"]), body=None if body is None else bytes(body))
    was_cut_off = now - moment(row["created_at"]) > RUNS_AT_MOST
    return First() if was_cut_off else StillRunning()
