"""People as an admin looks after them: when they were here, and how much is theirs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from clawfeed.domain.errors import NotFoundError
from clawfeed.domain.ids import UserId
from clawfeed.domain.people.users import User
from clawfeed.storage.database import Database, Row
from clawfeed.storage.people.users import USER_COLUMNS, to_user
from clawfeed.storage.sql_lists import in_list
from clawfeed.storage.timestamps import moment, moment_or_none

# Ended sessions are no rows, so who signed out was last seen when their key was used, or never.
_PEOPLE = f"""
SELECT {USER_COLUMNS}, u.created_at, u.first_login_at,
    CASE WHEN u.password_hash IS NULL AND u.oidc_subject IS NULL THEN 0 ELSE 1 END AS can_sign_in,
    (SELECT max(s.last_seen_at) FROM sessions s WHERE s.user_id = u.id) AS session_at,
    (SELECT count(*) FROM sessions s WHERE s.user_id = u.id) AS sessions,
    (SELECT max(k.last_used_at) FROM api_keys k WHERE k.user_id = u.id) AS key_at,
    (SELECT count(*) FROM api_keys k WHERE k.user_id = u.id AND k.revoked_at IS NULL) AS keys,
    (SELECT count(*) FROM user_subscriptions f WHERE f.user_id = u.id) AS follows,
    (SELECT count(*) FROM sources o WHERE o.created_by = u.id AND o.is_deleted = 0) AS own_sources,
    (SELECT count(*) FROM channels c WHERE c.owner_id = u.id) AS channels
FROM users u
"""  # noqa: S608 -- the only fragment is our own constant


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonOverview:
    """A person in figures. *can_sign_in*: they have a password, or somebody who vouches for them.

    *own_sources* are those they added, *follows* those they follow, *channels* their own.
    """

    user: User
    created_at: datetime
    first_login_at: datetime | None
    last_seen_at: datetime | None
    can_sign_in: bool
    sessions: int
    keys: int
    follows: int
    own_sources: int
    channels: int


async def people_overview(
    database: Database, *, after: int = 0, limit: int
) -> list[PersonOverview]:
    """Everybody, oldest first; from the one *after* this id on."""
    rows = await database.read(
        f"{_PEOPLE} WHERE u.id > :after ORDER BY u.id LIMIT :limit",
        {"after": after, "limit": limit},
    )
    return [_to_overview(row) for row in rows]


async def person_overview(database: Database, user: UserId) -> PersonOverview:
    rows = await database.read(f"{_PEOPLE} WHERE u.id = :id", {"id": user})
    if not rows:
        raise NotFoundError(f"there is no user {user}")
    return _to_overview(rows[0])


async def names_of(database: Database, people: Iterable[UserId]) -> dict[UserId, str]:
    """Their names; who is gone has none."""
    wanted = sorted(set(people))
    if not wanted:
        return {}
    names, params = in_list(wanted)
    rows = await database.read(f"SELECT id, name FROM users WHERE id IN ({names})", params)  # noqa: S608
    return {UserId(row["id"]): str(row["name"]) for row in rows}


def _to_overview(row: Row) -> PersonOverview:
    seen = [at for at in (row["session_at"], row["key_at"]) if at is not None]
    return PersonOverview(
        user=to_user(row),
        created_at=moment(row["created_at"]),
        first_login_at=moment_or_none(row["first_login_at"]),
        last_seen_at=moment(max(seen)) if seen else None,
        can_sign_in=bool(row["can_sign_in"]),
        sessions=row["sessions"],
        keys=row["keys"],
        follows=row["follows"],
        own_sources=row["own_sources"],
        channels=row["channels"],
    )
