"""The pages in a real browser: what it really sends, and what people really see.

One browser and one server for all of them; a page that is added belongs into `PAGES`.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, BrowserContext, Page, Route

from clawfeed.app.clock import system_clock
from clawfeed.auth.password_hashing import Passwords
from clawfeed.domain.channels.channel import ChannelDraft
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.ids import UserId
from clawfeed.domain.people.users import Role
from clawfeed.rendering.safe_text import one_line
from clawfeed.simulator.demo_setup import demo_world
from clawfeed.storage.channels.channels import ChannelStore
from clawfeed.storage.database import Database, execute
from clawfeed.storage.drivers.connect import StorageConfig, open_database
from clawfeed.storage.items.search import SearchIndex
from clawfeed.storage.people.users import NewUser, UserStore
from clawfeed.storage.sources.packs import PackContent, PackStore
from clawfeed.storage.sources.sources import NewSource, SourceStore
from clawfeed.storage.sources.subscriptions import SubscriptionStore
from tests.support.browsers import Watched, barriers, opened_browser
from tests.support.databases import migrated
from tests.support.digests import CHANGED, a_story, an_edition
from tests.support.editions import Rows
from tests.support.hostile_text import markup_texts
from tests.support.items import add_item, add_source, subscribe
from tests.support.origin import on_stage
from tests.support.ports import free_port
from tests.support.processes import Running, run_clawfeed, running_clawfeed
from tests.support.published_digests import publish

PASSWORD = "four unrelated words here"  # noqa: S105 -- nobody's
EMAIL = "anna@example.org"
ANNA = UserId(1)
# What the one source that Anna follows has brought.
FOLLOWED = ("Ferry strike stops traffic to the islands", "Orchestra names a conductor")
HOSTILE = [text for text in markup_texts() if one_line(text)]
# For who is signed in; `{story}` and `{edition}` are of the newest edition, `{broken}` fails.
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
    "/items",
    "/items?q=news&period=7d",
    "/items?q=zebra",
    "/sources/{source}",
    "/sources/{broken}",
    "/sources/{source}/edit",
    "/sources/{source}/remove",
    "/sources/packs/two",
    "/sources/packs/two/edit",
    "/sources/packs/two/remove",
    "/sources/new-pack",
    "/sources/faults",
    "/marks",
    "/my-edition",
    "/channels",
    "/channels/new",
    "/channels/new?kind=telegram",
    "/channels/1",
    "/channels/1/edit",
    "/x",
    "/operations",
    "/operations/editions",
    "/operations/editions/1",
    "/operations/outbox",
    "/operations/alarms",
    "/operations/people",
    "/operations/people/1",
    "/operations/configuration",
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
    source: int
    broken: int
    world: str  # where sources are to be found

    @property
    def ids(self) -> dict[str, int]:
        """What the addresses in `PAGES` name."""
        return {
            "story": self.story,
            "edition": self.edition,
            "source": self.source,
            "broken": self.broken,
        }

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
    url = f"http://127.0.0.1:{port}"
    async with on_stage(demo_world(clock=system_clock, seed=1), folder / "journal") as stage:
        world = stage.url
        env = {"DIGEST_PORT": str(port), "EGRESS_ALLOW": world.removeprefix("http://")}
        await _open_house(folder)
        source, broken = await _follow(folder, world)
        await asyncio.to_thread(run_clawfeed, "collect", cwd=folder, env=env)
        edition, story, hostile = await _furnish(folder, url)
        with running_clawfeed("serve", cwd=folder, env=env) as server:
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
                source=source,
                broken=broken,
                world=world,
            )


async def _open_house(folder: Path) -> None:
    """A database with Anna in it, who may do everything."""
    (folder / "data").mkdir()
    await migrated(_database_of(folder))
    database = await open_database(StorageConfig(url=_database_of(folder)))
    hashed = Passwords().hash_now(PASSWORD)
    anna = NewUser(email=EMAIL, name="Anna", role=Role.ADMIN, password_hash=hashed)
    assert (await UserStore(database).add(anna, now=system_clock())).id == ANNA
    await database.close()


def _database_of(folder: Path) -> str:
    return f"sqlite:///{folder}/data/clawfeed.db"


async def _furnish(folder: Path, url: str) -> tuple[int, int, int]:
    """Yesterday's edition and today's, a week of hostile texts, items and a channel.

    After the polls: what is only written here is asked of nobody.
    """
    database = await open_database(StorageConfig(url=_database_of(folder)))
    now = system_clock()
    desk = await add_source(database, "desk")
    for title in FOLLOWED:
        await add_item(database, desk, title, at=now - timedelta(hours=1))
    await subscribe(database, ANNA, desk)
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
    await _collect(database, url)
    await _add_channel(database, edition)
    await database.close()
    return edition, rows[0]["story_id"], hostile_id


async def _collect(database: Database, url: str) -> None:
    """One source that Anna follows, with hostile items and, newer than those, three of news."""
    source = await add_source(database, "wire")
    await subscribe(database, ANNA, source)
    now = system_clock()
    for n, text in enumerate([*HOSTILE[:20], "news 3", "news 2", "news 1"]):
        item = await add_item(
            database, source, f"{text} {n}" if n < 20 else text, at=now, content=text
        )
        await execute(
            database,
            "UPDATE raw_items SET url = :url WHERE id = :id",
            {"url": f"{url}/digests?item={item}", "id": item},
        )
    await SearchIndex(database).index_new(100)


async def _add_channel(database: Database, edition: int) -> None:
    """Anna's, which has lost its secret, with an edition of which nobody knows."""
    draft = ChannelDraft(kind="telegram", address="@anna_reads", name=HOSTILE[0])
    channel = await ChannelStore(database).add(ANNA, draft, now=system_clock())
    await Rows(database).message(
        edition, channel.id, state="uncertain", last_error_code="broken", last_error=HOSTILE[0]
    )


