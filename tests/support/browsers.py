"""A real browser for tests of pages, what it complains about, and what shuts people out."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, Page, async_playwright

from tests.support.system_packages import needed

# Fetched by `make test-packages` into the environment's own folder.
AXE = Path(".venv/node/node_modules/axe-core/axe.min.js")


@asynccontextmanager
async def opened_browser() -> AsyncIterator[Browser]:
    """The system's chromium, without a window."""
    found = shutil.which("chromium")
    program = needed("chromium", Path(found) if found else None)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser
        await browser.close()


@dataclass(kw_only=True)
class Watched:
    """A page, with all that it said to nobody: console, dialogs, crashes; and whom it asked."""

    page: Page
    complaints: list[str] = field(default_factory=list)
    hosts: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.page.on(
            "console",
            lambda message: self.complaints.append(f"{message.text} {message.location['url']}"),
        )
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: self.complaints.append(dialog.message))
        self.page.on("request", lambda request: self.hosts.add(request.url.split("/")[2]))


async def barriers(page: Page, *rules: str) -> list[str]:
    """What axe finds wrong, by all its rules or by these: the rule, and where.

    The page is in a context that bypasses CSP.
    """
    await page.evaluate(needed("axe-core (npm)", AXE if AXE.exists() else None).read_text())
    options = {"runOnly": list(rules)} if rules else {}
    found: dict[str, Any] = await page.evaluate("(options) => axe.run(options)", options)
    return [
        f"{each['id']}: {node['target']} {node['failureSummary']}"
        for each in found["violations"]
        for node in each["nodes"]
    ]
