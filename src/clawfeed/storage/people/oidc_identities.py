"""Which account an identity at a provider opens. The key is the pair (issuer, subject)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from clawfeed.domain.errors import AlreadyExistsError
from clawfeed.domain.people.people import Role, User
from clawfeed.domain.people.user_names import LONGEST_STEM, free_slug, slug_of
from clawfeed.storage.database import ConstraintError, Database, Statement, Steps, execute
from clawfeed.storage.people.users import SLUG_TRIES, USER_COLUMNS, NewUser, to_user
from clawfeed.storage.timestamps import seconds

_RETURNED = "RETURNING id AS user_id, email, name, slug, role, disabled_at"


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentityKey:
    """Who somebody is at a provider. E-mail addresses change hands; this does not."""

    issuer: str
    subject: str


class Identities:
    """Accounts by the identities that open them; an account has at most one."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def find(self, key: IdentityKey) -> User | None:
        rows = await self._db.read(
            f"SELECT {USER_COLUMNS} FROM users u "  # noqa: S608 -- our own constant
            "WHERE u.oidc_issuer = :issuer AND u.oidc_subject = :subject",
            {"issuer": key.issuer, "subject": key.subject},
        )
        return to_user(rows[0]) if rows else None

    async def link(self, email: str, key: IdentityKey, *, now: datetime) -> User | None:
        """Let *key* open the account of a normal address.

        None if there is no such account, it is disabled, or an identity opens it already.
        """
        try:
            rows = await execute(
                self._db,
                f"""
                UPDATE users SET oidc_issuer = :issuer, oidc_subject = :subject, updated_at = :now
                WHERE email = :email AND oidc_subject IS NULL AND disabled_at IS NULL {_RETURNED}
                """,  # noqa: S608 -- our own constant
                {
                    "issuer": key.issuer,
                    "subject": key.subject,
                    "email": email,
                    "now": seconds(now),
                },
            )
        except ConstraintError:
            return None  # the identity opens another account since a moment ago
        return to_user(rows[0]) if rows else None

    async def add(self, new: NewUser, key: IdentityKey, *, now: datetime) -> User:
        """Make an account that *key* opens; it is a user's, whatever *new* says of its role.

        `AlreadyExistsError` if the address or the identity has one.
        """
        for _ in range(SLUG_TRIES):
            try:
                return await self._db.run(lambda: _add(new, key, now))
            except ConstraintError:
                if await self.find(key) or await self._has_account(new.email):
                    break
        raise AlreadyExistsError("the address or the identity has an account already")

    async def _has_account(self, email: str) -> bool:
        sql = "SELECT 1 AS found FROM users WHERE email = :email"
        return bool(await self._db.read(sql, {"email": email}))


def _add(new: NewUser, key: IdentityKey, now: datetime) -> Steps[User]:
    wanted = slug_of(new.name)
    rows = yield Statement(
        "SELECT slug FROM users WHERE slug LIKE :beginning",
        {"beginning": wanted[:LONGEST_STEM] + "%"},
    )
    added = yield Statement(
        f"""
        INSERT INTO users
            (email, name, slug, role, oidc_issuer, oidc_subject, created_at, updated_at)
        VALUES (:email, :name, :slug, :role, :issuer, :subject, :now, :now) {_RETURNED}
        """,  # noqa: S608 -- our own constant
        {
            "email": new.email,
            "name": new.name,
            "slug": free_slug(wanted, {str(row["slug"]) for row in rows}),
            "role": Role.USER,
            "issuer": key.issuer,
            "subject": key.subject,
            "now": seconds(now),
        },
    )
    return to_user(added[0])