async def _follow(folder: Path, world: str) -> tuple[int, int]:
    """A source, one that is not there, and a pack of both, which Anna follows."""
    database = await open_database(StorageConfig(url=_database_of(folder)))
    now, ids = system_clock(), []
    for name, path in (("Harbour", "/feeds/harbour-times.xml"), ("Lost", "/nothing")):
        new = NewSource(type="rss", name=name, config={"url": f"{world}{path}"})
        ids.append((await SourceStore(database).add(new, now=now)).id)
    await SubscriptionStore(database).change(ANNA, add=ids, now=now)
    content = PackContent(name="Two", source_ids=tuple(ids))
    await PackStore(database).add(ANNA, "two", content, now=now)
    await database.close()
    return ids[0], ids[1]


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
    async with page.expect_response("**/preferences"):
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


async def test_items_are_searched_walked_over_and_saved_by_keys_alone(house: House) -> None:
    """In place: the list follows what is typed, and its address can be kept."""
    watched = await house.page()
    page = watched.page
    await page.goto(f"{house.url}/items")
    await page.evaluate("window.isSamePage = true")

    hostile = await page.locator(".items .title").all_text_contents()
    await page.keyboard.press("/")
    await page.keyboard.type("news ")
    await page.wait_for_selector(".asked >> text=3 found")
    await page.keyboard.press("Tab")
    for key in "jjjk":
        await page.keyboard.press(key)
    here = await page.inner_text(":focus .title")
    shadow = await page.evaluate("getComputedStyle(document.activeElement).boxShadow")
    await page.keyboard.press("m")
    await page.wait_for_selector(".items .here [aria-pressed=true]")
    said = await page.inner_text("#said")
    stays, address = await page.evaluate("window.isSamePage"), page.url
    await page.keyboard.press("o")
    await page.wait_for_url("**/digests?item=*")
    await page.goto(f"{house.url}/marks")
    await page.evaluate("window.isSamePage = true")
    await page.keyboard.press("j")
    for offered in ("Undo", "Remove", "Undo"):
        await page.keyboard.press("m")
        await page.wait_for_selector(f".here button:text-is('{offered}')")
    stays = stays and await page.evaluate("window.isSamePage")
    await page.goto(f"{house.url}/sources")
    await page.keyboard.press("j")
    for offered in ("Follow", "Unfollow"):
        await page.keyboard.press("m")
        await page.wait_for_selector(f".here button:text-is('{offered}')")

    assert hostile[:3] == ["news 1", "news 2", "news 3"]
    assert len(hostile) > 23
    assert (here, said, stays) == ("news 2", "Saved.", True)
    assert address.endswith("/items?q=news+")
    assert shadow != "none"
    assert watched.complaints == []


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


