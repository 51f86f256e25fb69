"""Feed tokens as rows: whoever knows one reads its owner's editions. Only hashes are kept."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from clawfeed.domain.errors import NotFoundError, QuotaError, RefusalCode
from clawfeed.domain.ids import FeedTokenId, UserId
from clawfeed.domain.people.users import User
from clawfeed.storage.audit import Action, Hand
from clawfeed.storage.bounds import NO_LIMIT
from clawfeed.storage.database import Database, Row, Statement, Steps, execute
from clawfeed.storage.people.credential_audit import line_of
from clawfeed.storage.people.users import USER_COLUMNS, to_user
from clawfeed.storage.person_lock import hold
from clawfeed.storage.timestamps import moment, moment_or_none, seconds

# More than anyone's feed readers, fewer than a flood (T26).
MOST_TOKENS = 20
USED_EVERY = timedelta(hours=1)
_TOKENS = f"""
    SELECT t.id, t.created_at, t.last_used_at, {USER_COLUMNS}
    FROM feed_tokens t JOIN users u ON u.id = t.user_id
"""  # noqa: S608 -- our own constants


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedToken:
    """A token as its owner may see it again: everything but the token."""

    id: FeedTokenId
    user: User
    created_at: datetime
    last_used_at: datetime | None


class FeedTokens:
    """The tokens people made."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def add(self, user_id: UserId, token_hash: bytes, hand: Hand) -> FeedToken:
        """Store it, and who made it; `QuotaError` if its owner has `MOST_TOKENS`."""
        token_id = await self._db.run(lambda: _add(user_id, token_hash, hand))
        rows = await self._db.read(f"{_TOKENS} WHERE t.id = :id", {"id": token_id})
        return _to_token(rows[0])

    async def find(self, token_hash: bytes) -> FeedToken | None:
        """The token of this hash; None if there is none, or its owner may not come in."""
        rows = await self._db.read(f"{_TOKENS} WHERE t.token_hash = :hash", {"hash": token_hash})
        found = _to_token(rows[0]) if rows else None
        return None if found is None or found.user.is_disabled else found

    async def list(
        self, user_id: UserId | None = None, *, after: int = 0, limit: int | None = None
    ) -> list[FeedToken]:
        """Those of one person or of all; oldest first."""
        rows = await self._db.read(
            f"{_TOKENS} WHERE (t.user_id = :user OR :user = 0) AND t.id > :after "
            "ORDER BY t.id LIMIT :limit",
            {"user": user_id or 0, "after": after, "limit": limit or NO_LIMIT},
        )
        return [_to_token(row) for row in rows]

    async def revoke(
        self, token_id: FeedTokenId, hand: Hand, *, owner: UserId | None = None
    ) -> None:
        """End it, and write down who did. With *owner*, anybody else's is not found."""
        await self._db.run(lambda: _revoke(token_id, owner, hand))

    async def use(self, token: FeedToken, *, now: datetime) -> None:
        """Remember that it was used; writes at most every `USED_EVERY`."""
        if token.last_used_at is not None and now - token.last_used_at < USED_EVERY:
            return
        await execute(
            self._db,
            "UPDATE feed_tokens SET last_used_at = :now WHERE id = :id",
            {"now": seconds(now), "id": token.id},
        )


def _add(user_id: UserId, token_hash: bytes, hand: Hand) -> Steps[FeedTokenId]:
    yield from hold(user_id)
    rows = yield Statement(
        "SELECT count(*) AS n FROM feed_tokens WHERE user_id = :user", {"user": user_id}
    )
    if int(rows[0]["n"]) >= MOST_TOKENS:
        raise QuotaError(
            f"there are {MOST_TOKENS} feed tokens already: revoke one first",
            RefusalCode.TOO_MANY,
            most=MOST_TOKENS,
        )
    added = yield Statement(
        """
        INSERT INTO feed_tokens (user_id, token_hash, created_at)
        VALUES (:user, :hash, :now) RETURNING id
        """,
        {"user": user_id, "hash": token_hash, "now": seconds(hand.now)},
    )
    token_id = FeedTokenId(added[0]["id"])
    yield line_of(hand, Action.FEED_TOKEN_CREATED, f"feed token {token_id}", user_id)
    return token_id


def _revoke(token_id: FeedTokenId, owner: UserId | None, hand: Hand) -> Steps[None]:
    rows = yield Statement(
        "DELETE FROM feed_tokens WHERE id = :id AND (user_id = :owner OR :owner = 0) "
        "RETURNING user_id",
        {"id": token_id, "owner": owner or 0},
    )
    if not rows:
        raise NotFoundError(f"there is no feed token {token_id}")
    whose = UserId(rows[0]["user_id"])
    yield line_of(hand, Action.FEED_TOKEN_REVOKED, f"feed token {token_id}", whose)


def _to_token(row: Row) -> FeedToken:
    return FeedToken(
        id=FeedTokenId(row["id"]),
        user=to_user(row),
        created_at=moment(row["created_at"]),
        last_used_at=moment_or_none(row["last_used_at"]),
    )
