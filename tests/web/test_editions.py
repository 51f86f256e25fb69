"""Editions as pages: everybody's for who comes by, one's own for who is signed in."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from clawfeed.api.http.application import build_application
from clawfeed.storage.database import Database
from clawfeed.web.frame.error_pages import ErrorPages
from tests.support.api_callers import ANNA, BEN, NAME_TAGS, add_people, as_user
from tests.support.digests import an_edition
from tests.support.html_pages import HtmlPage
from tests.support.pages import a_site, reading_room
from tests.support.published_digests import publish
from tests.support.socket_server import Client, served

pytestmark = pytest.mark.one_database

BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@asynccontextmanager
async def house(database: Database) -> AsyncIterator[Client]:
    await add_people(database)
    site = a_site(database)
    app = build_application(
        "9.9", reading_room(site, database), NAME_TAGS, error_page=ErrorPages(site)
    )
    async with served(app) as client:
        yield client


async def test_before_the_first_edition_the_front_page_has_figures(database: Database) -> None:
    async with house(database) as client:
        page = HtmlPage((await client.get("/")).text)

    assert page.count(".figures") == 1
    assert page.count(".empty") == 1
    assert page.count(".edition") == 0


async def test_whoever_comes_by_reads_everybodys_edition_and_is_invited(
    database: Database,
) -> None:
    """(S001-15): anonymous visitors see the digest of the default content."""
    async with house(database) as client:
        digest = await publish(database, an_edition())
        answer = await client.get("/")
        by_id = await client.get(f"/digests/{digest}")

    page = HtmlPage(answer.text)
    assert page.texts("h1") == ["Rust, chips and the weather"]
    assert page.count("article.edition article.story#story-1") == 1
    assert "Sign in" in page.texts(".invitation")[0]
    assert page.count("script:not([src]), style, [style]") == 0
    assert page.values("link[rel=alternate]", "href") == ["/feed/daily.rss", "/feed/daily.json"]
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["cache-control"] == "no-store"
    assert HtmlPage(by_id.text).texts("h1") == page.texts("h1")


async def test_readers_find_their_own_edition_in_front(database: Database) -> None:
    """(S001-19, T13): and nobody else does, by its address either."""
    async with house(database) as client:
        await publish(database, an_edition())
        annas = replace(an_edition(), title="Anna's own", language="zh")
        digest = await publish(database, annas, scope="reader-2", readers=[ANNA])
        anna = HtmlPage((await client.get("/", as_user(ANNA))).text)
        ben = HtmlPage((await client.get("/", as_user(BEN))).text)
        pages = [
            (await client.get(f"/digests/{digest}", who)).status
            for who in (as_user(ANNA), as_user(BEN), {})
        ]

    assert (anna.texts("h1"), anna.count(".invitation")) == (["Anna's own"], 0)
    # The frame is in the browser's language, the edition in its own.
    assert (anna.values("html", "lang"), anna.values(".edition", "lang")) == (["en"], ["zh"])
    assert ben.texts("h1") == ["Rust, chips and the weather"]
    assert "Anna's own" not in " ".join(ben.texts("body"))
    assert pages == [200, 404, 404]


async def test_what_is_no_edition_is_not_there(database: Database) -> None:
    async with house(database) as client:
        paths = ("7", "0", "x", "99999999999999999999", "%31")
        answers = [await client.get(f"/digests/{path}", BROWSER) for path in paths]
        problem = await client.get("/digests/7")

    assert {answer.status for answer in answers} == {404}
    for answer in answers:
        # A page with the way out: whoever follows an old link is a person.
        assert HtmlPage(answer.text).values("main a", "href") == ["/"]
    assert (problem.status, problem.content_type) == (404, "application/problem+json")