async def test_what_a_word_would_change_is_shown_while_it_is_typed(house: House) -> None:
    """In place, nothing else is loaded; without the script by a button, as is all the rest."""
    watched = await house.page()
    page = watched.page
    await page.goto(f"{house.url}/my-edition")
    await page.evaluate("window.isSamePage = true")
    await page.select_option("#how", "none")
    await page.type("#words", "orchestra, ferry", delay=60)
    await page.wait_for_selector(".goes_out li >> nth=1")
    out = await page.locator(".goes_out li > a, .goes_out li > bdi").all_text_contents()
    focused = await page.evaluate("document.activeElement.id")
    is_same = await page.evaluate("window.isSamePage")
    said = await page.inner_text("#said")
    summed = await page.inner_text("#preview .sum")
    plain = await house.page(java_script_enabled=False)
    await plain.page.goto(f"{house.url}/my-edition")
    before = await plain.page.locator(".interests li").count()
    await plain.page.fill("#words", "ferry")
    await plain.page.select_option("#how", "none")
    await plain.page.click("main >> text=Preview")
    tried = await plain.page.inner_text("#preview")
    await plain.page.click("main >> text=Keep it")
    kept = await plain.page.locator(".interests bdi").all_text_contents()
    await plain.page.click(".interests button")

    assert sorted(out) == sorted(FOLLOWED)
    assert (is_same, focused, said) == (True, "words", summed)
    assert watched.complaints == []
    assert FOLLOWED[0] in tried
    assert (before, kept) == (0, ["ferry"])
    assert await plain.page.locator(".interests li").count() == 0
    assert "Undo" in await plain.page.inner_text(".flash")


@pytest.mark.timeout(600)
async def test_nobody_is_shut_out_of_a_page(house: House) -> None:
    """By axe's rules, on a phone: names, order, landmarks, and contrast in either light."""
    found = []
    for is_signed_in, paths in ((True, PAGES), (False, STRANGERS_PAGES)):
        watched = await house.page(
            is_signed_in=is_signed_in,
            bypass_csp=True,
            reduced_motion="reduce",
            viewport={"width": 390, "height": 844},
        )
        page = watched.page
        for path in paths:
            await page.emulate_media(color_scheme="light")
            await page.goto(house.url + path.format(**house.ids))
            found += [f"{path} {each}" for each in await barriers(page)]
            await page.emulate_media(color_scheme="dark")
            found += [f"{path} dark {each}" for each in await barriers(page, "color-contrast")]
            wide = await page.evaluate("document.documentElement.scrollWidth")
            found += [f"{path} is {wide} px wide"] if wide > 390 else []
        await page.context.close()

    assert found == []


