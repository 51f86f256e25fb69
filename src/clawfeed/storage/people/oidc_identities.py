"""Which account an identity at a provider opens. The key is the pair (issuer, subject)."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from clawfeed.domain.errors import AlreadyExistsError
from clawfeed.domain.people.users import Role, User
from clawfeed.storage.database import ConstraintError, Database, execute
from clawfeed.storage.people.users import (
    RETURNED_USER,
    USER_COLUMNS,
    IdentityKey,
    NewUser,
    add_account,
    to_user,
)
from clawfeed.storage.timestamps import seconds


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
                WHERE email = :email AND oidc_subject IS NULL AND disabled_at IS NULL
                {RETURNED_USER}
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

        async def is_taken() -> bool:
            return bool(await self.find(key) or await self._has_account(new.email))

        of_user = replace(new, role=Role.USER, password_hash=None)
        user = await add_account(self._db, of_user, now=now, is_taken=is_taken, identity=key)
        if user is None:
            raise AlreadyExistsError("the address or the identity has an account already")
        return user

    async def _has_account(self, email: str) -> bool:
        sql = "SELECT 1 AS found FROM users WHERE email = :email"
        return bool(await self._db.read(sql, {"email": email}))
