"""One-time links: whoever holds one may set a person's password, once, within a day."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from clawfeed.domain.errors import AlreadyExistsError, NotFoundError, RefusalCode
from clawfeed.domain.ids import UserId
from clawfeed.domain.people.users import User
from clawfeed.storage.database import ConstraintError, Database, Statement, Steps
from clawfeed.storage.people.users import USER_COLUMNS, to_user
from clawfeed.storage.timestamps import seconds

LINK_LIFETIME = timedelta(hours=24)
LINK_SPENT = "this link was used already, or is older than a day: ask for a new one"


@dataclass(frozen=True, slots=True, kw_only=True)
class PasswordSetup:
    """What the holder of a link chose. *email* and *name* are None to stay as they are."""

    password_hash: str = field(repr=False)
    email: str | None = None
    name: str | None = None


class OneTimeLinks:
    """The links that still work."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def add(self, user_id: UserId, token_hash: bytes, *, now: datetime) -> None:
        """Store a link; it replaces the one this person had."""
        await self._db.run(lambda: _add(user_id, token_hash, now))

    async def find(self, token_hash: bytes, *, now: datetime) -> User:
        """Whose password the link sets; `NotFoundError` if it is spent."""
        rows = await self._db.read(
            f"""
            SELECT {USER_COLUMNS} FROM one_time_links l JOIN users u ON u.id = l.user_id
            WHERE l.token_hash = :hash AND l.expires_at > :now AND u.disabled_at IS NULL
            """,  # noqa: S608 -- the only fragment is our own constant
            {"hash": token_hash, "now": seconds(now)},
        )
        if not rows:
            raise NotFoundError(LINK_SPENT, RefusalCode.LINK_SPENT)
        return to_user(rows[0])

    async def use(self, token_hash: bytes, chosen: PasswordSetup, *, now: datetime) -> User:
        """Spend the link: the password is set and all the person's sessions end, or nothing.

        Of two who come with the same link, the second finds it spent.
        """
        try:
            return await self._db.run(lambda: _use(token_hash, chosen, now))
        except ConstraintError as error:
            raise AlreadyExistsError(
                f"{chosen.email} has an account already",
                RefusalCode.ADDRESS_TAKEN,
                email=chosen.email,
            ) from error


def _add(user_id: UserId, token_hash: bytes, now: datetime) -> Steps[None]:
    yield Statement("DELETE FROM one_time_links WHERE user_id = :user", {"user": user_id})
    yield Statement(
        """
        INSERT INTO one_time_links (token_hash, user_id, created_at, expires_at)
        VALUES (:hash, :user, :now, :expires)
        """,
        {
            "hash": token_hash,
            "user": user_id,
            "now": seconds(now),
            "expires": seconds(now + LINK_LIFETIME),
        },
    )


def _use(token_hash: bytes, chosen: PasswordSetup, now: datetime) -> Steps[User]:
    spent = yield Statement(
        "DELETE FROM one_time_links WHERE token_hash = :hash AND expires_at > :now "
        "RETURNING user_id",
        {"hash": token_hash, "now": seconds(now)},
    )
    if not spent:
        raise NotFoundError(LINK_SPENT, RefusalCode.LINK_SPENT)
    user_id = spent[0]["user_id"]
    yield Statement("DELETE FROM sessions WHERE user_id = :user", {"user": user_id})
    rows = yield Statement(
        """
        UPDATE users SET password_hash = :hash, email = coalesce(:email, email),
            name = coalesce(:name, name), updated_at = :now
        WHERE id = :user AND disabled_at IS NULL
        RETURNING id AS user_id, email, name, slug, role, disabled_at
        """,
        {
            "hash": chosen.password_hash,
            "email": chosen.email,
            "name": chosen.name,
            "now": seconds(now),
            "user": user_id,
        },
    )
    if not rows:
        raise NotFoundError(LINK_SPENT, RefusalCode.LINK_SPENT)
    return to_user(rows[0])
