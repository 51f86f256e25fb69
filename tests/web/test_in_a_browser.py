"""The pages in a real browser: what it really sends, and what people really see."""

from __future__ import annotations

import re
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, async_playwright

from tests.support.debian import needed
from tests.support.ports import free_port
from tests.support.processes import Running, running_clawfeed

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
