"""The pages in a real browser: what it really sends, and what people really see.

One browser and one server for all of them; a page that is added belongs into `PAGES`.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, Page

from clawfeed.app.clock import system_clock
from clawfeed.auth.password_hashing import Passwords
from clawfeed.domain.edition_period import EditionType
from clawfeed.domain.people import Role
from clawfeed.rendering.safe_text import one_line
from clawfeed.storage.connect import StorageConfig, open_database
from clawfeed.storage.users import NewUser, UserStore
from tests.support.browsers import Watched, barriers, opened_browser
from tests.support.databases import migrated
from tests.support.digests import CHANGED, a_story, an_edition
from tests.support.hostile_text import markup_texts
from tests.support.ports import free_port
from tests.support.processes import Running, running_clawfeed
from tests.support.published import publish

PASSWORD = "four unrelated words here"  # noqa: S105 -- nobody's
EMAIL = "anna@example.org"
HOSTILE = [text for text in markup_texts() if one_line(text)]
# For who is signed in; `{story}` and `{edition}` are of the newest edition.
PAGES = (
    "/",
    "/welcome",
    "/welcome/edition",
    "/digests",
    "/digests?type=monthly",
    "/digests/{edition}",
    "/stories/{story}?edition={edition}",
    "/sources",
    "/sources/explore",
    "/sources/packs",
    "/sources/add",
    "/marks",
    "/account",
    "/account/confirm",
    "/docs",
    "/nowhere",
)
STRANGERS_PAGES = ("/", "/login", "/setup/spent")

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """A running server with editions in it, a browser, and where somebody is signed in."""

    url: str
    browser: Browser
    signed_in: Path
    edition: int
    story: int
    hostile: int

    async def context(self, *, is_signed_in: bool = True, **options: object) -> BrowserContext:
        state = self.signed_in if is_signed_in else None
        return await self.browser.new_context(storage_state=state, **options)  # type: ignore[arg-type] # playwright's own

    async def page(self, *, is_signed_in: bool = True, **options: object) -> Watched:
        context = await self.context(is_signed_in=is_signed_in, **options)
        return Watched(page=await context.new_page())


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    async with opened_browser() as found:
        yield found


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def house(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[House]:
    folder, port = tmp_path_factory.mktemp("house"), free_port()
    edition, story, hostile = await _furnish(folder)
    url = f"http://127.0.0.1:{port}"
    with running_clawfeed("serve", cwd=folder, env={"DIGEST_PORT": str(port)}) as server:
        server.wait_for("listening")
        context = await browser.new_context()
        page = await context.new_page()
        await _sign_in(page, f"{url}/login")
        await context.storage_state(path=folder / "state.json")
        await context.close()
        yield House(
            url=url,
            browser=browser,
            signed_in=folder / "state.json",
            edition=edition,
            story=story,
            hostile=hostile,
        )


async def _furnish(folder: Path) -> tuple[int, int, int]:
    """Yesterday's edition and today's, a week of hostile texts, and Anna, who may do everything."""
    (folder / "data").mkdir()
    address = f"sqlite:///{folder}/data/clawfeed.db"
    await migrated(address)
    database = await open_database(StorageConfig(url=address))
    now = system_clock()
    hashed = Passwords().hash_now(PASSWORD)
    anna = NewUser(email=EMAIL, name="Anna", role=Role.ADMIN, password_hash=hashed)
    await UserStore(database).add(anna, now=now)
    hostile = replace(
        an_edition(*map(a_story, HOSTILE)), type=EditionType.WEEKLY, period="2026-W46"
    )
    hostile_id = await publish(database, hostile, at=now)
    await publish(database, an_edition(period="2026-11-14"), at=now - timedelta(days=1))
    stories = [a_story(), a_story("Chips get cheaper", what_changed=CHANGED), a_story("It rains")]
    edition = await publish(database, an_edition(*stories), at=now)
    rows = await database.read(
        "SELECT story_id FROM story_tellings WHERE digest_id = :id ORDER BY story_id",
        {"id": edition},
    )
    await database.close()
    return edition, rows[0]["story_id"], hostile_id


async def _sign_in(page: Page, address: str, email: str = EMAIL, password: str = PASSWORD) -> None:
    await page.goto(address)
    await page.fill("input[name=email]", email)
    await page.fill("input[name=password]", password)
    await page.click("main button[type=submit]")


async def test_a_reader_saves_votes_and_chooses_in_place(house: House) -> None:
    """With the script: no page is loaded for it, and all of it is there on the next one."""
    watched = await house.page()
    page, first = watched.page, "#story-1 .tools"
    await page.goto(f"{house.url}/")
    await page.evaluate("window.isSamePage = true")

    await page.click(f"{first} >> text=Save")
    await page.wait_for_selector(f"{first} [data-key=m][aria-pressed=true]")
    focused = await page.evaluate("document.activeElement.dataset.keep")
    await page.click(f"{first} >> text=More like this")
    await page.wait_for_selector(f"{first} [data-keep=more][aria-pressed=true]")
    await page.click("text=Dark")
    is_same = await page.evaluate("window.isSamePage")
    ground = await page.evaluate("getComputedStyle(document.body).backgroundColor")
    await page.reload()

    assert (is_same, focused) == (True, "m")
    assert await page.get_attribute("html", "data-theme") == "dark"
    assert await page.evaluate("getComputedStyle(document.body).backgroundColor") == ground
    assert await page.locator(f"{first} [aria-pressed=true]").all_text_contents() == [
        "Save",
        "More like this",
    ]
    assert watched.complaints == []
    await _forget(page, first)


async def _forget(page: Page, tools: str) -> None:
    """The next test begins where this one did."""
    await page.click(f"{tools} [data-key=m]")
    await page.wait_for_selector(f"{tools} [data-key=m][aria-pressed=false]")


async def test_the_keyboard_walks_over_stories(house: House) -> None:
    watched = await house.page()
    page = watched.page
    await page.goto(f"{house.url}/")

    for key in "jjk":
        await page.keyboard.press(key)
    first = await page.evaluate("document.activeElement.id")
    await page.keyboard.press("j")
    await page.keyboard.press("m")
    await page.wait_for_selector("#story-2 [data-key=m][aria-pressed=true]")
    await page.keyboard.press("?")
    has_help = await page.is_visible("#keys")
    await page.keyboard.press("Escape")

    assert first == "story-1"
    assert (has_help, await page.is_visible("#keys")) == (True, False)
    assert watched.complaints == []
    await _forget(page, "#story-2 .tools")


async def test_the_same_works_without_javascript(house: House) -> None:
    """Reading, saving, finding what was saved, taking it back; language and colours."""
    watched = await house.page(java_script_enabled=False)
    page = watched.page
    await page.goto(f"{house.url}/")

    await page.click("#story-3 .tools >> text=Save")
    told, address = await page.inner_text(".flash"), page.url
    await page.click("nav >> text=Saved")
    saved = await page.locator("main .list a").all_text_contents()
    await page.click("main .list >> text=Remove")
    await page.click(".flash >> text=Undo")
    back = await page.locator("main .list a").all_text_contents()
    await page.click("main .list >> text=Remove")
    await page.click("footer >> text=Dark")
    await page.click("footer >> text=中文")
    await page.click("nav >> text=往期")
    await page.click("main .list a >> nth=0")

    assert ("Saved." in told, address) == (True, f"{house.url}/#story-3")
    assert saved == back == ["It rains"]
    assert await page.get_attribute("html", "lang") == "zh"
    assert await page.get_attribute("html", "data-theme") == "dark"
    assert await page.locator(".story").count() == 3
    assert await page.is_hidden("[data-keys]")


@pytest.mark.parametrize("theme", ["light", "dark"])
async def test_nobody_is_shut_out_of_a_page(house: House, theme: str) -> None:
    """By axe's rules, on a phone: contrast in either light, names, order, landmarks."""
    found = []
    for is_signed_in, paths in ((True, PAGES), (False, STRANGERS_PAGES)):
        watched = await house.page(
            is_signed_in=is_signed_in,
            bypass_csp=True,
            color_scheme=theme,
            viewport={"width": 390, "height": 844},
        )
        for path in paths:
            await watched.page.goto(
                house.url + path.format(story=house.story, edition=house.edition)
            )
            found += [f"{path} {each}" for each in await barriers(watched.page)]
            wide = await watched.page.evaluate("document.documentElement.scrollWidth")
            found += [f"{path} is {wide} px wide"] if wide > 390 else []
        await watched.page.context.close()

    assert found == []


