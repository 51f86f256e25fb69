"""What readers' sources brought: theirs alone, searched, narrowed, nothing lost between pages."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from urllib.parse import urlencode

from clawfeed.api.http.application import build_application
from clawfeed.app.wiring.pages import item_routers
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.storage.database import Database, execute
from clawfeed.storage.items.search import SearchIndex
from clawfeed.web.frame.error_pages import ErrorPages
from clawfeed.web.items.item_context import ItemPages
from tests.support.api_callers import ANNA, BEN, NAME_TAGS, add_people, as_user
from tests.support.clocks import NOON
from tests.support.counting_database import CountingDatabase
from tests.support.digests import an_edition
from tests.support.html_pages import HtmlPage
from tests.support.items import add_item, add_source, subscribe
from tests.support.pages import a_site, reading_room
from tests.support.published_digests import publish
from tests.support.socket_server import Answer, Client, served

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
HOSTILE = "<img src=x onerror=alert(1)>"
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
# Dates as the clock gives them: a page begins at the very one, to the last digit.
BIT = timedelta(microseconds=1)


@asynccontextmanager
async def house(database: Database) -> AsyncIterator[Client]:
    site = a_site(database)
    rooms = reading_room(site, database)
    rooms += item_routers(ItemPages(site=site, database=database, types=BUILT_IN))
    app = build_application("9.9", rooms, NAME_TAGS, error_page=ErrorPages(site))
    async with served(app) as client:
        yield client


async def look(client: Client, path: str = "/items") -> HtmlPage:
    answer = await client.get(path, as_user(ANNA))
    assert answer.status == 200, (path, answer.text)
    return HtmlPage(answer.text)


async def save(client: Client, *, quietly: bool = False, **fields: object) -> Answer:
    script = {"X-Fragment": "1"} if quietly else {}
    body = urlencode({"next": "/items?q=a", **fields}).encode()
    return await client.post("/items/save", {**as_user(ANNA), **FORM, **script}, body)


def titles(page: HtmlPage) -> list[str]:
    return page.texts(".items .title")


async def a_typed_source(database: Database, name: str, kind: str) -> int:
    source = await add_source(database, name)
    await execute(
        database, "UPDATE sources SET type = :t WHERE id = :id", {"t": kind, "id": source}
    )
    await subscribe(database, ANNA, source)
    return source


async def test_pages_go_on_without_loss_or_doubling_whatever_comes_meanwhile(
    database: Database,
) -> None:
    """Also in a search, whose words and number are told, and from any place that is none."""
    await add_people(database)
    first = await a_typed_source(database, "first", "rss")
    second = await a_typed_source(database, "second", "hackernews")
    for n in range(130):
        at = NOON - (n // 3) * (HOUR / 7 + BIT)
        await add_item(database, (first, second)[n % 2], f"news {n}", at=at)
    await SearchIndex(database).index_new(500)

    async def walk(client: Client, path: str) -> list[str]:
        found: list[str] = []
        while True:
            page = await look(client, path)
            found += titles(page)
            # Nobody asked for these: they come before what is looked at.
            await add_item(database, first, f"later {len(found)} {path}", at=NOON + HOUR)
            older = page.values(".pager a[rel=prev]", "href")
            if not older:
                return found
            path = older[0] or ""

    async with house(database) as client:
        walked = await walk(client, "/items")
        searched = await walk(client, "/items?q=news+")
        told = await look(client, "/items?q=news+&period=7d")
        of_one = await walk(client, f"/items?source={second}&type=hackernews&period=7d")
        bad = [
            titles(await look(client, f"/items?{query}"))[:3]
            for query in (
                f"cursor=x&source=abc&type=%00&period=never&q={'%20' * 9}",
                "cursor=WzEsMl0&cursor=W10&source=999999999999999999999&q=%21%3F",
            )
        ]

    everything = {f"news {n}" for n in range(130)}
    assert sorted(walked) == sorted(everything)
    assert [int(each.split()[1]) // 3 for each in walked] == [n // 3 for n in range(130)]
    assert sorted(searched) == sorted(everything)
    assert told.texts(".asked > span") == ["130 found"]
    assert told.values(".asked a", "href") == ["/items?period=7d", "/items?q=news", "/items"]
    assert sorted(each for each in of_one if "news" in each) == sorted(
        f"news {n}" for n in range(1, 130, 2)
    )
    assert all(len(each) == 3 for each in bad)


async def test_filters_combine_and_days_are_the_readers_own(database: Database) -> None:
    """In Shanghai a day has begun eight hours earlier; Chinese words are found."""
    await add_people(database)
    await execute(
        database,
        "INSERT INTO reader_settings (user_id, language, zone, updated_at) "
        "VALUES (2, 'zh', 'Asia/Shanghai', 0)",
    )
    first = await a_typed_source(database, "first", "rss")
    second = await a_typed_source(database, "second", "hackernews")
    midnight = NOON.replace(hour=16, minute=0) - DAY
    await add_item(database, first, "芯片价格下跌", at=midnight)
    await add_item(database, second, "芯片 yesterday", at=midnight - BIT)
    await add_item(database, second, "weeks ago", at=NOON - 20 * DAY)
    await SearchIndex(database).index_new(500)

    async with house(database) as client:
        found = {
            query: titles(await look(client, f"/items?{query}"))
            for query in (
                "period=today", "period=3d", "period=7d", "type=hackernews", f"source={first}",
                "q=芯片", "q=芯片&type=hackernews", f"q=芯片&source={first}&period=today",
                f"source={first}&type=hackernews", "source=SECOND", "source=irs", "source=nobody",
            )
        }  # fmt: skip
        nothing = await look(client, "/items?q=zebra&period=today")
        wordless = await look(client, "/items?q=!!")

    today, yesterday, old = "芯片价格下跌", "芯片 yesterday", "weeks ago"
    assert list(found.values()) == [
        [today], [today, yesterday], [today, yesterday], [yesterday, old], [today],
        [yesterday, today], [yesterday], [today], [], [yesterday, old], [today],
        [today, yesterday, old],
    ]  # fmt: skip
    assert nothing.texts(".empty h2") == ["没有找到"]
    assert nothing.values(".empty a", "href") == ["/items"]
    assert nothing.values("input[type=search]", "value") == ["zebra"]
    assert nothing.values("select[name=period] [selected]", "value") == ["today"]
    assert titles(wordless) == [today, yesterday, old]
    assert "没有可搜索的词" in wordless.texts(".notice")[0]


async def test_only_what_one_follows_is_there_and_it_is_only_text(database: Database) -> None:
    """(T9, T13, T18): others' private sources show nothing, and nothing of them can be saved."""
    await add_people(database)
    async with house(database) as client:
        follows_nothing = await look(client)
        own = await add_source(database, "own", owner=ANNA, is_public=False)
        await subscribe(database, ANNA, own)
        nothing_yet = await look(client)
        await execute(
            database,
            "INSERT INTO source_stats (source_id, source_type, next_due_at, created_at, updated_at)"
            " VALUES (:id, 'rss', :at, 0, 0)",
            {"at": (NOON + HOUR).timestamp(), "id": own},
        )
        soon = await look(client)
        secret = await add_source(database, "secret", owner=BEN, is_public=False)
        await subscribe(database, ANNA, secret)
        hidden = await add_item(database, secret, "hidden")
        await add_item(database, await add_source(database, "unfollowed"), "not followed")
        item = await add_item(database, own, HOSTILE, content=f"<script>x</script><b>{HOSTILE}</b>")
        await execute(
            database,
            "UPDATE raw_items SET url = :url, metadata = :signals WHERE id = :id",
            {
                "id": item,
                "url": "javascript:alert(1)",
                "signals": '{"score": 1234, "comments": "javascript:alert(2)"}',
            },
        )
        await execute(
            database, "UPDATE sources SET name = :n WHERE id = :id", {"n": HOSTILE, "id": own}
        )
        await SearchIndex(database).index_new(500)
        pages = [
            await look(client, path)
            for path in ("/items", "/items?q=hidden", f"/items?source={secret}", "/items?q=onerror")
        ]
        taken = [(await save(client, save=each)).status for each in (hidden, "x", 10**17)]
        stranger = await client.get("/items", {"Accept": "text/html"})

    assert follows_nothing.values(".empty a", "href") == ["/sources/packs", "/sources/add"]
    assert "as soon as" in nothing_yet.texts(".empty p")[0]
    assert "15 Nov 13:00" in soon.texts(".empty p")[0]
    assert [titles(page) for page in pages] == [[HOSTILE], [], [HOSTILE], [HOSTILE]]
    assert pages[0].texts(".items .meta a") == [HOSTILE]
    assert "1,234 points" in pages[0].texts(".items .meta")[0]
    assert {"img", "script"} & set(pages[0].elements()) == set()
    assert "javascript" not in str(pages[0].values("a", "href"))
    assert taken == [404, 404, 404]
    assert (stranger.status, stranger.headers["location"]) == (303, "/login?next=/items")


