"""The HTML of an e-mail in a real browser, on a phone: text, and nothing else."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from playwright.async_api import ViewportSize, async_playwright

from clawfeed.rendering.email_edition import edition_email, html_document
from clawfeed.rendering.safe_text import one_line
from tests.support.digests import a_story, an_edition
from tests.support.hostile_text import markup_texts
from tests.support.system_packages import needed

pytestmark = pytest.mark.slow

TITLES = [each for each in markup_texts() if one_line(each)]
PHONE: ViewportSize = {"width": 360, "height": 640}


def _chromium() -> Path | None:
    found = shutil.which("chromium")
    return Path(found) if found else None


async def test_hostile_titles_are_only_text_and_nothing_is_fetched() -> None:
    """(T21): no script runs, nothing is asked for, all fits a phone, also at night."""
    content = an_edition(*map(a_story, TITLES))
    html = html_document(
        edition_email(content, "https://feeds.example/digests/1"), "https://feeds.example/u/1"
    )
    noticed: list[str] = []
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=needed("chromium", _chromium()), args=["--no-sandbox", "--disable-gpu"]
        )
        page = await browser.new_page(viewport=PHONE, color_scheme="dark")
        page.on("console", lambda message: noticed.append(message.text))
        page.on("dialog", lambda dialog: noticed.append(dialog.message))
        page.on("request", lambda request: noticed.append(request.url))
        await page.set_content(html)
        shown = await page.locator("h3").all_text_contents()
        width = await page.evaluate("document.documentElement.scrollWidth")
        colour = await page.evaluate("getComputedStyle(document.body).color")
        await browser.close()

    assert shown == [f"{number}. {one_line(each)}" for number, each in enumerate(TITLES, 1)]
    assert noticed == []
    assert width == PHONE["width"]
    assert colour == "rgb(255, 255, 255)"
