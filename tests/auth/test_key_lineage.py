"""What a key made ends with it: a key never opens more, nor for longer, than the one before."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from clawfeed.domain.people.users import Role, Scope
from clawfeed.storage.database import Database
from clawfeed.storage.people.users import UserStore
from tests.auth.auth_server import OPERATORS_KEY, AuthServer, Browser, bearer
from tests.auth.test_authentication import ME, make_key
from tests.support.clocks import NOON
from tests.support.socket_server import Answer, Client

DAY = timedelta(days=1)


async def made(client: Client, parent: str, **wish: object) -> Answer:
    return await client.post("/api/keys", bearer(parent), {"name": "child", **wish})


async def works(client: Client, *keys: str) -> list[bool]:
    return [(await client.get(ME, bearer(key))).status == 200 for key in keys]


async def test_a_key_makes_none_that_outlives_it(database: Database) -> None:
    house = AuthServer(database=database)
    await house.add("root", Role.ADMIN)

    async with house.opened() as client:
        browser = Browser(client)
        await browser.login("root")
        wish = {"name": "parent", "scope": "admin", "days": 30}
        parent = (await browser.post("/api/keys", wish)).json()["key"]
        longer = await made(client, parent, scope="admin", days=31)
        as_long = await made(client, parent, scope="admin", days=30)
        unsaid = await made(client, parent)
        house.clock.advance(30 * DAY)
        left = await works(client, parent, as_long.json()["key"], unsaid.json()["key"])

    assert (longer.status, as_long.status, unsaid.status) == (403, 201, 201)
    assert "2026-12-15" in longer.json()["detail"]
    assert left == [False] * 3


async def test_with_a_key_end_its_children_and_theirs(database: Database) -> None:
    house = AuthServer(database=database)
    await house.add("root", Role.ADMIN)
    parent, other = [await make_key(house, "root", Scope.ADMIN) for _ in range(2)]

    async with house.opened() as client:
        child = (await made(client, parent, scope="admin")).json()["key"]
        grandchild = (await made(client, child, scope="read")).json()["key"]
        before = await works(client, parent, child, grandchild, other)
        revoked = await client.delete("/api/keys/1", bearer(other))
        after = await works(client, parent, child, grandchild, other)

    assert revoked.status == 204
    assert before == [True] * 4
    assert after == [False, False, False, True]


async def test_an_admins_key_ends_with_the_role_and_does_not_come_back(
    database: Database,
) -> None:
    house = AuthServer(database=database)
    root = await house.add("root", Role.ADMIN)
    await house.add("boss", Role.ADMIN)
    admins, readers = [await make_key(house, "root", scope) for scope in (Scope.ADMIN, Scope.READ)]
    people = UserStore(database)

    async with house.opened() as client:
        child = (await made(client, admins, scope="read")).json()["key"]
        before = await works(client, admins, child, readers)
        await people.change(root.id, role=Role.USER, now=NOON)
        demoted = await works(client, admins, child, readers)
        await people.change(root.id, role=Role.ADMIN, now=NOON)
        again = await works(client, admins, child, readers)

    assert before == [True] * 3
    assert demoted == again == [False, False, True]


async def test_what_the_operators_key_made_ends_when_it_is_changed(database: Database) -> None:
    house = AuthServer(database=database)
    await house.add("root", Role.ADMIN)

    async with house.opened() as client:
        child = (await made(client, OPERATORS_KEY, scope="admin")).json()["key"]
        grandchild = (await made(client, child, scope="read")).json()["key"]
        before = await works(client, child, grandchild)
    async with replace(house, api_key="another-key-with-many-letters").opened() as client:
        after = await works(client, child, grandchild)

    assert (before, after) == ([True, True], [False, False])


async def test_a_key_does_not_live_on_in_an_admin_it_made(database: Database) -> None:
    """It invited somebody, promoted them, and had an admin without an end; the operator's may."""
    house = AuthServer(database=database)
    await house.add("root", Role.ADMIN)
    key = await make_key(house, "root", Scope.ADMIN)

    async with house.opened() as client:
        invited = await client.post("/api/users", bearer(key), {"email": "ben@example.org"})
        path = f"/api/users/{invited.json()['user']['id']}"
        by_key = [
            (await client.ask("PUT", path, bearer(key), change)).status
            for change in ({"role": "admin"}, {"is_disabled": True}, {"is_disabled": False})
        ]
        by_operator = await client.ask("PUT", path, bearer(OPERATORS_KEY), {"role": "admin"})

    assert (invited.status, by_key) == (201, [403, 200, 403])
    assert (by_operator.status, by_operator.json()["role"]) == (200, "admin")
