"""The pages in a real browser: what it really sends, and what people really see."""

from __future__ import annotations

import re
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, async_playwright

from clawfeed.app.clock import system_clock
from clawfeed.rendering.safe_text import one_line
from clawfeed.storage.connect import StorageConfig, open_database
from tests.support.debian import needed
from tests.support.digests import a_story, an_edition
from tests.support.hostile_text import markup_texts
from tests.support.ports import free_port
from tests.support.processes import Running, running_clawfeed
from tests.support.published import publish

PASSWORD = "four unrelated words here"  # noqa: S105 -- nobody's

pytestmark = pytest.mark.slow


def _chromium() -> Path | None:
    found = shutil.which("chromium")
    return Path(found) if found else None


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    program = needed("chromium", _chromium())
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser
        await browser.close()


def link_in(server: Running) -> str:
    found = re.search(r"http://[^\s\"]*/setup/[\w-]+", server.stderr)
    assert found, server.stderr
    return found[0]


async def test_the_first_admin_sets_a_password_and_signs_out_and_in(
    browser: Browser, tmp_path: Path
) -> None:
    """By the link in the log; also under the machine's other name, with nothing in the console."""
    port = free_port()
    with running_clawfeed("serve", cwd=tmp_path, env={"DIGEST_PORT": str(port)}) as server:
        server.wait_for("listening")
        page = await browser.new_page()
        complaints: list[str] = []
        page.on("console", lambda message: complaints.append(message.text))

        await page.goto(link_in(server))
        await page.fill("input[name=email]", "boss@example.org")
        await page.fill("input[name=password]", PASSWORD)
        await page.click("button[type=submit]")
        after_setup = await page.inner_text(".who")
        await page.click(".who button")
        after_leaving = await page.inner_text(".who")
        await page.goto(f"http://localhost:{port}/login?next=/docs")
        await page.fill("input[name=email]", "boss@example.org")
        await page.fill("input[name=password]", PASSWORD)
        await page.click("button[type=submit]")

        assert "Sign out" in after_setup
        assert "Sign in" in after_leaving
        assert page.url == f"http://localhost:{port}/docs"
        assert await page.locator(".operation").count() > 40
        assert complaints == []


async def test_wrong_passwords_and_spent_links_are_told_on_the_page(
    browser: Browser, tmp_path: Path
) -> None:
    port = free_port()
    with running_clawfeed("serve", cwd=tmp_path, env={"DIGEST_PORT": str(port)}) as server:
        server.wait_for("listening")
        link = link_in(server)
        page = await browser.new_page()
        await page.goto(link)
        await page.fill("input[name=email]", "boss@example.org")
        await page.fill("input[name=password]", "password1234")
        await page.click("button[type=submit]")
        weak = await page.inner_text(".mistake")
        await page.fill("input[name=password]", PASSWORD)
        await page.click("button[type=submit]")

        stranger = await browser.new_page()
        await stranger.goto(link)
        spent = await stranger.inner_text("main")
        await stranger.goto(f"http://127.0.0.1:{port}/login")
        await stranger.fill("input[name=email]", "boss@example.org")
        await stranger.fill("input[name=password]", "not the password")
        await stranger.click("button[type=submit]")

        assert "password" in weak
        assert "used already" in spent
        assert "wrong" in await stranger.inner_text(".mistake")


async def test_hostile_titles_are_only_text_on_the_front_page(
    browser: Browser, tmp_path: Path
) -> None:
    """Nothing runs, nothing is fetched from elsewhere, and the policy has nothing to say."""
    port = free_port()
    with running_clawfeed("serve", cwd=tmp_path, env={"DIGEST_PORT": str(port)}) as server:
        server.wait_for("listening")
        url = f"sqlite:///{tmp_path}/data/clawfeed.db"
        database = await open_database(StorageConfig(url=url))
        stories = [a_story(text) for text in markup_texts() if one_line(text)]
        await publish(database, an_edition(*stories), at=system_clock())
        await database.close()
        page = await browser.new_page()
        complaints: list[str] = []
        asked: list[str] = []
        page.on("console", lambda message: complaints.append(message.text))
        page.on("dialog", lambda dialog: complaints.append(dialog.message))
        page.on("request", lambda request: asked.append(request.url))

        await page.goto(f"http://127.0.0.1:{port}/")
        shown = await page.locator(".story h3").all_text_contents()
        await page.click("#story-1 .cite >> nth=0")

        assert shown == [one_line(text) for text in markup_texts() if one_line(text)]
        assert page.url.endswith("/#story-1-source-1")
        assert complaints == []
        assert {each.split("/")[2] for each in asked} == {f"127.0.0.1:{port}"}
