"""The real service on the simulated world, in a real browser: from the first minute to a resend.

Every process of the product runs (`clawfeed run`); one of the feeds is hostile. The same reading
path is walked without the script. What axe finds is looked for in `tests/web`.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from playwright.async_api import Browser, Page
from playwright.async_api import Error as BrowserError

from clawfeed.app.clock import system_clock
from clawfeed.rendering.safe_text import one_line
from clawfeed.simulator import Fault, Misbehaviour, channel_settings, demo_world, serve, settings
from clawfeed.simulator.world import World
from tests.end_to_end.fleet import until
from tests.support.browsers import Watched, opened_browser
from tests.support.hostile_html import payloads
from tests.support.hostile_text import markup_texts
from tests.support.ports import free_port
from tests.support.processes import running_clawfeed

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

PASSWORD = "four unrelated words here"  # noqa: S105 -- nobody's
HOSTILE = "/feeds/polar-journal.rdf"
TELEGRAM = "/telegram/*"
FEEDS = ("/feeds/harbour-times.xml", "/feeds/night-sky.atom", HOSTILE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """A running product, its world, and the browser that looks at it."""

    url: str
    setup: str
    world_url: str
    world: World
    browser: Browser

    async def look(self, **options: object) -> Watched:
        context = await self.browser.new_context(**options)  # type: ignore[arg-type] # playwright's own
        context.set_default_timeout(60_000)
        return Watched(page=await context.new_page())


def hostile_feed() -> str:
    """Hostile titles, and below each some of the hostile markup."""
    titles = [text for text in markup_texts() if one_line(text)][:40]
    markup = list(payloads())
    items = "".join(
        f"<item><title>{escape(one_line(title))} {number}</title>"
        f"<link>https://evil.example/{number}</link><description>"
        f"{escape(_printable(markup[number :: len(titles)][:40]))}</description></item>"
        for number, title in enumerate(titles)
    )
    return f'<rss version="2.0"><channel><title>Evil</title>{items}</channel></rss>'


def _printable(markup: list[str]) -> str:
    """What XML can carry at all."""
    return "".join(char for char in " ".join(markup) if char.isprintable() or char == "\n")


@asynccontextmanager
async def a_day(folder: Path) -> AsyncIterator[Day]:
    world, port = demo_world(seed=7, clock=system_clock), free_port()
    world.misbehave(HOSTILE, Misbehaviour(fault=Fault.OTHER_BODY, body=hostile_feed()))
    # The first try to deliver fails so that nobody can know whether it arrived.
    world.misbehave(TELEGRAM, Misbehaviour(fault=Fault.STATUS, status=500))
    async with serve(world) as origin, opened_browser() as browser:
        env = {
            **settings(origin.url),
            **channel_settings(origin.url, origin.mail_url),
            "DIGEST_PORT": str(port),
            "COLLECTOR_TICK": "1",
            "HOST_SPACING_MS": "0",
            "HOST_CONCURRENCY": "8",
            "AUTO_PAUSE_AFTER": "1",
        }
        with running_clawfeed("run", cwd=folder, env=env) as product:
            product.wait_for("/setup/")
            link = re.search(r"http://[^\s\"]*/setup/[\w-]+", product.stderr)
            assert link, product.stderr
            yield Day(
                url=f"http://127.0.0.1:{port}",
                setup=link[0],
                world_url=origin.url,
                world=world,
                browser=browser,
            )


async def test_a_day_from_the_first_minute_to_the_evening(tmp_path: Path) -> None:
    """(S000-22, S001-9, S001-15, S002-17, T9)."""
    async with a_day(tmp_path) as day:
        watched = await day.look()
        page = watched.page
        await _begin(day, page)
        edition = await _first_edition(page)
        await _read(day, page)
        await _search(day, page)
        await _hostile_pages(day, page)
        channel = await _add_channel(day, page)
        resumed = await _resume_what_failed(day, page)
        resent = await _resend_what_is_uncertain(day, page)
        plain = await _read_without_script(day, await page.context.storage_state())

    assert edition > 0
    assert "arrived" in channel.lower() or "sent" in channel.lower()
    assert resumed == "fine"
    assert resent == ["sent"]
    assert plain == edition
    assert watched.complaints == []
    assert watched.hosts == {day.url.removeprefix("http://")}


async def _begin(day: Day, page: Page) -> None:
    """The first password, then three addresses that are pasted, seen and followed."""
    await page.goto(day.setup)
    await page.fill("input[name=email]", "boss@example.org")
    await page.fill("input[name=password]", PASSWORD)
    await page.click("main button[type=submit]")
    await page.wait_for_url("**/welcome")
    for path in FEEDS:
        await page.fill("#url", day.world_url + path)
        await page.click("form[action='/sources/add'] button[type=submit]")
        await page.wait_for_selector("form[action='/sources/new']")
        await page.check("input[name=is_public][value='1']")
        await page.click("form[action='/sources/new'] button.main")
        await page.wait_for_url("**/welcome")
    await page.click(".onward button.main")


async def _first_edition(page: Page) -> int:
    """Told when it is there, without a reload; how many stories it has."""
    await page.wait_for_selector("#progress a.main[href='/']")
    await page.click("#progress a.main[href='/']")
    await page.wait_for_selector(".edition .story")
    return await page.locator(".edition .story").count()


async def _read(day: Day, page: Page) -> None:
    """Save, vote, another language and colours, all in place; and why a story is in."""
    tools = "#story-1 .tools"
    await page.click(f"{tools} [data-key=m]")
    await page.wait_for_selector(f"{tools} [data-key=m][aria-pressed=true]")
    await page.click(f"{tools} [data-keep=more]")
    await page.wait_for_selector(f"{tools} [data-keep=more][aria-pressed=true]")
    await page.click(f"{tools} a[href^='/stories/']")
    await page.wait_for_url("**/stories/*")
    await page.click("footer >> text=中文")
    await page.wait_for_selector("html[lang=zh]")
    await page.click("footer >> text=English")
    await page.wait_for_selector("html[lang=en]")
    async with page.expect_response("**/preferences"):
        await page.click("footer >> text=Dark")
    await page.goto(f"{day.url}/marks")
    await page.wait_for_selector("html[data-theme=dark] main .list a")


async def _search(day: Day, page: Page) -> None:
    await page.goto(f"{day.url}/items")
    word = (await page.inner_text(".items .title >> nth=-1")).split()[0]
    await page.fill("input[type=search]", word)
    await page.wait_for_selector(f".asked >> text={word}")
    titles = await page.locator(".items .title").all_text_contents()
    assert any(word in title for title in titles)


async def _hostile_pages(day: Day, page: Page) -> None:
    """Its items on every page that shows them: only text, and nobody elsewhere is asked."""
    await page.goto(f"{day.url}/sources")
    await page.click(".sources .title >> text=Evil")
    await page.wait_for_selector("h1 >> text=Evil")
    await page.wait_for_selector("main .list a[href^='https://evil.example/']")
    await page.goto(f"{day.url}/items?q=evil.example")
    await page.goto(f"{day.url}/api/raw-items?limit=200")
    await page.goto(f"{day.url}/")


async def _add_channel(day: Day, page: Page) -> str:
    """A webhook of one's own, tested on its page; what the page then says."""
    await page.goto(f"{day.url}/channels/new?kind=webhook")
    await page.fill("#secret_url", f"{day.world_url}/hooks/webhook/simulated")
    await page.click("main form .main")
    await page.click("#trial button")
    await page.wait_for_selector("#trial .notice")
    return await page.inner_text("#trial .notice")


