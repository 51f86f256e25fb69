"""Who is let in, by which credentials: the real door over HTTP."""

from __future__ import annotations

from datetime import timedelta

import pytest

from clawfeed.auth.tokens import new_key
from clawfeed.domain.people.users import Role, Scope
from clawfeed.storage.database import Database
from clawfeed.storage.people.api_keys import ApiKeys, NewKey
from clawfeed.storage.people.users import UserStore
from tests.auth.auth_server import OPERATORS_KEY, SITE, AuthServer, Browser, bearer
from tests.support.clocks import NOON
from tests.support.hands import a_hand

ME = "/api/auth/me"
DAY = timedelta(days=1)


async def make_key(house: AuthServer, name: str, scope: Scope = Scope.READ) -> str:
    account = await UserStore(house.database).find(f"{name}@example.org")
    assert account is not None
    fresh = new_key()
    new = NewKey(
        user_id=account.user.id,
        name="script",
        key_id=fresh.key_id,
        key_hash=fresh.key_hash,
        last4=fresh.last4,
        scope=scope,
        expires_at=NOON + 365 * DAY,
    )
    await ApiKeys(house.database).add(new, a_hand())
    return fresh.text


async def test_the_operators_key_acts_as_the_oldest_admin(database: Database) -> None:
    """(settled question 14, S000-17)."""
    house = AuthServer(database=database)
    await house.add("anna")
    await house.add("root", Role.ADMIN)

    async with house.opened() as client:
        answer = await client.get(ME, bearer(OPERATORS_KEY))

    me = answer.json()
    assert (me["user"]["name"], me["scope"], me["fresh"]) == ("root", "admin", True)


async def test_on_a_fresh_database_the_operators_key_works_at_once(database: Database) -> None:
    async with AuthServer(database=database).opened() as client:
        answer = await client.get(ME, bearer(OPERATORS_KEY))

    assert answer.json()["user"]["email"] == "admin@localhost"


async def test_a_key_lets_its_owner_in_until_it_expires(database: Database) -> None:
    house = AuthServer(database=database)
    await house.add("anna")
    key = await make_key(house, "anna")

    async with house.opened() as client:
        before = await client.get(ME, bearer(key))
        house.clock.advance(365 * DAY)
        after = await client.get(ME, bearer(key))

    assert (before.status, before.json()["user"]["name"]) == (200, "anna")
    assert after.status == 401


@pytest.mark.parametrize(
    "authorization",
    ["Bearer wrong", "Bearer", "Bearer ", "Basic YTpi", OPERATORS_KEY, f"Bearer {OPERATORS_KEY}x"],
)
async def test_a_wrong_key_is_401_even_where_strangers_may_ask(
    database: Database, authorization: str
) -> None:
    async with AuthServer(database=database).opened() as client:
        for path in (ME, "/login"):
            answer = await client.get(path, {"Authorization": authorization})
            assert answer.status == 401
            assert answer.headers["www-authenticate"] == "Bearer"


async def test_a_key_with_one_letter_changed_is_wrong(database: Database) -> None:
    house = AuthServer(database=database)
    await house.add("anna")
    key = await make_key(house, "anna")

    async with house.opened() as client:
        answer = await client.get(ME, bearer(key[:-1] + ("a" if key[-1] != "a" else "b")))

    assert answer.status == 401


async def test_a_reading_key_changes_nothing_and_administers_nothing(database: Database) -> None:
    house = AuthServer(database=database)
    await house.add("root", Role.ADMIN)
    key = await make_key(house, "root")

    async with house.opened() as client:
        read = await client.get("/api/keys", bearer(key))
        write = await client.post("/api/keys", bearer(key), {"name": "x"})
        administer = await client.get("/api/users", bearer(key))

    assert (read.status, write.status, administer.status) == (200, 403, 403)


