"""People for tests of the API: rows in the real database, known by a header instead of a secret.

How people prove who they are is the business of tests/auth; tests of what they then may do
say `as_user(1)`.
"""

from __future__ import annotations

from fastapi import Request, Response

from clawfeed.api.http.application import RequestGuards
from clawfeed.auth.authorization import Handler, unauthorized
from clawfeed.domain.ids import UserId
from clawfeed.domain.people.users import Caller, Role, Scope, User
from clawfeed.storage.database import Database, execute
from tests.support.clocks import NOON

ADMIN, ANNA, BEN = UserId(1), UserId(2), UserId(3)
_NAMES = {ADMIN: "admin", ANNA: "anna", BEN: "ben"}


def as_user(user_id: int, scope: Scope = Scope.ADMIN) -> dict[str, str]:
    """The header by which `NameTags` knows this person, with a key of this reach."""
    return {"Authorization": f"Bearer {user_id}/{scope}"}


async def add_people(database: Database) -> None:
    """An admin (1), Anna (2) and Ben (3)."""
    for user_id, name in _NAMES.items():
        await execute(
            database,
            "INSERT INTO users (email, name, slug, role, created_at, updated_at) "
            "VALUES (:email, :name, :name, :role, :now, :now)",
            {
                "email": f"{name}@example.org",
                "name": name,
                "role": "admin" if user_id == ADMIN else "user",
                "now": NOON.timestamp(),
            },
        )


class NameTags:
    """A door that believes what the header says."""

    async def recognise(self, request: Request) -> Caller | None:
        tag = request.headers.get("authorization", "").removeprefix("Bearer ")
        if not tag:
            return None
        number, _, scope = tag.partition("/")
        if number not in {"1", "2", "3"}:
            raise unauthorized("no such name tag")
        user_id = UserId(int(number))
        role = Role.ADMIN if user_id == ADMIN else Role.USER
        name = _NAMES[user_id]
        user = User(id=user_id, email=f"{name}@example.org", name=name, slug=name, role=role)
        return Caller(user=user, scope=Scope(scope))


class EveryTimeAnew:
    """No memory for repeated requests."""

    async def once(self, request: Request, _caller: Caller, handle: Handler) -> Response:
        return await handle(request)


NAME_TAGS = RequestGuards(door=NameTags(), replays=EveryTimeAnew())
