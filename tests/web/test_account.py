"""One's own account by forms: what is secret is shown once, and only to who is really there."""

from __future__ import annotations

from datetime import timedelta

import pytest

from clawfeed.auth.csrf_token import FIELD
from clawfeed.storage.database import Database
from tests.auth.auth_server import PASSWORD, SITE, AuthServer, Browser
from tests.support.html_pages import HtmlPage
from tests.support.socket_server import Answer, Client

pytestmark = pytest.mark.one_database

ME = "/api/auth/me"
HOSTILE = "<img src=x onerror=alert(1)>"
ANOTHER = "five other unrelated words here"


async def come_in(client: Client, name: str) -> Browser:
    browser = Browser(client)
    await browser.login(name)
    return browser


async def see(browser: Browser) -> HtmlPage:
    answer = await browser.get("/account")
    assert answer.status == 200, answer.text
    return HtmlPage(answer.text)


async def press(browser: Browser, path: str, **fields: str) -> Answer:
    """A form of the page, with its token."""
    page = HtmlPage((await browser.get("/account")).text)
    token = page.values(f"input[name={FIELD}]", "value")[0] or ""
    return await browser.submit(path, **{FIELD: token, **fields})


def secret_in(answer: Answer) -> str:
    [found] = HtmlPage(answer.text).values("#secret", "value")
    return found or ""


async def test_secrets_are_made_by_who_is_there_shown_once_and_revoked(database: Database) -> None:
    """(T13): ten minutes after a sign-in the password is asked for again."""
    house = AuthServer(database=database)
    await house.add("anna")

    async with house.opened() as client:
        anna = await come_in(client, "anna")
        made = await press(anna, "/account/keys", name=HOSTILE, scope="read", days="30")
        bearer = {"Authorization": f"Bearer {secret_in(made)}"}
        opens = await client.get(ME, bearer)
        feed = secret_in(await press(anna, "/account/feeds"))
        page = await anna.get("/account")
        too_far = await press(anna, "/account/keys", name="x", scope="admin", days="30")
        odd = await press(anna, "/account/keys", name="x", scope="read", days="-1")
        forged = await anna.submit("/account/keys", name="x", scope="read", days="30")

        house.clock.advance(timedelta(minutes=11))
        stale = [await press(anna, f"/account/{each}", name="x") for each in ("keys", "feeds")]
        later = await see(anna)
        wrong = await press(anna, "/account/confirm", password="wrong")  # noqa: S106
        right = await press(anna, "/account/confirm", password=PASSWORD)
        again = await press(anna, "/account/keys", name="b", scope="write", days="90")
        revoked = await press(anna, "/account/keys/1/revoke")
        gone = await press(anna, "/account/feeds/1/revoke")
        shut = await client.get(ME, bearer)
        left = await see(anna)

    assert (made.status, opens.json()["scope"]) == (200, "read")
    assert feed.startswith(f"{SITE}/feed/daily.rss?token=")
    assert HtmlPage(page.text).texts(".list bdi.title") == [HOSTILE]
    assert secret_in(made) not in page.text
    assert feed not in page.text
    assert (too_far.status, odd.status, forged.status) == (422, 422, 403)
    assert [each.headers["location"] for each in stale] == ["/account/confirm"] * 2
    assert later.count("#key-name") == 0
    assert (wrong.status, right.headers["location"], again.status) == (401, "/account", 200)
    assert (revoked.status, gone.status, shut.status) == (303, 303, 401)
    assert left.texts(".list bdi.title") == ["b"]


async def test_sessions_end_elsewhere_and_with_the_old_password(database: Database) -> None:
    """What is somebody else's is not there (T13)."""
    house = AuthServer(database=database)
    await house.add("anna")
    await house.add("ben")

    async with house.opened() as client:
        here, there, third = [await come_in(client, "anna") for _ in range(3)]
        ben = await come_in(client, "ben")
        await press(here, "/account/keys", name="a", scope="read", days="30")
        await press(here, "/account/feeds")
        kinds = ("sessions", "keys", "feeds")
        foreign = {(await press(ben, f"/account/{kind}/1/revoke")).status for kind in kinds}
        odd = {(await press(ben, f"/account/{kind}/x/revoke")).status for kind in kinds}
        one = await press(here, "/account/sessions/2/revoke")
        after_one = [(await each.get(ME)).status for each in (here, there, third, ben)]
        await press(here, "/account/sessions/others/revoke")
        after_all = [(await each.get(ME)).status for each in (here, third, ben)]
        page = await see(here)

        there = await come_in(client, "anna")
        mistaken = await press(here, "/account/password", current="wrong", new=ANOTHER)
        weak = await press(here, "/account/password", current=PASSWORD, new="password1234")
        changed = await press(here, "/account/password", current=PASSWORD, new=ANOTHER)
        after_change = [(await each.get(ME)).status for each in (here, there)]
        entered = await Browser(client).login("anna", ANOTHER)

    assert (foreign, odd) == ({404}, {404})
    assert (one.status, after_one) == (303, [200, 401, 200, 200])
    assert after_all == [200, 401, 200]
    assert (page.count("[action^='/account/sessions']"), page.count(".badge.good")) == (0, 1)
    assert [mistaken.status, weak.status, changed.status] == [422, 422, 303]
    assert "the current password is wrong" in mistaken.text
    assert ANOTHER not in mistaken.text
    assert (after_change, entered.status) == ([200, 401], 200)