async def test_with_a_key_and_a_cookie_the_key_counts(database: Database) -> None:
    """The cookie is not even looked at, so it needs no Origin either."""
    house = AuthServer(database=database)
    await house.add("anna")
    await house.add("ben")
    key = await make_key(house, "anna", Scope.WRITE)

    async with house.opened() as client:
        browser = Browser(client)
        await browser.login("ben")
        cookie = {"Cookie": "; ".join(f"{n}={v}" for n, v in browser.cookies.items())}
        both = await client.get(ME, {**cookie, **bearer(key)})
        wrong = await client.get(ME, {**cookie, **bearer("wrong")})
        changed = await client.delete("/api/keys/99", {**cookie, **bearer(key)})

    assert both.json()["user"]["name"] == "anna"
    assert (wrong.status, changed.status) == (401, 404)


@pytest.mark.parametrize("name", ["api_key", "apikey", "access_token", "API_KEY", "anything"])
async def test_a_key_in_the_address_is_refused(database: Database, name: str) -> None:
    """(ASVS 14.2.1)."""
    house = AuthServer(database=database)
    await house.add("anna")
    key = await make_key(house, "anna")

    async with house.opened() as client:
        alone = await client.get(f"{ME}?{name}={key}")
        besides = await client.get(f"{ME}?{name}={key}", bearer(key))

    assert (alone.status, besides.status) == (400, 400)
    assert key not in alone.text
    assert "Authorization: Bearer" in alone.json()["detail"]


async def test_a_disabled_person_is_out_by_key_and_by_session(database: Database) -> None:
    """(T15)."""
    house = AuthServer(database=database)
    anna = await house.add("anna")
    key = await make_key(house, "anna")

    async with house.opened() as client:
        browser = Browser(client)
        await browser.login("anna")
        before = [await client.get(ME, bearer(key)), await browser.get(ME)]
        await UserStore(database).change(anna.id, is_disabled=True, now=NOON)
        after = [await client.get(ME, bearer(key)), await browser.get(ME)]
        login = await Browser(client).login("anna")

    assert [answer.status for answer in before] == [200, 200]
    assert [answer.status for answer in (*after, login)] == [401, 401, 401]


async def test_a_stale_cookie_is_a_strangers_and_still_sees_the_login_page(
    database: Database,
) -> None:
    async with AuthServer(database=database).opened() as client:
        stale = {"Cookie": "__Host-sid=over-and-gone"}
        page, me = await client.get("/login", stale), await client.get(ME, stale)

    assert (page.status, me.status) == (200, 401)


async def test_an_idle_session_is_over(database: Database) -> None:
    """(T15)."""
    house = AuthServer(database=database)
    await house.add("anna")

    async with house.opened() as client:
        browser = Browser(client)
        await browser.login("anna")
        statuses = []
        for days in (13, 13, 14):
            house.clock.advance(days * DAY)
            statuses.append((await browser.get(ME)).status)

    assert statuses == [200, 200, 401]


async def test_each_caller_has_so_many_requests_a_minute(database: Database) -> None:
    """(T26)."""
    house = AuthServer(database=database, requests_per_minute=30)
    await house.add("anna")
    await house.add("ben")
    annas, bens = await make_key(house, "anna"), await make_key(house, "ben")

    async with house.opened() as client:
        flood = [await client.get(ME, bearer(annas)) for _ in range(31)]
        other = await client.get(ME, bearer(bens))
        house.clock.advance(timedelta(seconds=2))
        later = await client.get(ME, bearer(annas))

    assert [answer.status for answer in flood] == [200] * 30 + [429]
    assert flood[-1].headers["retry-after"] == "2"
    assert (other.status, later.status) == (200, 200)


async def test_our_own_pages_pass_and_other_sites_do_not(database: Database) -> None:
    """(T12)."""
    house = AuthServer(database=database)
    await house.add("anna")

    async with house.opened() as client:
        browser = Browser(client)
        await browser.login("anna")
        elsewhere = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
        forged = await browser.ask("POST", "/api/auth/logout", headers=elsewhere)
        silent = await client.post(
            "/api/auth/logout", {"Cookie": f"__Host-sid={browser.cookies['__Host-sid']}"}
        )
        still = await browser.get(ME)
        ours = await browser.post("/api/auth/logout")

    assert (forged.status, silent.status, still.status, ours.status) == (403, 403, 200, 204)
    assert SITE not in forged.text