async def test_the_overview_of_the_house_changes_while_an_admin_looks(house: House) -> None:
    """Without a reload, and in silence; whoever is cut off is told that it stands still."""
    watched, cut = await house.page(), await house.page()
    page = watched.page
    await cut.page.route("**/operations/live", lambda route: route.abort())
    address = f"sqlite:///{house.signed_in.parent}/data/clawfeed.db"
    database = await open_database(StorageConfig(url=address))
    await page.goto(f"{house.url}/operations")
    await page.evaluate("window.isSamePage = true")
    before = await page.inner_text("#live-failure-reasons")
    hidden = await page.is_hidden(".not-live")

    await execute(
        database,
        "INSERT INTO sources (id, name, type, identity, is_active, is_public, created_at, "
        "updated_at) VALUES (77, 'Sick', 'rss', 'sick', 0, 1, 0, 0)",
    )
    await execute(
        database,
        "INSERT INTO fetch_log (source_id, started_at, finished_at, outcome, reason, worker) "
        "VALUES (77, :now, :now, 'failed', 'gone', 'w')",
        {"now": system_clock().timestamp()},
    )
    await page.wait_for_selector("#live-failed-sources >> text=Sick")
    is_same = await page.evaluate("window.isSamePage")
    await page.click("#live-failed-sources >> text=Sick")
    await page.wait_for_url("**/sources/77")
    await cut.page.goto(f"{house.url}/operations")
    await cut.page.wait_for_selector(".not-live", state="visible")
    await execute(database, "DELETE FROM sources WHERE id = 77")
    await database.close()

    assert ("Sick" in before, hidden, is_same) == (False, True, True)
    assert watched.complaints == []


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
    await page.wait_for_selector("main .list >> text=Undo")

    assert shown == [one_line(text) for text in HOSTILE]
    assert address.endswith("#story-1-source-1")
    assert marked == [one_line(HOSTILE[0])]
    assert watched.complaints == []
    assert watched.hosts == {house.url.removeprefix("http://")}


async def test_a_channel_is_added_and_tested_in_place(house: House) -> None:
    """No page is loaded for the test; of the secret's field the browser has nothing to say."""
    watched = await house.page()
    page = watched.page
    await page.goto(f"{house.url}/channels")
    await page.click("main .button.main")
    await page.click(".kind a >> text=Webhook")
    await page.fill("#secret_url", "https://127.0.0.1:9/nobody-may-go-there")
    await page.click("main form .main")
    await page.evaluate("window.isSamePage = true")
    sent, go_on = list[str](), asyncio.Event()

    async def hold(route: Route) -> None:
        sent.append(route.request.url)
        await go_on.wait()
        await route.continue_()

    await page.route("**/channels/*/test", hold)
    for _ in range(2):  # the second while the first runs
        await page.click("#trial button", force=True)
        await page.wait_for_selector("#trial button[aria-disabled=true]")
    go_on.set()
    await page.wait_for_selector("#trial .notice.bad")
    focused = await page.evaluate("document.activeElement.dataset.keep")
    is_same = await page.evaluate("window.isSamePage")
    told = await page.inner_text("#trial .notice")
    await page.click("aside summary")
    await page.click("aside .danger")

    assert (is_same, focused) == (True, "test")
    assert "may not go" in told
    assert await page.locator(".channels li").count() == 1
    assert len(sent) == 1
    assert watched.complaints == []


async def test_a_source_is_found_by_its_page_followed_and_given_up(house: House) -> None:
    """Without the script too: what is found is seen before anything is stored."""
    for is_lively in (True, False):
        watched = await house.page(java_script_enabled=is_lively)
        page = watched.page
        await page.goto(f"{house.url}/sources/add")
        await page.fill("#url", f"{house.world}/site/morning-wire")
        await page.click("main button.main")
        found = await page.locator("main .list [data-item]").count()
        await page.click("main button.plain")  # another feed that this page offers
        place = await page.inner_text(".lead")
        await page.fill("#name", "Mornings")
        await page.click("main button.main")
        address, title = page.url, await page.inner_text("h1")
        await page.click("text=Poll now")
        asked = await page.inner_text("#watch")
        await page.click("#watch button" if not is_lively else "text=Edit or remove")
        if not is_lively:
            await page.click("text=Edit or remove")
        await page.click("text=Remove this source")
        await page.click("main button.danger")
        left = await page.locator(".sources .title").all_text_contents()

        assert found > 0
        assert place.endswith("/site/morning-wire/feed.xml")
        assert "/sources/" in address
        assert (title, "Asked for." in asked) == ("Mornings", True)
        assert "The source is removed." in await page.inner_text(".flash")
        assert left[0] == "Lost"
        assert set(left) == {"Lost", "Harbour", "desk", "wire"}
        assert watched.complaints == []


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
