"""Every page as people see it: phone and desktop, light and dark, English and Chinese.

Starts a demo of its own, signs in and shoots `PAGES` into `screenshots/`; `--only today,marks`
takes these, and `--only readme` the pictures of both READMEs, into `docs/pictures/`. A page that
fails is told of at the end. Needs chromium; Chinese needs a font that has it (fonts-noto-cjk).
"""
# ruff: noqa: INP001, T201 -- a script that prints

from __future__ import annotations

import argparse
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Final

from playwright.sync_api import Browser, Page, sync_playwright
from playwright.sync_api import Error as BrowserError

FOLDER: Final = Path("screenshots")
PASSWORD: Final = "four unrelated words here"  # noqa: S105 -- a demo's, gone with it
SIZES: Final = {"phone": (390, 844), "desktop": (1280, 900)}
THEMES: Final = ("light", "dark")
LOCALES: Final = {"en": "en-GB", "zh": "zh-CN"}
FIRST_EDITION_SECONDS: Final = 180
README: Final = "readme"
PICTURE_FOLDER: Final = Path("docs/pictures")
PICTURE_SIZE: Final = (1280, 800)
PICTURE_BYTES: Final = 250_000
FOLLOW_MS: Final = 5000
SERVER_ERROR: Final = 500

Size = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """One page. *follow* is a link on *path* to go on by, where the address is not known before.

    *without* is what a picture leaves out.
    """

    name: str
    path: str
    follow: str = ""
    without: str = ""
    is_signed_in: bool = True


class BadShotError(Exception):
    """The page came, and is not fit to be shown."""


# One line for each page; in the order of the header.
PAGES: Final = (
    Shot(name="today", path="/"),
    Shot(name="today-stranger", path="/", is_signed_in=False),
    Shot(name="welcome", path="/welcome"),
    Shot(name="first-edition", path="/welcome/edition"),
    Shot(name="editions", path="/digests"),
    Shot(name="edition", path="/digests", follow=".list a"),
    Shot(name="story", path="/", follow=".tools a[href^='/stories/']"),
    Shot(name="left-out", path="/", follow=".edition > footer li a"),
    Shot(name="sources", path="/sources"),
    Shot(name="sources-explore", path="/sources/explore"),
    Shot(name="sources-stranger", path="/sources/explore", is_signed_in=False),
    Shot(name="source-packs", path="/sources/packs"),
    Shot(name="source-pack-new", path="/sources/new-pack"),
    Shot(name="source-add", path="/sources/add"),
    Shot(name="source", path="/sources", follow=".sources li:not(:has(.trouble)) a"),
    Shot(name="source-failing", path="/sources", follow=".sources li:has(.trouble) a"),
    Shot(name="items", path="/items"),
    Shot(name="items-searched", path="/items?q=model&period=7d"),
    Shot(name="items-none", path="/items?q=zebra+crossing"),
    Shot(name="source-edit", path="/sources/1/edit"),
    Shot(name="source-faults", path="/sources/faults"),
    Shot(name="source-remove", path="/sources/1/remove"),
    Shot(name="marks", path="/marks"),
    Shot(name="my-edition", path="/my-edition"),
    Shot(name="channels", path="/channels"),
    Shot(name="channel", path="/channels", follow=".channels a"),
    Shot(name="channel-kinds", path="/channels/new"),
    Shot(name="channel-add", path="/channels/new?kind=telegram"),
    Shot(name="own-x", path="/x"),
    Shot(name="operations", path="/operations"),
    Shot(name="operations-editions", path="/operations/editions"),
    Shot(name="operations-edition", path="/operations/editions", follow="table a"),
    Shot(name="operations-outbox", path="/operations/outbox"),
    Shot(name="operations-alarms", path="/operations/alarms"),
    Shot(name="operations-people", path="/operations/people"),
    Shot(name="operations-person", path="/operations/people", follow="table a"),
    Shot(name="operations-configuration", path="/operations/configuration"),
    Shot(name="account", path="/account"),
    Shot(name="account-confirm", path="/account/confirm"),
    Shot(name="login", path="/login", is_signed_in=False),
    Shot(name="setup", path="/setup/spent", is_signed_in=False),
    Shot(name="reference", path="/docs", is_signed_in=False),
    Shot(name="not-found", path="/nowhere", is_signed_in=False),
)


# What the READMEs show, in this order.
PICTURES: Final = (
    Shot(name="today", path="/"),
    Shot(name="source", path="/sources", follow=".sources a:has-text('Circuit Weekly')"),
    # Collectors bear the name of the machine.
    Shot(name="operations", path="/operations", without="#live-collectors"),
)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="names of PAGES, separated by commas; or readme")
    wanted = set(filter(None, parser.parse_args(arguments).only.split(",")))
    if unknown := wanted - {README, *(shot.name for shot in PAGES)}:
        print(f"There is no page {', '.join(sorted(unknown))} in PAGES.", file=sys.stderr)
        return 1
    chromium = shutil.which("chromium")
    if chromium is None:
        print("There is no chromium here; `make test-packages` installs it.", file=sys.stderr)
        return 1
    FOLDER.mkdir(exist_ok=True)
    with demo() as (url, link), sync_playwright() as playwright:
        wait_for_edition(url)
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        failed = shoot_all(browser, url, wanted, sign_in(browser, link))
        browser.close()
    for name, reason in failed.items():
        print(f"{name} failed: {reason}", file=sys.stderr)
    return 1 if failed else 0


