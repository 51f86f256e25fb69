"""Accounts, keys and people over HTTP."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Any

import pytest

from clawfeed.api.http.application import RequestGuards, build_routes
from clawfeed.api.people.accounts import Accounts, account_routes
from clawfeed.api.people.keys import key_routes
from clawfeed.api.people.users import people_routes
from clawfeed.auth.cookies import BrowserCookies
from clawfeed.domain.people.users import Role
from clawfeed.storage.database import Database
from tests.auth.auth_server import OPERATORS_KEY, PASSWORD, SITE, AuthServer, Browser, bearer
from tests.support.api_callers import EveryTimeAnew, NameTags
from tests.support.hostile_text import header_injections
from tests.support.socket_server import Answer, set_cookies

ME = "/api/auth/me"
NEW = "another four words here"


def every_route(house: AuthServer) -> list[tuple[str, str]]:
    """Method and path of every endpoint, ids filled in."""
    accounts = Accounts(
        database=house.database,
        clock=house.clock,
        signing_in=house.signing_in(),
        cookies=BrowserCookies.of(SITE),
    )
    app = build_routes(
        "9.9",
        [account_routes(accounts), key_routes(accounts), people_routes(accounts)],
        RequestGuards(door=NameTags(), replays=EveryTimeAnew()),
    )
    paths: dict[str, dict[str, Any]] = app.openapi()["paths"]
    return [
        (method.upper(), path.replace("{session_id}", "1").replace("{key_id}", "1").replace(
            "{user_id}", "1"
        ))
        for path, methods in paths.items()
        for method in methods
    ]  # fmt: skip


async def test_signing_in_and_out(database: Database) -> None:
    """(T15): the old cookie opens nothing after logout."""
    house = AuthServer(database=database)
    await house.add("anna")

    async with house.opened() as client:
        browser = Browser(client)
        login = await browser.login("anna")
        me = await browser.get(ME)
        old = dict(browser.cookies)
        logout = await browser.post("/api/auth/logout")
        cleared = dict(browser.cookies)
        browser.cookies = old
        after = await browser.get(ME)
        again = await browser.post("/api/auth/logout")

    assert (login.status, me.status, logout.status, after.status) == (200, 200, 204, 401)
    assert login.json() == me.json()
    assert (me.json()["user"]["name"], me.json()["scope"], me.json()["fresh"]) == (
        "anna",
        "write",
        True,
    )
    # That somebody was here is remembered; it opens nothing.
    assert cleared == {"__Host-sid": "", "__Host-device": old["__Host-device"]}
    assert again.status == 204
    for cookie in set_cookies(login):
        assert "Secure" in cookie
        assert "HttpOnly" in cookie
        assert "SameSite=lax" in cookie


async def test_nothing_here_is_kept_by_anybody(database: Database) -> None:
    """A key that is shown once must not stay in a cache."""
    house = AuthServer(database=database)
    await house.add("root", Role.ADMIN)

    async with house.opened() as client:
        browser = Browser(client)
        answers = [
            await browser.login("root"),
            await browser.get(ME),
            await browser.get("/api/auth/sessions"),
            await browser.get("/api/keys"),
            await browser.post("/api/keys", {"name": "x"}),
            await browser.get("/api/users"),
            await browser.post("/api/users", {"email": "ben@example.org"}),
            await browser.get("/api/audit"),
            await browser.post("/api/auth/logout"),
        ]

    assert all(answer.status < 300 for answer in answers)
    assert {answer.headers["cache-control"] for answer in answers} == {"no-store"}


async def test_a_changed_password_ends_the_other_browser(database: Database) -> None:
    """(T15)."""
    house = AuthServer(database=database)
    await house.add("anna")

    async with house.opened() as client:
        here, there = Browser(client), Browser(client)
        await here.login("anna")
        await there.login("anna")
        wrong = await here.post("/api/auth/password", {"current": "no", "new": NEW})
        done = await here.post("/api/auth/password", {"current": PASSWORD, "new": NEW})
        seen = [(await each.get(ME)).status for each in (here, there)]

    assert (wrong.status, done.status) == (403, 204)
    assert seen == [200, 401]


async def test_a_person_sees_and_ends_their_own_sessions(database: Database) -> None:
    """(T13)."""
    house = AuthServer(database=database)
    await house.add("anna")
    await house.add("ben")

    async with house.opened() as client:
        here, there, ben = Browser(client), Browser(client), Browser(client)
        for browser, name in ((here, "anna"), (there, "anna"), (ben, "ben")):
            await browser.login(name)
        listed = (await here.get("/api/auth/sessions")).json()["sessions"]
        [other] = [each["id"] for each in listed if not each["is_current"]]
        foreign = await ben.ask("DELETE", f"/api/auth/sessions/{other}")
        ended = await here.ask("DELETE", f"/api/auth/sessions/{other}")
        seen = [(await each.get(ME)).status for each in (here, there, ben)]

    assert len(listed) == 2
    assert (foreign.status, ended.status) == (404, 204)
    assert seen == [200, 401, 200]


async def test_a_key_is_shown_once_works_and_is_revoked(database: Database) -> None:
    house = AuthServer(database=database)
    await house.add("anna")
    await house.add("ben")

    async with house.opened() as client:
        anna, ben = Browser(client), Browser(client)
        await anna.login("anna")
        await ben.login("ben")
        made = await anna.post("/api/keys", {"name": "backup", "scope": "read", "days": 90})
        key = made.json()["key"]
        works = await client.get(ME, bearer(key))
        listed = await anna.get("/api/keys")
        foreign = await ben.ask("DELETE", f"/api/keys/{made.json()['id']}")
        revoked = await anna.ask("DELETE", f"/api/keys/{made.json()['id']}")
        after = await client.get(ME, bearer(key))

    assert (made.status, works.status) == (201, 200)
    assert key not in listed.text
    [shown] = listed.json()["keys"]
    assert (shown["name"], shown["scope"], shown["last4"], shown["expires_at"]) == (
        "backup",
        "read",
        key[-4:],
        "2027-02-13T12:00:00Z",
    )
    assert (foreign.status, revoked.status, after.status) == (404, 204, 401)


async def everything_in(database: Database) -> str:
    """Every value of every table of people and doors."""
    tables = (
        "users", "sessions", "api_keys", "one_time_links", "throttles", "audit_log",
        "idempotency_keys", "oidc_flows",
    )  # fmt: skip
    rows = []
    for table in tables:
        found: list[Any] = await database.read(f"SELECT * FROM {table}")
        rows += [str([row[name] for name in row.keys()]) for row in found]  # noqa: SIM118
    return "\n".join(rows)


async def test_only_hashes_of_secrets_are_stored_and_nothing_of_them_is_logged(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    """(T17)."""
    caplog.set_level(logging.DEBUG, "clawfeed")
    house = AuthServer(database=database)
    await house.add("root", Role.ADMIN)
    secrets = [PASSWORD, NEW, OPERATORS_KEY, "wrong-canary-password", "canary@in.the.wrong.field"]

    async with house.opened() as client:
        browser, ben = Browser(client), Browser(client)
        await browser.login("root")
        secrets.append(browser.cookies["__Host-sid"])
        secrets.append((await browser.post("/api/keys", {"name": "x"})).json()["key"])
        invited = await browser.post("/api/users", {"email": "ben@example.org"})
        token = invited.json()["link"].rpartition("/")[2]
        secrets.append(token)
        await client.get(ME, bearer(OPERATORS_KEY))
        await ben.login("root", "wrong-canary-password")
        await ben.post(
            "/api/auth/login", {"email": "canary@in.the.wrong.field", "password": PASSWORD}
        )
        before = await everything_in(database)
        await ben.post("/api/auth/setup", {"token": token, "password": NEW})
        secrets.append(ben.cookies["__Host-sid"])

    stored = before + await everything_in(database)
    logged = "\n".join(f"{record.getMessage()} {record.__dict__}" for record in caplog.records)
    assert "ben@example.org" in stored
    assert "signed_in" in logged
    assert [secret for secret in secrets if secret in stored or secret in logged] == []


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/keys", {"name": "x"}),
        ("/api/users", {"email": "new@example.org"}),
    ],
)
async def test_keys_and_people_need_a_fresh_sign_in(
    database: Database, path: str, body: dict[str, str]
) -> None:
    """(RELIABILITY 6, sessions)."""
    house = AuthServer(database=database)
    await house.add("root", Role.ADMIN)

    async with house.opened() as client:
        browser = Browser(client)
        await browser.login("root")
        house.clock.advance(timedelta(minutes=11))
        stale = await browser.post(path, body)
        await browser.login("root")
        fresh = await browser.post(path, body)

    assert (stale.status, fresh.status) == (403, 201)
    assert "sign in again" in stale.json()["detail"]


async def test_a_key_never_opens_more_than_the_hand_that_made_it(database: Database) -> None:
    """(T13)."""
    house = AuthServer(database=database)
    await house.add("anna")
    await house.add("root", Role.ADMIN)

    async with house.opened() as client:
        anna, root = Browser(client), Browser(client)
        await anna.login("anna")
        await root.login("root")
        refused = await anna.post("/api/keys", {"name": "x", "scope": "admin"})
        granted = await root.post("/api/keys", {"name": "x", "scope": "admin"})
        writing = (await root.post("/api/keys", {"name": "y", "scope": "write"})).json()["key"]
        by_key = await client.post("/api/keys", bearer(writing), {"name": "z", "scope": "read"})

    assert (refused.status, granted.status) == (403, 201)
    # A key made for writing is no proof of a person: it makes no further keys.
    assert by_key.status == 403
    assert by_key.json()["type"].endswith(":not-allowed")  # it cannot "sign in again"


async def test_the_doors_know_no_idempotency_keys_and_do_not_say_so(database: Database) -> None:
    """A stranger has nothing to keep an answer under; who is signed in is answered alike."""
    house = AuthServer(database=database)
    await house.add("root", Role.ADMIN)

    async with house.opened() as client:
        browser = Browser(client)
        await browser.login("root")
        key = (await browser.post("/api/keys", {"name": "x", "scope": "admin"})).json()["key"]
        once = {**bearer(key), "Idempotency-Key": "k-1"}
        who = {"email": "root@example.org", "password": PASSWORD}
        twice = [await client.post("/api/auth/login", once, who) for _ in range(2)]
        document = (await client.get("/openapi.json")).json()

    assert [answer.status for answer in twice] == [200, 200]
    login = document["paths"]["/api/auth/login"]["post"]
    assert login.get("parameters", []) == []
    assert "Set-Cookie" in login["responses"]["200"]["headers"]


async def test_the_twenty_first_key_is_refused(database: Database) -> None:
    """(T26)."""
    house = AuthServer(database=database)
    await house.add("anna")

    async with house.opened() as client:
        browser = Browser(client)
        await browser.login("anna")
        answers = [await browser.post("/api/keys", {"name": f"{n}"}) for n in range(21)]

    assert [answer.status for answer in answers] == [201] * 20 + [403]


async def test_an_admin_invites_promotes_and_disables(database: Database) -> None:
    house = AuthServer(database=database)
    await house.add("root", Role.ADMIN)

    async with house.opened() as client:
        root, ben = Browser(client), Browser(client)
        await root.login("root")
        invited = await root.post("/api/users", {"email": "Ben@Example.org", "name": "Ben"})
        link, ben_id = invited.json()["link"], invited.json()["user"]["id"]
        twice = await root.post("/api/users", {"email": "ben@example.org"})
        token = link.removeprefix(f"{SITE}/setup/")
        came = await ben.post("/api/auth/setup", {"token": token, "password": NEW})
        spent = await ben.post("/api/auth/setup", {"token": token, "password": NEW})
        promoted = await root.ask("PUT", f"/api/users/{ben_id}", {"role": "admin"})
        out = await ben.get(ME)
        disabled = await root.ask("PUT", f"/api/users/{ben_id}", {"is_disabled": True})
        back = await ben.login("ben", NEW)
        people = (await root.get("/api/users")).json()["users"]

    assert (invited.status, twice.status, came.status, spent.status) == (201, 409, 200, 404)
    assert (promoted.json()["role"], out.status) == ("admin", 401)
    assert (disabled.json()["is_disabled"], back.status) == (True, 401)
    assert [(each["email"], each["has_password"]) for each in people] == [
        ("root@example.org", True),
        ("ben@example.org", True),
    ]


@pytest.mark.parametrize("change", [{"role": "user"}, {"is_disabled": True}])
async def test_nobody_changes_their_own_account_by_accident(
    database: Database, change: dict[str, object]
) -> None:
    house = AuthServer(database=database)
    root = await house.add("root", Role.ADMIN)
    await house.add("other", Role.ADMIN)

    async with house.opened() as client:
        browser = Browser(client)
        await browser.login("root")
        answer = await browser.ask("PUT", f"/api/users/{root.id}", change)
        missing = await browser.ask("PUT", "/api/users/99", change)

    assert (answer.status, missing.status) == (403, 404)
    assert "another admin" in answer.json()["detail"]


async def test_the_audit_log_is_read_in_pages(database: Database) -> None:
    house = AuthServer(database=database)
    await house.add("root", Role.ADMIN)

    async with house.opened() as client:
        browser = Browser(client)
        await browser.login("root")
        for number in range(4):
            await browser.post("/api/keys", {"name": f"{number}"})
        first = (await browser.get("/api/audit?limit=3")).json()
        rest = (await browser.get(f"/api/audit?limit=3&cursor={first['next_cursor']}")).json()
        odd = [await browser.get(f"/api/audit?cursor={text}") for text in ("x", "-1", "9" * 19)]

    actions = [event["action"] for event in (*first["events"], *rest["events"])]
    assert actions == ["key_created"] * 4 + ["signed_in"]
    assert rest["next_cursor"] is None
    assert [answer.status for answer in odd] == [422, 422, 422]


async def test_strangers_are_refused_everywhere_but_at_the_doors(database: Database) -> None:
    """(T13)."""
    house = AuthServer(database=database)
    doors = {"/api/auth/login", "/api/auth/setup", "/api/auth/register", "/api/auth/logout"}

    async with house.opened() as client:
        routes = every_route(house)
        answers = {
            (method, path): (await client.ask(method, path, {}, {})).status
            for method, path in routes
            if path not in doors
        }

    assert len(routes) == 16
    assert set(answers.values()) == {401}


async def test_a_person_is_refused_where_admins_go(database: Database) -> None:
    """(T13)."""
    house = AuthServer(database=database)
    await house.add("anna")

    async with house.opened() as client:
        browser = Browser(client)
        await browser.login("anna")
        answers = [
            await browser.ask(method, path, {})
            for method, path in every_route(house)
            if path.startswith(("/api/users", "/api/audit"))
        ]

    assert [answer.status for answer in answers] == [403] * 4


@pytest.mark.slow
async def test_another_site_changes_nothing_anywhere(database: Database) -> None:
    """(T12): login and logout included, with and without a cookie."""
    house = AuthServer(database=database)
    await house.add("root", Role.ADMIN)

    async with house.opened() as client:
        browser = Browser(client)
        await browser.login("root")
        before = await everything_in(database)
        answers: list[Answer] = []
        for method, path in every_route(house):
            if method == "GET":
                continue
            for headers in (
                {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"},
                {"Origin": SITE, "Sec-Fetch-Site": "same-site"},
                {"Origin": "null", "Sec-Fetch-Site": "cross-site"},
            ):
                answers.append(await browser.ask(method, path, {}, headers))
                answers.append(await client.ask(method, path, headers, {}))

    assert len(answers) == 11 * 6
    assert {answer.status for answer in answers} == {403}
    assert await everything_in(database) == before


@pytest.mark.parametrize("extra", ["role", "is_admin", "user_id", "scope_", "password_hash"])
async def test_fields_nobody_asked_for_are_refused(database: Database, extra: str) -> None:
    """(T13): no mass assignment."""
    house = AuthServer(database=database, may_register=True)
    await house.add("root", Role.ADMIN)
    other = await house.add("other", Role.ADMIN)
    bodies: list[tuple[str, str, dict[str, object]]] = [
        ("POST", "/api/auth/login", {"email": "root@example.org", "password": PASSWORD}),
        ("POST", "/api/auth/setup", {"token": "x", "password": NEW}),
        ("POST", "/api/auth/register", {"email": "new@example.org", "password": NEW}),
        ("POST", "/api/auth/password", {"current": PASSWORD, "new": NEW}),
        ("POST", "/api/keys", {"name": "x"}),
        ("POST", "/api/users", {"email": "new@example.org"}),
    ]
    if extra != "role":  # the one place where a role belongs
        bodies.append(("PUT", f"/api/users/{other.id}", {"is_disabled": True}))

    async with house.opened() as client:
        browser = Browser(client)
        await browser.login("root")
        answers = [
            await browser.ask(method, path, {**body, extra: "admin"})
            for method, path, body in bodies
        ]

    assert [answer.status for answer in answers] == [422] * len(bodies)
    assert all(extra in answer.json()["detail"] for answer in answers)


async def test_a_refusal_does_not_repeat_the_password(database: Database) -> None:
    """(T17)."""
    async with AuthServer(database=database, may_register=True).opened() as client:
        browser = Browser(client)
        answers = [
            await browser.post(
                "/api/auth/register", {"email": "a@example.org", "password": password}
            )
            for password in ("canary", ["canary"], "canary" * 500)
        ]

    assert [answer.status for answer in answers] == [422] * 3
    assert "canary" not in "".join(answer.text for answer in answers)


async def test_registration_is_off_by_default(database: Database) -> None:
    given = {"email": "new@example.org", "password": NEW}

    async with AuthServer(database=database).opened() as client:
        off = await Browser(client).post("/api/auth/register", given)
    async with AuthServer(database=database, may_register=True).opened() as client:
        on = await Browser(client).post("/api/auth/register", given)

    assert (off.status, on.status) == (403, 201)
    assert on.json()["user"]["role"] == "user"


@pytest.mark.slow
async def test_no_header_is_injected_by_what_people_are_called(database: Database) -> None:
    """(T23, T29)."""
    texts = header_injections()[::7]  # what becomes of each is the names' own matter
    house = AuthServer(database=database)
    await house.add("root", Role.ADMIN)

    async with house.opened() as client:
        browser = Browser(client)
        await browser.login("root")
        for number, text in enumerate(texts):
            answers = [
                await browser.post("/api/users", {"email": text}),
                await browser.post("/api/users", {"email": f"n{number}@example.org", "name": text}),
            ]
            assert {answer.status for answer in answers} <= {201, 409, 422}
            assert all("bcc" not in answer.headers for answer in answers)
        people = (await browser.get("/api/users")).json()["users"]

    assert all((each["email"] + each["name"]).isprintable() for each in people)
