"""API keys as rows: the SHA-256 of each and its last four characters, never the key."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from clawfeed.domain.errors import NotAllowedError, NotFoundError, QuotaError, RefusalCode
from clawfeed.domain.ids import ApiKeyId, UserId
from clawfeed.domain.people.users import Scope, UsedKey, User
from clawfeed.storage.audit import Action, Hand
from clawfeed.storage.bounds import NO_LIMIT
from clawfeed.storage.database import Database, Row, Statement, Steps, execute
from clawfeed.storage.people.credential_audit import line_of
from clawfeed.storage.people.key_revocation import revoke_with_children
from clawfeed.storage.people.users import USER_COLUMNS, to_user
from clawfeed.storage.person_lock import hold
from clawfeed.storage.timestamps import moment, moment_or_none, seconds, seconds_or_none

# More than anyone's scripts, fewer than a flood (T26).
MOST_KEYS = 20
USED_EVERY = timedelta(minutes=5)
_COLUMNS = (
    "k.id, k.name AS key_name, k.key_id, k.key_hash, k.last4, k.scopes, k.created_at, "
    f"k.expires_at, k.last_used_at, k.revoked_at, k.operator_hash, {USER_COLUMNS}"
)
_KEYS = f"SELECT {_COLUMNS} FROM api_keys k JOIN users u ON u.id = k.user_id"  # noqa: S608


@dataclass(frozen=True, slots=True, kw_only=True)
class NewKey:
    """A key to be stored; *key_id* is its readable part, *key_hash* of its whole text.

    *made_with* is the key that made it; None if a person did.
    """

    user_id: UserId
    name: str
    key_id: str
    key_hash: bytes = field(repr=False)
    last4: str
    scope: Scope
    expires_at: datetime | None
    made_with: UsedKey | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey:
    """A key as its owner may see it again: everything but the key."""

    id: ApiKeyId
    user: User
    name: str
    key_id: str
    key_hash: bytes = field(repr=False)
    last4: str
    scope: Scope
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None
    operator_hash: bytes | None = field(default=None, repr=False)

    def is_valid(self, now: datetime) -> bool:
        """Whether it opens anything: an admin's key is nothing once its owner is none."""
        is_over = self.expires_at is not None and self.expires_at <= now
        is_beyond = self.scope is Scope.ADMIN and not self.user.is_admin
        return not (self.revoked_at or is_over or is_beyond or self.user.is_disabled)


class ApiKeys:
    """The keys people made."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def add(self, new: NewKey, hand: Hand) -> ApiKeyId:
        """Store *new*, and who made it; `QuotaError` if its owner has `MOST_KEYS` that work."""
        return await self._db.run(lambda: _add(new, hand))

    async def find(self, key_id: str) -> ApiKey | None:
        """The key with this readable part, valid or not; the caller compares the hash."""
        rows = await self._db.read(f"{_KEYS} WHERE k.key_id = :key_id", {"key_id": key_id})
        return _to_key(rows[0]) if rows else None

    async def list(
        self, user_id: UserId | None = None, *, after: int = 0, limit: int | None = None
    ) -> list[ApiKey]:
        """The keys that were not revoked, of one person or of all; oldest first."""
        rows = await self._db.read(
            f"{_KEYS} WHERE k.revoked_at IS NULL AND (k.user_id = :user OR :user = 0) "
            "AND k.id > :after ORDER BY k.id LIMIT :limit",
            {"user": user_id or 0, "after": after, "limit": limit or NO_LIMIT},
        )
        return [_to_key(row) for row in rows]

    async def revoke(self, key_id: ApiKeyId, hand: Hand, *, owner: UserId | None = None) -> None:
        """End a key and those it made, and who did it. With *owner*, others' are not found."""
        await self._db.run(lambda: _revoke_own(key_id, owner, hand))

    async def use(self, key: ApiKey, *, now: datetime) -> None:
        """Remember that it was used; writes at most every `USED_EVERY`."""
        if key.last_used_at is not None and now - key.last_used_at < USED_EVERY:
            return
        await execute(
            self._db,
            "UPDATE api_keys SET last_used_at = :now WHERE id = :id",
            {"now": seconds(now), "id": key.id},
        )


def _revoke_own(key_id: ApiKeyId, owner: UserId | None, hand: Hand) -> Steps[None]:
    rows = yield Statement(
        """
        SELECT id, user_id FROM api_keys
        WHERE id = :id AND revoked_at IS NULL AND (user_id = :owner OR :owner = 0)
        """,
        {"id": key_id, "owner": owner or 0},
    )
    if not rows:
        raise NotFoundError(f"there is no API key {key_id}")
    whose = UserId(rows[0]["user_id"])
    yield from hold(whose)
    yield from revoke_with_children("k.id = :id", {"id": key_id}, hand.now)
    yield line_of(hand, Action.KEY_REVOKED, f"key {key_id}", whose)


def _add(new: NewKey, hand: Hand) -> Steps[ApiKeyId]:
    now = hand.now
    yield from hold(new.user_id)
    made_with = new.made_with or UsedKey()
    yield from _check_parent(made_with)
    rows = yield Statement(
        """
        SELECT count(*) AS n FROM api_keys
        WHERE user_id = :user AND revoked_at IS NULL AND coalesce(expires_at, :now + 1) > :now
        """,
        {"user": new.user_id, "now": seconds(now)},
    )
    if int(rows[0]["n"]) >= MOST_KEYS:
        raise QuotaError(
            f"there are {MOST_KEYS} API keys already: revoke one first",
            RefusalCode.TOO_MANY,
            most=MOST_KEYS,
        )
    added = yield Statement(
        """
        INSERT INTO api_keys
            (user_id, name, key_id, key_hash, last4, scopes, created_at, expires_at,
             parent_id, operator_hash)
        VALUES (:user, :name, :key_id, :hash, :last4, :scope, :now, :expires, :parent, :operator)
        RETURNING id
        """,
        {
            "user": new.user_id,
            "name": new.name,
            "key_id": new.key_id,
            "hash": new.key_hash,
            "last4": new.last4,
            "scope": new.scope,
            "now": seconds(now),
            "expires": seconds_or_none(new.expires_at),
            "parent": made_with.id,
            "operator": made_with.operator_hash,
        },
    )
    key_id = ApiKeyId(added[0]["id"])
    yield line_of(hand, Action.KEY_CREATED, f"key {key_id} ({new.scope})", new.user_id)
    return key_id


def _check_parent(made_with: UsedKey) -> Steps[None]:
    """A key that was revoked a moment ago makes no other."""
    if made_with.id is None:
        return
    rows = yield Statement(
        "SELECT id FROM api_keys WHERE id = :id AND revoked_at IS NULL", {"id": made_with.id}
    )
    if not rows:
        raise NotAllowedError("the key you used was revoked meanwhile")


def _to_key(row: Row) -> ApiKey:
    return ApiKey(
        id=ApiKeyId(row["id"]),
        user=to_user(row),
        name=row["key_name"],
        key_id=row["key_id"],
        key_hash=bytes(row["key_hash"]),
        last4=row["last4"],
        scope=Scope(row["scopes"]),
        created_at=moment(row["created_at"]),
        expires_at=moment_or_none(row["expires_at"]),
        last_used_at=moment_or_none(row["last_used_at"]),
        revoked_at=moment_or_none(row["revoked_at"]),
        operator_hash=None if row["operator_hash"] is None else bytes(row["operator_hash"]),
    )
