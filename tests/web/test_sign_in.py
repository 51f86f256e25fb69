"""The pages for signing in and for a first password, as a browser without JavaScript meets them."""

from __future__ import annotations

import re

import pytest

from clawfeed.storage.database import Database
from tests.auth.auth_server import PASSWORD, SITE, AuthServer, Browser
from tests.support.html_pages import HtmlPage

pytestmark = pytest.mark.one_database

ME = "/api/auth/me"
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


async def test_signing_in_leads_to_the_wanted_page_and_out_to_the_front(
    database: Database,
) -> None:
    house = AuthServer(database=database)
    await house.add("anna")

    async with house.opened() as client:
        browser = Browser(client)
        page = await browser.get("/login?next=/digests/3")
        came = await browser.submit(
            "/login", email="anna@example.org", password=PASSWORD, next="/digests/3"
        )
        inside = await browser.get(ME)
        again = await browser.get("/login?next=/digests/3")
        left = await browser.submit("/logout")
        outside = await browser.get(ME)

    assert 'name="next" value="/digests/3"' in page.text
    assert (came.status, came.headers["location"]) == (303, "/digests/3")
    assert (again.status, again.headers["location"]) == (303, "/digests/3")
    assert (left.status, left.headers["location"]) == (303, "/")
    assert (inside.status, outside.status) == (200, 401)


async def test_a_wrong_password_says_so_on_the_form_and_keeps_the_address(
    database: Database,
) -> None:
    house = AuthServer(database=database)
    await house.add("anna")

    async with house.opened() as client:
        browser = Browser(client)
        known = await browser.submit("/login", email="anna@example.org", password="wrong")  # noqa: S106
        unknown = await browser.submit("/login", email="nobody@example.org", password="wrong")  # noqa: S106
        chinese = await browser.ask(
            "POST", "/login", b"email=a%40b.example&password=x", {**FORM, "Accept-Language": "zh"}
        )
        for _ in range(4):
            await browser.submit("/login", email="anna@example.org", password="wrong")  # noqa: S106
        braked = await browser.submit("/login", email="anna@example.org", password=PASSWORD)

    assert (known.status, unknown.status, braked.status) == (401, 401, 429)
    assert known.text.replace("anna@", "nobody@") == unknown.text
    assert 'role="alert"' in known.text
    assert 'value="anna@example.org"' in known.text
    assert 'autofocus aria-describedby="mistake"' in known.text
    assert "try again in 1 second." in braked.text
    assert HtmlPage(chinese.text).texts("#mistake") == ["邮箱地址或密码不正确。"]
    assert braked.headers["retry-after"] == "1"
    assert PASSWORD not in braked.text
    assert browser.cookies == {}


@pytest.mark.parametrize(
    "wanted", ["//evil.example", "https://evil.example", "/\\evil.example", "a\r\nSet-Cookie: x=1"]
)
async def test_nobody_is_led_away(database: Database, wanted: str) -> None:
    """(T11)."""
    house = AuthServer(database=database)
    await house.add("anna")

    async with house.opened() as client:
        browser = Browser(client)
        came = await browser.submit(
            "/login", email="anna@example.org", password=PASSWORD, next=wanted
        )

    assert came.headers["location"] == "/"
    assert set(browser.cookies) == {"__Host-sid", "__Host-device"}


async def test_what_was_typed_comes_back_escaped(database: Database) -> None:
    """(T9)."""
    nasty = '"><script>alert(1)</script>'

    async with AuthServer(database=database).opened() as client:
        page = await Browser(client).submit("/login", email=nasty, password="x", next=nasty)  # noqa: S106

    assert nasty not in page.text
    assert "&gt;&lt;script&gt;alert(1)" in page.text


async def test_the_first_admin_sets_a_password_on_a_page(database: Database) -> None:
    """(settled question 14)."""
    house = AuthServer(database=database)
    link = await house.signing_in().first_admin_link()
    assert link is not None
    path = link.removeprefix(SITE)

    async with house.opened() as client:
        browser = Browser(client)
        page = await browser.get(path)
        weak = await browser.submit(
            path,
            email="me@example.org",
            name="Me",
            password="password1234",  # noqa: S106
        )
        done = await browser.submit(path, email="me@example.org", name="Me", password=PASSWORD)
        me = await browser.get(ME)
        spent = await browser.get(path)
        spent_form = await browser.submit(path, email="x@example.org", password=PASSWORD)

    assert (page.status, weak.status, done.status) == (200, 422, 303)
    assert "easy to guess" in weak.text
    assert 'value="me@example.org"' in weak.text
    assert (me.json()["user"]["email"], me.json()["scope"]) == ("me@example.org", "admin")
    assert (spent.status, spent_form.status) == (404, 404)
    assert "ask for a new one" in spent.text
    assert HtmlPage(spent.text).count("main form") == 0


async def test_who_was_invited_sees_their_address_but_does_not_change_it(
    database: Database,
) -> None:
    house = AuthServer(database=database)
    ben = await house.add("ben")
    path = (await house.signing_in().link_for(ben)).removeprefix(SITE)

    async with house.opened() as client:
        page = await client.get(path)
        other = await Browser(client).submit(path, email="boss@example.org", password=PASSWORD)

    assert re.search(r'value="ben@example\.org"[^>]*readonly', page.text)
    assert other.status == 422
    assert "this link is for ben@example.org" in other.text


@pytest.mark.parametrize("path", ["/login", "/logout", "/setup/x"])
async def test_another_sites_form_is_refused(database: Database, path: str) -> None:
    """(T12): logging in and out included."""
    house = AuthServer(database=database)
    await house.add("anna")

    async with house.opened() as client:
        browser = Browser(client)
        await browser.login("anna")
        elsewhere = {**FORM, "Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
        forged = await browser.ask("POST", path, b"email=a&password=b", elsewhere)
        still = await browser.get(ME)

    assert (forged.status, still.status) == (403, 200)


async def test_logging_out_is_no_link(database: Database) -> None:
    """(T12): nothing changes by GET."""
    async with AuthServer(database=database).opened() as client:
        answer = await client.get("/logout")

    assert answer.status == 405


@pytest.mark.parametrize(
    ("body", "status"),
    [(b"password=" + b"x" * 70_000, 413), (b"&".join([b"a=b"] * 60), 400), (b"", 401)],
)
async def test_a_form_has_its_limits(database: Database, body: bytes, status: int) -> None:
    """(T14)."""
    async with AuthServer(database=database).opened() as client:
        answer = await Browser(client).ask("POST", "/login", body, FORM)

    assert answer.status == status


async def test_the_pages_have_nothing_inline_and_stay_in_no_cache(database: Database) -> None:
    house = AuthServer(database=database)
    link = await house.signing_in().first_admin_link()
    assert link is not None

    async with house.opened() as client:
        pages = [await client.get(path) for path in ("/login", link.removeprefix(SITE))]

    for page in pages:
        assert HtmlPage(page.text).count("script:not([src]), style, [style]") == 0
        assert page.headers["cache-control"] == "no-store"
        assert page.headers["referrer-policy"] == "same-origin"
        assert "form-action 'self'" in page.headers["content-security-policy"]
