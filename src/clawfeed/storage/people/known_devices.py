"""In which browsers somebody signed in before, each known by the SHA-256 of its token alone."""

from __future__ import annotations

from datetime import datetime, timedelta

from clawfeed.domain.ids import UserId
from clawfeed.storage.database import Database, Insert, Statement, Steps, execute
from clawfeed.storage.timestamps import seconds

# Longer than a holiday; browsers keep no cookie longer than 400 days.
DEVICE_LIFETIME = timedelta(days=365)
# More browsers than anybody has; the one that was away longest makes room (T26).
MOST_DEVICES = 100


class KnownDevices:
    """A browser may know several people, and a person several browsers."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def knows(self, token_hash: bytes, user_id: UserId, *, now: datetime) -> bool:
        """Whether this person signed in with that browser within `DEVICE_LIFETIME`."""
        rows = await self._db.read(
            """
            SELECT 1 AS found FROM known_devices
            WHERE token_hash = :hash AND user_id = :user AND last_seen_at > :oldest
            """,
            {"hash": token_hash, "user": user_id, "oldest": seconds(now - DEVICE_LIFETIME)},
        )
        return bool(rows)

    async def remember(
        self, user_id: UserId, token_hash: bytes, *, before: bytes | None, now: datetime
    ) -> None:
        """Note that a person signed in with a browser, which had the token *before* until now."""
        await self._db.run(lambda: _remember(user_id, token_hash, before, now))

    async def forget_all(self, user_id: UserId) -> None:
        """Every browser of this person is a stranger's again."""
        await execute(
            self._db, "DELETE FROM known_devices WHERE user_id = :user", {"user": user_id}
        )


def _remember(
    user_id: UserId, token_hash: bytes, before: bytes | None, now: datetime
) -> Steps[None]:
    if before is not None:
        yield Statement(
            "DELETE FROM known_devices WHERE token_hash = :old AND user_id = :user",
            {"old": before, "user": user_id},
        )
        yield Statement(
            "UPDATE known_devices SET token_hash = :new WHERE token_hash = :old",
            {"new": token_hash, "old": before},
        )
    yield Insert(
        table="known_devices",
        columns=("token_hash", "user_id", "last_seen_at"),
        rows=[(token_hash, user_id, seconds(now))],
        returning="user_id",
    )
    yield Statement(
        """
        DELETE FROM known_devices WHERE user_id = :user AND token_hash NOT IN (
            SELECT token_hash FROM known_devices WHERE user_id = :user
            ORDER BY last_seen_at DESC, token_hash LIMIT :most
        )
        """,
        {"user": user_id, "most": MOST_DEVICES},
    )