async def _resume_what_failed(day: Day, page: Page) -> str:
    """A source that stopped after failures is resumed on its page, once its feed is back."""
    path = FEEDS[1]
    day.world.misbehave(path, Misbehaviour(fault=Fault.STATUS, status=404))
    await page.goto(f"{day.url}/sources")
    await page.click(".sources .title >> text=Night Sky")
    await page.click("text=Poll now")
    await page.wait_for_selector("#watch")
    await _until_there(page, "button:has-text('Resume')")
    await page.goto(f"{day.url}/operations")
    await page.wait_for_selector("#live-failed-sources >> text=Night Sky")
    day.world.behave(path)
    await page.click("#live-failed-sources >> text=Night Sky")
    await page.click("button:has-text('Resume')")
    await _until_there(page, "main .badge.good >> text=fine")
    return await page.inner_text("main .badge.good >> nth=0")


async def _resend_what_is_uncertain(day: Day, page: Page) -> list[str]:
    """The house's Telegram answered 500: an admin sends again what may have arrived."""
    await page.goto(f"{day.url}/operations/outbox?state=uncertain")
    await _until_there(page, ".ask summary")
    day.world.behave(TELEGRAM)
    message = await page.get_attribute("li[id^=message-]", "id")
    await page.click(f"#{message} .ask summary >> nth=0")
    await page.click(f"#{message} .ask button >> nth=0")
    await page.goto(f"{day.url}/operations/outbox?state=sent")
    await _until_there(page, f"#{message}")
    return await page.locator(f"#{message} .badge").all_text_contents()


async def _read_without_script(day: Day, state: object) -> int:
    """Read, save, vote and take back, by forms alone; how many stories the edition has."""
    watched = await day.look(java_script_enabled=False, storage_state=state)
    page = watched.page
    await page.goto(f"{day.url}/")
    stories = await page.locator(".edition .story").count()
    await page.click("#story-2 .tools [data-key=m]")
    await page.wait_for_selector("#story-2 .tools [data-key=m][aria-pressed=true]")
    await page.click("#story-2 .tools [data-keep=less]")
    await page.wait_for_selector("#story-2 .tools [data-keep=less][aria-pressed=true]")
    await page.goto(f"{day.url}/items?q=a")
    await page.click("nav.pages >> text=Editions")
    await page.wait_for_url("**/digests")
    await page.click("main .list a >> nth=0")
    await page.wait_for_selector(".edition .story")
    assert watched.complaints == []
    return stories


async def _until_there(page: Page, selector: str) -> None:
    """Look again until the page has it."""

    async def is_there() -> bool:
        # A form that was just sent, or the page's own script, may be on its way to the next page:
        # the browser then refuses to load this one again.
        with suppress(BrowserError):
            await page.reload()
        return await page.locator(selector).count() > 0

    await until(is_there, patience=90)
