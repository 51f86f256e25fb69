"""What stands around every page: language, colours, header, mistakes, and what was just done."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlencode

import pytest

from clawfeed.api.http.application import build_application
from clawfeed.auth.csrf_token import FIELD
from clawfeed.storage.database import Database, execute
from clawfeed.web.frame.error_pages import ErrorPages
from clawfeed.web.texts.all_texts import TEXTS
from tests.auth.auth_server import PASSWORD, AuthServer, Browser
from tests.support.api_callers import ADMIN, ANNA, NAME_TAGS, add_people, as_user
from tests.support.digests import an_edition
from tests.support.html_pages import HtmlPage
from tests.support.pages import a_site, reading_room
from tests.support.published_digests import publish
from tests.support.socket_server import Client, served, set_cookies

pytestmark = pytest.mark.one_database

BROWSER = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@asynccontextmanager
async def house(database: Database) -> AsyncIterator[Client]:
    await add_people(database)
    site = a_site(database)
    rooms = reading_room(site, database)
    app = build_application("9.9", rooms, NAME_TAGS, error_page=ErrorPages(site))
    async with served(app) as client:
        yield client


async def test_the_language_is_the_one_chosen_here_then_the_readers_then_the_browsers(
    database: Database,
) -> None:
    async with house(database) as client:
        await execute(
            database,
            "INSERT INTO reader_settings (user_id, language, updated_at) VALUES (2, 'zh', 0)",
        )
        asked = [
            {},
            {"Accept-Language": "zh-CN"},
            {"Accept-Language": "zh-CN", "Cookie": "language=en"},
            {**as_user(ANNA), "Accept-Language": "en"},
            {**as_user(ANNA), "Cookie": "language=en"},
            {**as_user(ADMIN), "Cookie": "language=xx"},
        ]
        pages = [HtmlPage((await client.get("/digests", each)).text) for each in asked]

    languages = [page.values("html", "lang")[0] for page in pages]
    assert languages == ["en", "zh", "en", "zh", "en", "en"]
    assert pages[1].texts("h1") == ["往期简报"]
    assert pages[1].texts(".switch button[lang][aria-pressed]") == ["中文"]


async def test_the_switches_in_the_footer_are_forms(database: Database) -> None:
    """They keep their choice in the browser and lead back; nowhere else, and to nothing else."""

    def sent(**fields: str) -> bytes:
        return urlencode(fields).encode()

    async with house(database) as client:
        chinese = await client.post("/preferences", FORM, sent(language="zh", next="/digests?x=1"))
        dark = await client.post("/preferences", FORM, sent(theme="dark", next="//evil.example"))
        auto = await client.post("/preferences", FORM, sent(theme="auto"))
        odd = await client.post("/preferences", FORM, sent(theme="neon"))
        page = HtmlPage((await client.get("/", {"Cookie": "theme=dark"})).text)

    assert (chinese.status, chinese.headers["location"]) == (303, "/digests?x=1")
    assert "language=zh" in set_cookies(chinese)[0]
    assert "HttpOnly" in set_cookies(chinese)[0]
    assert dark.headers["location"] == "/"
    assert "theme=dark" in set_cookies(dark)[0]
    assert "Max-Age=0" in set_cookies(auto)[0]
    assert (odd.status, set_cookies(odd)) == (422, [])
    assert page.values("html", "data-theme") == ["dark"]
    assert page.values(".switch button[name=theme][aria-pressed]", "value") == ["dark"]


async def test_the_header_leads_where_one_may_go(database: Database) -> None:
    async with house(database) as client:
        stranger = HtmlPage((await client.get("/digests")).text)
        anna = HtmlPage((await client.get("/marks", as_user(ANNA))).text)

    assert stranger.values(".pages a", "href") == ["/", "/digests"]
    assert stranger.values(".pages a[aria-current]", "href") == ["/digests"]
    assert stranger.values(".who a", "href") == ["/login?next=/digests"]
    assert anna.values(".pages a", "href") == ["/", "/digests", "/marks"]
    assert anna.texts(".who .person") == ["anna"]
    assert stranger.values("a.skip", "href") == ["#main"]


@pytest.mark.parametrize(
    ("path", "status"), [("/nowhere", 404), ("/digests/1/stories/1/mark", 405), ("/api/x", 404)]
)
async def test_refusals_are_pages_for_people_and_problems_for_programs(
    database: Database, path: str, status: int
) -> None:
    async with house(database) as client:
        person = await client.get(path, {**BROWSER, "Accept-Language": "zh"})
        program = await client.get(path, {"Accept": "*/*"})

    assert (person.status, program.status) == (status, status)
    assert program.content_type == "application/problem+json"
    if path.startswith("/api/"):
        assert person.content_type == "application/problem+json"
    else:
        page = HtmlPage(person.text)
        assert page.values("html", "lang") == ["zh"]
        assert page.values("main a", "href") == ["/"]
        assert person.headers["cache-control"] == "no-store"


async def test_a_refusal_is_told_in_the_readers_language_or_by_its_family_alone(
    database: Database,
) -> None:
    """A sentence that has no code is English: it is no Chinese page's."""
    languages = [{**BROWSER, "Accept-Language": each} for each in ("en", "zh")]
    async with house(database) as client:
        coded = [
            await client.ask("POST", "/preferences", {**each, **FORM}, b"theme=pink")
            for each in languages
        ]
        others = [await client.get("/digests/1/stories/1/mark", each) for each in languages]

    assert [HtmlPage(each.text).texts("main .soft") for each in coded] == [
        ["In detail: there is no such language or theme."],
        [TEXTS["refusal.choice_missing"].zh],
    ]
    assert [HtmlPage(each.text).texts("main .soft") for each in others] == [
        ["In detail: Method Not Allowed."],
        [],
    ]