async def test_hostile_texts_are_only_text(house: House) -> None:
    """(T9): nothing runs, nothing is fetched from elsewhere, the policy has nothing to say."""
    watched = await house.page()
    page = watched.page

    await page.goto(f"{house.url}/digests/{house.hostile}")
    shown = await page.locator(".story h3").all_text_contents()
    await page.click("#story-1 .cite >> nth=0")
    address = page.url
    await page.click("#story-1 [data-key=m]")
    await page.wait_for_selector("#story-1 [data-key=m][aria-pressed=true]")
    await page.goto(f"{house.url}/marks")
    marked = await page.locator("main .list a").all_text_contents()
    await page.click("main .list >> text=Remove")

    assert shown == [one_line(text) for text in HOSTILE]
    assert address.endswith("#story-1-source-1")
    assert marked == [one_line(HOSTILE[0])]
    assert watched.complaints == []
    assert watched.hosts == {house.url.removeprefix("http://")}


async def test_the_first_admin_sets_a_password_and_signs_out_and_in(
    browser: Browser, tmp_path: Path
) -> None:
    """By the link in the log, once; also under the machine's other name; mistakes are told."""
    port = free_port()
    with running_clawfeed("serve", cwd=tmp_path, env={"DIGEST_PORT": str(port)}) as server:
        server.wait_for("listening")
        link, boss = link_in(server), "boss@example.org"
        watched = Watched(page=await browser.new_page())
        page = watched.page
        await _sign_in(page, link, boss, PASSWORD)
        after_setup = await page.inner_text(".who")
        await page.click(".who button")
        after_leaving = await page.inner_text(".who")
        await _sign_in(page, f"http://localhost:{port}/login?next=/docs", boss)
        address = page.url

        stranger = await browser.new_page()
        await stranger.goto(link)
        spent = await stranger.inner_text("main")
        await _sign_in(stranger, f"http://127.0.0.1:{port}/login", boss, "not the password")

        assert "Sign out" in after_setup
        assert "Sign in" in after_leaving
        assert address == f"http://localhost:{port}/docs"
        assert await page.locator(".operation").count() > 40
        assert watched.complaints == []
        assert "used already" in spent
        assert "wrong" in await stranger.inner_text("[role=alert]")


def link_in(server: Running) -> str:
    found = re.search(r"http://[^\s\"]*/setup/[\w-]+", server.stderr)
    assert found, server.stderr
    return found[0]