def shoot_all(browser: Browser, url: str, wanted: set[str], state: Path) -> dict[str, str]:
    """Takes what is wanted, everything if nothing is named; says which failed, and why."""
    failed = {}
    shots = [(shot, shoot) for shot in PAGES if not wanted or shot.name in wanted]
    if README in wanted:
        shots += [(shot, shoot_picture) for shot in PICTURES]
    for shot, take in shots:
        try:
            take(browser, url, shot, state if shot.is_signed_in else None)
            print(shot.name, flush=True)
        except (BrowserError, BadShotError) as error:
            failed[shot.name] = str(error).partition("\n")[0]
    return failed


@contextmanager
def demo() -> Iterator[tuple[str, str]]:
    """A demo in a process of its own: its address, and the link that signs its admin in."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [str(Path(sys.executable).with_name("clawfeed")), "demo"]
    environment = {**os.environ, "DIGEST_PORT": str(port), "COLUMNS": "200"}
    process = subprocess.Popen(  # noqa: S603 -- our own command
        command, env=environment, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None  # noqa: S101 -- asked for above
        for line in process.stdout:
            if found := re.search(r"http://\S+/setup/[\w-]+", line):
                threading.Thread(target=process.stdout.read, daemon=True).start()
                yield f"http://127.0.0.1:{port}", found[0]
                break
        else:
            raise SystemExit("The demo ended before it showed its link.")
    finally:
        process.terminate()
        process.wait()


def wait_for_edition(url: str) -> None:
    deadline = time.monotonic() + FIRST_EDITION_SECONDS
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:  # noqa: S310 -- our own demo
                if b'class="edition"' in answer.read():
                    return
        except OSError:
            pass
        time.sleep(1)
    raise SystemExit("The demo has made no edition.")


def sign_in(browser: Browser, link: str) -> Path:
    """Signed in, with a story saved and one voted for; the cookies are kept in a file."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(link)
    page.fill("input[name=email]", "reader@example.org")
    page.fill("input[name=name]", "Robin Reader")
    page.fill("input[name=password]", PASSWORD)
    page.click("main button[type=submit]")
    page.goto(link.partition("/setup/")[0])
    for number in (1, 3):
        page.click(f"#story-{number} [data-key=m]")
    page.click("#story-1 [data-keep=more]")
    page.wait_for_selector("#story-1 [data-keep=more][aria-pressed=true]")
    state = FOLDER / ".state.json"
    context.storage_state(path=state)
    context.close()
    return state


def shoot(browser: Browser, url: str, shot: Shot, state: Path | None) -> None:
    for size, theme, language in product(SIZES, THEMES, LOCALES):
        path = FOLDER / f"{shot.name}-{size}-{theme}-{language}.png"
        with _opened(browser, url, shot, state, (SIZES[size], theme, language)) as page:
            page.screenshot(path=path, full_page=True)


def shoot_picture(browser: Browser, url: str, shot: Shot, state: Path | None) -> None:
    """The upper part of a page, once for each README."""
    PICTURE_FOLDER.mkdir(exist_ok=True)
    for language in LOCALES:
        path = PICTURE_FOLDER / f"{shot.name}.{language}.png"
        with _opened(browser, url, shot, state, (PICTURE_SIZE, "light", language)) as page:
            if shot.without:  # not by a style: the policy of the pages lets no other in
                page.locator(shot.without).evaluate("each => each.remove()", timeout=FOLLOW_MS)
            page.screenshot(path=path)
        if path.stat().st_size > PICTURE_BYTES:
            raise BadShotError(f"{path} has more than {PICTURE_BYTES} bytes")


@contextmanager
def _opened(
    browser: Browser, url: str, shot: Shot, state: Path | None, look: tuple[Size, str, str]
) -> Iterator[Page]:
    (width, height), theme, language = look
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if theme == "dark" else "light",
        locale=LOCALES[language],
        reduced_motion="reduce",
        storage_state=state,
    )
    try:
        page = context.new_page()
        _go(page, f"{url}{shot.path}")
        if shot.follow:
            address = page.locator(shot.follow).first.get_attribute("href", timeout=FOLLOW_MS)
            _go(page, f"{url}{address}")
        yield page
    finally:
        context.close()


def _go(page: Page, address: str) -> None:
    answer = page.goto(address)
    if answer is None or answer.status >= SERVER_ERROR:
        raise BadShotError(f"{page.url} answered {answer.status if answer else 'nothing'}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