async def test_whoever_must_sign_in_first_comes_back_afterwards(database: Database) -> None:
    async with house(database) as client:
        person = await client.get("/marks?before=7", BROWSER)
        program = await client.get("/marks")

    assert (person.status, person.headers["location"]) == (303, "/login?next=/marks%3Fbefore%3D7")
    assert program.status == 401


async def test_a_database_that_is_gone_is_a_page_too(database: Database) -> None:
    async with house(database) as client:
        await database.close()
        answer = await client.get("/", BROWSER)

    assert answer.status == 503
    assert HtmlPage(answer.text).texts("h1") == ["Back in a moment"]


async def test_files_of_ours_are_kept_for_a_year_by_their_version(database: Database) -> None:
    async with house(database) as client:
        page = HtmlPage((await client.get("/")).text)
        [style] = page.values("link[rel=stylesheet]", "href")
        [script] = page.values("script", "src")
        assert style
        assert script
        answers = [await client.get(path) for path in (style, script, style.partition("?")[0])]
        again = await client.get(style, {"If-None-Match": answers[0].headers["etag"]})
        missing = await client.get("/static/..%2ftemplates%2fbase.html")

    assert [each.content_type for each in answers] == ["text/css", "text/javascript", "text/css"]
    assert "immutable" in answers[0].headers["cache-control"]
    assert "immutable" not in answers[2].headers["cache-control"]
    assert (again.status, missing.status) == (304, 404)


async def test_what_was_done_is_told_once_and_can_be_taken_back(database: Database) -> None:
    """By a browser without JavaScript, from saving to undoing."""
    browser, page = None, None
    house_ = AuthServer(database=database)
    anna = await house_.add("anna")
    digest = await publish(database, an_edition(), scope="reader-1", readers=[anna.id])

    async with house_.opened() as client:
        browser = Browser(client)
        await browser.submit("/login", email="anna@example.org", password=PASSWORD)
        page = HtmlPage((await browser.get(f"/digests/{digest}")).text)
        token = page.values(f"#act input[name={FIELD}]", "value")[0] or ""
        path = page.values(".tools button", "formaction")[0] or ""
        forged = await browser.submit(path, marked="1", next="/")
        saved = await browser.submit(path, marked="1", next=f"/digests/{digest}", **{FIELD: token})
        told = HtmlPage((await browser.get(f"/digests/{digest}")).text)
        told_again = HtmlPage((await browser.get("/marks")).text)
        remove = told_again.values("main .list form", "action")[0] or ""
        removed = await browser.submit(remove, next="/marks", **{FIELD: token})
        empty = HtmlPage((await browser.get("/marks")).text)
        fields = dict(
            zip(
                empty.values(".flash input", "name"),
                empty.values(".flash input", "value"),
                strict=True,
            )
        )
        await browser.submit("/marks/undo", **{str(k): str(v) for k, v in fields.items()})
        back = HtmlPage((await browser.get("/marks")).text)

    assert forged.status == 403
    assert (saved.status, saved.headers["location"]) == (303, f"/digests/{digest}#story-1")
    assert told.texts(".flash p") == ["Saved."]
    assert told.values(".tools [data-key=m]", "aria-pressed") == ["true"]
    assert told_again.count(".flash") == 0
    assert removed.status == 303
    assert empty.count("main .list li") == 0
    assert back.texts("main .list a") == ["Rust 1.90 is out"]


@pytest.mark.parametrize("cookie", ["flash=nonsense", "flash=marked.<b>", "flash=voted;x=1"])
async def test_a_forged_flash_says_a_sentence_of_ours_or_nothing(
    database: Database, cookie: str
) -> None:
    async with house(database) as client:
        page = HtmlPage((await client.get("/digests", {"Cookie": cookie})).text)

    said = ["Thank you: your next editions go by it."] if "voted" in cookie else []
    assert page.texts(".flash p") == said
