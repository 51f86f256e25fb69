"""Accounts as rows. Password hashes leave this module only inside an `Account`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime

from clawfeed.domain.errors import AlreadyExistsError, NotAllowedError, NotFoundError, RefusalCode
from clawfeed.domain.ids import UserId
from clawfeed.domain.people.users import Role, User
from clawfeed.domain.slugs import slug_of
from clawfeed.storage.bounds import NO_LIMIT
from clawfeed.storage.database import ConstraintError, Database, Row, Statement, Steps, execute
from clawfeed.storage.people.key_revocation import revoke_admin_keys
from clawfeed.storage.taken_slugs import first_free
from clawfeed.storage.timestamps import moment, moment_or_none, seconds

USER_COLUMNS = "u.id AS user_id, u.email, u.name, u.slug, u.role, u.disabled_at"
# The same of a row that is written.
RETURNED_USER = "RETURNING id AS user_id, email, name, slug, role, disabled_at"
_ACCOUNT = (
    f"SELECT {USER_COLUMNS}, u.password_hash, u.oidc_subject, u.first_login_at, u.created_at "  # noqa: S608
    "FROM users u"
)
# Two people with one name may be added at the same moment; the second try sees the first's slug.
SLUG_TRIES = 5
# The slug of somebody whose name has no letter for it.
NAMELESS_SLUG = "reader"
LOCAL_ADMIN = "admin@localhost"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewUser:
    """What it takes to make an account. *email* and *name* are normal already."""

    email: str
    name: str
    role: Role = Role.USER
    password_hash: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentityKey:
    """Who somebody is at a provider. E-mail addresses change hands; this does not."""

    issuer: str
    subject: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """A person with what only `auth` may know about them."""

    user: User
    password_hash: str | None = field(repr=False)
    has_identity: bool
    first_login_at: datetime | None
    created_at: datetime


class UserStore:
    """Who has an account."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def add(self, new: NewUser, *, now: datetime) -> User:
        """Store *new*; raises `AlreadyExistsError` if the address is taken."""

        async def is_taken() -> bool:
            return await self.find(new.email) is not None

        user = await add_account(self._db, new, now=now, is_taken=is_taken)
        if user is None:
            raise AlreadyExistsError(
                f"{new.email} has an account already", RefusalCode.ADDRESS_TAKEN, email=new.email
            )
        return user

    async def find(self, email: str) -> Account | None:
        """The account of a normal address; see `domain.people.user_names.normal_email`."""
        rows = await self._db.read(f"{_ACCOUNT} WHERE u.email = :email", {"email": email})
        return _to_account(rows[0]) if rows else None

    async def get(self, user_id: UserId) -> Account:
        rows = await self._db.read(f"{_ACCOUNT} WHERE u.id = :id", {"id": user_id})
        if not rows:
            raise NotFoundError(f"there is no user {user_id}")
        return _to_account(rows[0])

    async def list(self, *, after: int = 0, limit: int = NO_LIMIT) -> list[Account]:
        """Everybody, oldest first; from the one *after* this id on."""
        rows = await self._db.read(
            f"{_ACCOUNT} WHERE u.id > :after ORDER BY u.id LIMIT :limit",
            {"after": after, "limit": limit},
        )
        return [_to_account(row) for row in rows]

    async def oldest_admin(self) -> User | None:
        """As whom the operator's own API key acts."""
        rows = await self._db.read(
            f"{_ACCOUNT} WHERE u.role = 'admin' AND u.disabled_at IS NULL ORDER BY u.id LIMIT 1"
        )
        return to_user(rows[0]) if rows else None

    async def has_admin_who_can_sign_in(self) -> bool:
        rows = await self._db.read(
            """
            SELECT 1 AS found FROM users
            WHERE role = 'admin' AND disabled_at IS NULL
              AND (password_hash IS NOT NULL OR oidc_subject IS NOT NULL)
            LIMIT 1
            """
        )
        return bool(rows)

    async def local_admin(self, *, now: datetime) -> User:
        """The oldest active admin; made as `admin@localhost` if there is none."""
        found = await self.oldest_admin()
        if found:
            return found
        try:
            return await self.add(
                NewUser(email=LOCAL_ADMIN, name="Admin", role=Role.ADMIN), now=now
            )
        except AlreadyExistsError:
            # It was demoted or disabled; nobody else administers, so it does again.
            account = await self.find(LOCAL_ADMIN)
            if account is None:
                raise
            return await self.change(account.user.id, role=Role.ADMIN, is_disabled=False, now=now)

    async def set_password(self, user_id: UserId, password_hash: str, *, now: datetime) -> None:
        """Store a new hash; whoever changes a password also ends the sessions it opened."""
        await execute(
            self._db,
            "UPDATE users SET password_hash = :hash, updated_at = :now WHERE id = :id",
            {"hash": password_hash, "now": seconds(now), "id": user_id},
        )

    async def change(
        self,
        user_id: UserId,
        *,
        role: Role | None = None,
        is_disabled: bool | None = None,
        now: datetime,
    ) -> User:
        """Set what is given; with other rights than before, their sessions end.

        `NotAllowedError` if nobody would be left to administer.
        """
        return await self._db.run(
            lambda: _change(user_id, role=role, is_disabled=is_disabled, now=now)
        )

    async def mark_first_login(self, user_id: UserId, *, now: datetime) -> None:
        await execute(
            self._db,
            "UPDATE users SET first_login_at = :now WHERE id = :id AND first_login_at IS NULL",
            {"now": seconds(now), "id": user_id},
        )