async def test_an_item_is_saved_where_it_stands_and_says_who_told_it(database: Database) -> None:
    """A full page of long texts is small, and takes one and the same few queries."""
    await add_people(database)
    source = await a_typed_source(database, "busy", "rss")
    long = "<p>" + "Something happened that many words are needed for. " * 40 + "</p>"
    signals = '{"upvotes": 12, "comments": 3, "permalink": "https://h.example/talk"}'
    items = [
        await add_item(
            database, source, f"A headline of usual length {n}", content=long, metadata=signals
        )
        for n in range(51)
    ]
    await execute(
        database,
        "UPDATE raw_items SET url = 'https://h.example/a-usual-address/of-an-article?n=' || id",
    )
    for scope, reader in (("reader-2", ANNA), ("reader-3", BEN)):
        await publish(database, an_edition(), scope=scope, readers=[reader])
        await execute(
            database,
            "INSERT INTO story_items (story_id, raw_item_id, added_at) "
            "SELECT max(t.story_id), :item, 0 FROM story_tellings t JOIN stories s "
            "ON s.id = t.story_id WHERE s.scope = :scope",
            {"item": items[-1 if reader == ANNA else -2], "scope": scope},
        )
    await SearchIndex(database).index_new(500)
    counting = CountingDatabase(database)

    async with house(counting) as client:
        answer = await client.get("/items?q=headline", as_user(ANNA))
        crossings = len(counting.crossings)
        page = HtmlPage(answer.text)
        saved = HtmlPage((await save(client, quietly=True, save=items[-1])).text)
        plain = await save(client, save=items[-2])
        both = await look(client)
        marks = await look(client, "/marks")
        forgotten = HtmlPage((await save(client, quietly=True, forget=items[-1])).text)
        one = await look(client)
        static = a_site(counting).static
        files = [static.get(name) for name in ("clawfeed.css", "clawfeed.js", "icon.svg")]

    assert page.count(".items > li[data-item] [data-key=o]") == 50
    assert len(answer.text.encode()) + sum(len(each.packed) for each in files if each) < 60_000
    # Settings and what is followed; the items and their number; marks and tellings.
    assert crossings == 2 + 2 + 2
    assert len(page.values(".items a[href^='/stories/']", "href")) == 1
    assert "12 upvotes" in page.texts(".items .meta")[0]
    assert page.values(".items a[href*=talk]", "href")[0] == "https://h.example/talk"
    assert saved.values(".tools", "data-said") == ["Saved."]
    assert (plain.status, plain.headers["location"]) == (303, f"/items?q=a#item-{items[-2]}")
    assert both.values(".tools [aria-pressed=true]", "value") == [str(i) for i in items[:-3:-1]]
    assert len(titles(marks)) == 0
    assert marks.count(".items > li[data-item] [data-key=m]") == 2
    assert forgotten.values(".tools button", "name") == ["save"]
    assert one.values(".tools [aria-pressed=true]", "name") == ["forget"]