async def add_account(
    database: Database,
    new: NewUser,
    *,
    now: datetime,
    is_taken: Callable[[], Awaitable[bool]],
    identity: IdentityKey | None = None,
) -> User | None:
    """Make an account that *new*'s password opens, or *identity*; None if somebody *is_taken*."""
    for _ in range(SLUG_TRIES):
        try:
            return await database.run(lambda: _add(new, identity, now))
        except ConstraintError:
            if await is_taken():
                break
    return None


def _add(new: NewUser, identity: IdentityKey | None, now: datetime) -> Steps[User]:
    slug = yield from first_free("users", slug_of(new.name) or NAMELESS_SLUG)
    added = yield Statement(
        f"""
        INSERT INTO users (email, name, slug, role, password_hash, oidc_issuer, oidc_subject,
            created_at, updated_at)
        VALUES (:email, :name, :slug, :role, :hash, :issuer, :subject, :now, :now) {RETURNED_USER}
        """,  # noqa: S608 -- our own constant
        {
            "email": new.email,
            "name": new.name,
            "slug": slug,
            "role": new.role,
            "hash": new.password_hash,
            "issuer": identity.issuer if identity else None,
            "subject": identity.subject if identity else None,
            "now": seconds(now),
        },
    )
    return to_user(added[0])


def _change(
    user_id: UserId, *, role: Role | None, is_disabled: bool | None, now: datetime
) -> Steps[User]:
    # Every admin's row is locked, in order: two admins who demote each other at the same
    # moment must not both succeed.
    admins = yield Statement(
        """
        UPDATE users SET updated_at = updated_at
        WHERE id IN (SELECT id FROM users WHERE role = 'admin' OR id = :id ORDER BY id)
        RETURNING id, role, disabled_at
        """,
        {"id": user_id},
    )
    if not any(row["id"] == user_id for row in admins):
        raise NotFoundError(f"there is no user {user_id}")
    is_losing = role is Role.USER or is_disabled is True
    left = [r for r in admins if r["role"] == "admin" and r["disabled_at"] is None]
    if is_losing and [row["id"] for row in left] == [user_id]:
        raise NotAllowedError(
            "this is the last admin: make somebody else an admin first", RefusalCode.LAST_ADMIN
        )
    before = next(row for row in admins if row["id"] == user_id)
    was_disabled = before["disabled_at"] is not None
    if role not in (None, before["role"]) or is_disabled not in (None, was_disabled):
        yield Statement("DELETE FROM sessions WHERE user_id = :id", {"id": user_id})
    if role is Role.USER:
        yield from revoke_admin_keys(user_id, now)
    return to_user((yield _changing(user_id, role=role, is_disabled=is_disabled, now=now))[0])


def _changing(
    user_id: UserId, *, role: Role | None, is_disabled: bool | None, now: datetime
) -> Statement:
    return Statement(
        f"""
        UPDATE users SET role = coalesce(:role, role), updated_at = :now,
            disabled_at = CASE CAST(:disabled AS INTEGER) WHEN 1 THEN coalesce(disabled_at, :now)
                WHEN 0 THEN NULL ELSE disabled_at END
        WHERE id = :id {RETURNED_USER}
        """,  # noqa: S608 -- our own constant
        {
            "role": role,
            "disabled": -1 if is_disabled is None else int(is_disabled),
            "now": seconds(now),
            "id": user_id,
        },
    )


def to_user(row: Row) -> User:
    """The person in a row with `USER_COLUMNS`."""
    return User(
        id=UserId(row["user_id"]),
        email=row["email"],
        name=row["name"],
        slug=row["slug"],
        role=Role(row["role"]),
        is_disabled=row["disabled_at"] is not None,
    )


def _to_account(row: Row) -> Account:
    return Account(
        user=to_user(row),
        password_hash=row["password_hash"],
        has_identity=row["oidc_subject"] is not None,
        first_login_at=moment_or_none(row["first_login_at"]),
        created_at=moment(row["created_at"]),
    )
