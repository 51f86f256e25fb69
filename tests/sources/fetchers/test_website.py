"""Web pages: through the feed they offer, or as one item that changes (S001-7, settled 6)."""

from __future__ import annotations

import asyncio
import html
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio

from clawfeed.domain.errors import Reason, SourceError
from clawfeed.domain.ids import JsonValue
from clawfeed.domain.sources.source import NotModified
from clawfeed.simulator import Fault, Misbehaviour, busy, moved, status
from clawfeed.sources.discovery.discoverer import Discoverer
from clawfeed.sources.discovery.known_sites import known_place
from clawfeed.sources.fetchers.feed import Feed
from clawfeed.sources.fetchers.github_trending import GithubTrending
from clawfeed.sources.fetchers.website import Website
from clawfeed.sources.parsing.pool import ParsePool
from clawfeed.sources.source_types.built_in import BUILT_IN
from tests.egress.loopback_servers import Asked, reply, serving
from tests.sources.simulated_world import (
    DAY,
    HOUR,
    Stage,
    fetched,
    keys,
    poll,
    rss,
    source_of,
    staged,
)
from tests.support.clocks import FakeClock
from tests.support.fetcher_contract import FetcherContract, Post, Subject
from tests.support.origin import door

pytestmark = pytest.mark.asyncio(loop_scope="module")

WITH_FEED, ITS_FEED = "/site/morning-wire", "/site/morning-wire/feed.xml"
WITHOUT_FEED = "/site/status-page"
HARBOUR = "/feeds/harbour-times.xml"
RSS = "application/rss+xml"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def parse() -> AsyncIterator[ParsePool]:
    async with ParsePool() as pool:
        yield pool


@pytest_asyncio.fixture(loop_scope="module")
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    async with staged(tmp_path) as found:
        yield found


@pytest.fixture
def website(stage: Stage, parse: ParsePool) -> Website:
    feed = Feed(egress=stage.egress, parse=parse, clock=stage.clock)
    return Website(egress=stage.egress, parse=parse, clock=stage.clock, feed=feed)


@pytest.fixture
def discoverer(stage: Stage, parse: ParsePool) -> Discoverer:
    return Discoverer(egress=stage.egress, parse=parse, clock=stage.clock, types=BUILT_IN)


def page(title: str, *, description: str = "", links: str = "") -> str:
    about = f'<meta property="og:description" content="{description}">' if description else ""
    return f"<!doctype html><head><title>{title}</title>{about}{links}</head><body>x</body>"


def link(href: str, title: str = "") -> str:
    return f'<link rel="alternate" type="application/rss+xml" title="{title}" href="{href}">'


def asked(stage: Stage) -> list[str]:
    return [entry.path for entry in stage.journal()]


# --- with a feed --------------------------------------------------------------------------------


async def test_a_page_with_a_feed_is_collected_as_that_feed(stage: Stage, website: Website) -> None:
    """(S001-7)."""
    origin = stage.world.feeds["morning-wire"]

    result = await website.fetch(source_of("website", url=stage.url + WITH_FEED))

    assert keys(result) == {f"1:{url}" for url in stage.world.keys(origin)}
    assert asked(stage) == [WITH_FEED, ITS_FEED]


async def test_the_discovered_feed_is_remembered_and_asked_conditionally(
    stage: Stage, website: Website
) -> None:
    _, source = await poll(website, source_of("website", url=stage.url + WITH_FEED))

    second = await website.fetch(source)

    assert isinstance(second, NotModified)
    assert asked(stage) == [WITH_FEED, ITS_FEED, ITS_FEED]
    assert stage.journal()[-1].status == 304


async def test_the_page_is_asked_again_once_a_week(stage: Stage, website: Website) -> None:
    """Also when the feed itself has no news: the date of the discovery is stored."""
    stage.answer_with(ITS_FEED, rss("<title>One</title>"), RSS)
    _, source = await poll(website, source_of("website", url=stage.url + WITH_FEED))
    stage.clock.advance(8 * DAY)
    before = len(asked(stage))

    for _ in range(3):
        _, source = await poll(website, source)

    assert asked(stage)[before:] == [WITH_FEED, ITS_FEED, ITS_FEED, ITS_FEED]


@pytest.mark.parametrize("found_at", [1e300, -1e300, 4e9, 2**70])
async def test_a_feed_found_at_no_sane_time_is_looked_for_again(
    stage: Stage, website: Website, found_at: float
) -> None:
    """(F15, F27): a clock that ran ahead would keep the page from being asked for ever."""
    source = source_of("website", url=stage.url + WITH_FEED)
    first = fetched(await website.fetch(source))
    before = len(asked(stage))

    await website.fetch(replace(source, cursor={**first.cursor, "found_at": found_at}))

    assert asked(stage)[before:] == [WITH_FEED, ITS_FEED]


async def test_a_feed_found_again_goes_on_where_it_was(stage: Stage, website: Website) -> None:
    """The weekly question to the page brings no item a second time, and no whole feed."""
    _, source = await poll(website, source_of("website", url=stage.url + WITH_FEED))
    etag = stage.journal()[-1].etag
    stage.clock.advance(8 * DAY)
    before = len(asked(stage))

    await poll(website, source)

    its_page, its_feed = stage.journal()[before:]
    assert (its_page.path, its_page.if_none_match) == (WITH_FEED, None)
    assert (its_feed.path, its_feed.if_none_match) == (ITS_FEED, etag)


async def test_a_feed_that_is_gone_is_looked_for_anew(stage: Stage, website: Website) -> None:
    _, source = await poll(website, source_of("website", url=stage.url + WITH_FEED))
    stage.world.misbehave(ITS_FEED, status(404))
    stage.answer_with(WITH_FEED, page("Wire", links=link("/feeds/night-sky.atom")))

    result, source = await poll(website, source)

    origin = stage.world.feeds["night-sky"]
    assert keys(result) == {f"1:{url}" for url in stage.world.keys(origin)}
    assert source.cursor["feed_url"] == f"{stage.url}/feeds/night-sky.atom"


async def test_a_feed_that_fails_and_is_still_announced_is_a_failure(
    stage: Stage, website: Website
) -> None:
    """No item is made of the page that only led to the feed."""
    _, source = await poll(website, source_of("website", url=stage.url + WITH_FEED))
    stage.world.misbehave(ITS_FEED, Misbehaviour(fault=Fault.HTML_INSTEAD))

    with pytest.raises(SourceError) as caught:
        await website.fetch(source)

    assert caught.value.reason is Reason.UNREADABLE


async def test_a_feed_that_asks_for_rest_gets_it(stage: Stage, website: Website) -> None:
    """(T20): the page is not asked instead."""
    _, source = await poll(website, source_of("website", url=stage.url + WITH_FEED))
    stage.world.misbehave(ITS_FEED, busy(600))
    before = len(asked(stage))

    with pytest.raises(SourceError) as caught:
        await website.fetch(source)

    assert caught.value.reason is Reason.BUSY
    assert asked(stage)[before:] == [ITS_FEED]


async def test_the_feed_of_comments_is_the_last_choice(stage: Stage, website: Website) -> None:
    """Though it can be read, and stands first; told by its address or by its name."""
    last = link(f"{HARBOUR}?comments=1") + link(HARBOUR, "Harbour: Comments")
    links = last + link("/feeds/night-sky.atom", "Articles")
    stage.answer_with(WITH_FEED, page("Wire", links=links))

    _, source = await poll(website, source_of("website", url=stage.url + WITH_FEED))

    assert source.cursor["feed_url"] == f"{stage.url}/feeds/night-sky.atom"


async def test_a_page_that_is_a_feed_itself_is_read_as_one(stage: Stage, website: Website) -> None:
    path = "/feeds/night-sky.atom"
    first, source = await poll(website, source_of("website", url=stage.url + path))

    second = await website.fetch(source)

    assert keys(first) == {f"1:{url}" for url in stage.world.keys(stage.world.feeds["night-sky"])}
    assert isinstance(second, NotModified)
    assert [entry.status for entry in stage.journal()] == [200, 304]


# --- without a feed -----------------------------------------------------------------------------


async def test_a_page_without_a_feed_is_one_item(stage: Stage, website: Website) -> None:
    """(S001-7)."""
    head = '<meta property="og:title" content="Open &amp; shut">'
    stage.answer_with(WITHOUT_FEED, page("Plain title", description="All is <b>well", links=head))

    [draft] = fetched(
        await website.fetch(source_of("website", url=stage.url + WITHOUT_FEED))
    ).drafts

    assert draft.title == "Open & shut"
    assert draft.url == stage.url + WITHOUT_FEED
    assert draft.content == "All is well"
    assert draft.metadata == {"page_title": "Plain title"}


async def test_no_change_inserts_nothing_and_a_change_is_a_new_item(
    stage: Stage, website: Website
) -> None:
    """(S001-7, settled 6)."""
    first, source = await poll(website, source_of("website", url=stage.url + WITHOUT_FEED))
    same = await website.fetch(source)
    stage.clock.advance(5 * HOUR)

    changed, source = await poll(website, source)
    again = await website.fetch(source)

    assert isinstance(same, NotModified)
    assert isinstance(again, NotModified)
    assert len(keys(first)) == len(keys(changed)) == 1
    assert keys(first) != keys(changed)
    assert fetched(first).drafts[0].url == fetched(changed).drafts[0].url


@pytest.mark.parametrize("changed", ["title", "og:title", "og:description", "description"])
async def test_each_thing_a_page_says_of_itself_is_news(
    stage: Stage, website: Website, changed: str
) -> None:
    """(S001-7)."""

    def said(**other: str) -> str:
        names = {"title": "A", "og:title": "B", "og:description": "C"} | other
        metas = (f'<meta property="{n}" content="{t}">' for n, t in names.items() if n != "title")
        return page(names["title"], links="".join(metas))

    before = said() if changed != "description" else said(**{"og:description": "", changed: "C"})
    after = (
        before.replace('content="C"', 'content="D"')
        if "desc" in changed
        else said(**{changed: "D"})
    )
    stage.answer_with(WITHOUT_FEED, before)
    first, source = await poll(website, source_of("website", url=stage.url + WITHOUT_FEED))
    stage.answer_with(WITHOUT_FEED, after)

    second = await website.fetch(source)

    assert len(keys(first) | keys(second)) == 2


async def test_a_page_that_is_only_sent_anew_brings_nothing(parse: ParsePool) -> None:
    """New validators are remembered; the item is not told again."""
    answers = [reply(200, page("Title").encode(), ETag=f'"{n}"') for n in range(2)]

    async def answer(_: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(answers.pop(0))

    clock = FakeClock()
    async with serving(answer) as server:
        url = f"http://127.0.0.1:{server.port}"
        async with door(url, clock=clock) as egress:
            feed = Feed(egress=egress, parse=parse, clock=clock)
            website = Website(egress=egress, parse=parse, clock=clock, feed=feed)
            _, source = await poll(website, source_of("website", url=url))

            second = fetched(await website.fetch(source))

    assert server.seen[1].headers["if-none-match"] == '"0"'
    assert (second.drafts, second.cursor["etag"]) == ((), '"1"')


async def test_a_page_that_is_put_back_with_its_old_date_is_read(parse: ParsePool) -> None:
    """(S001-7): to many servers "modified since" means later than, and an old date is not."""
    date = "Sat, 14 Nov 2026 12:00:00 GMT"

    async def answer(asked: Asked, writer: asyncio.StreamWriter) -> None:
        is_dated = "if-modified-since" in asked.headers
        writer.write(reply(304 if is_dated else 200, page("A").encode(), **{"Last-Modified": date}))

    clock = FakeClock()
    async with serving(answer) as server:
        url = f"http://127.0.0.1:{server.port}"
        async with door(url, clock=clock) as egress:
            feed = Feed(egress=egress, parse=parse, clock=clock)
            website = Website(egress=egress, parse=parse, clock=clock, feed=feed)
            _, source = await poll(website, source_of("website", url=url))

            [draft] = fetched(
                await website.fetch(replace(source, cursor={**source.cursor, "shown": "of B"}))
            ).drafts

    assert draft.title == "A"


async def test_a_page_that_changes_only_what_is_not_shown_brings_nothing(
    stage: Stage, website: Website
) -> None:
    """A counter in the body or a new ETag is no news."""
    stage.answer_with(WITHOUT_FEED, page("Title") + "<p>1</p>")
    _, source = await poll(website, source_of("website", url=stage.url + WITHOUT_FEED))
    stage.answer_with(WITHOUT_FEED, page("Title") + "<p>2</p>")

    second = await website.fetch(source)

    assert isinstance(second, NotModified)


async def test_a_title_alone_is_enough(stage: Stage, website: Website) -> None:
    """(S001-7)."""
    stage.answer_with(WITHOUT_FEED, page("Only a title"))

    [draft] = fetched(
        await website.fetch(source_of("website", url=stage.url + WITHOUT_FEED))
    ).drafts

    assert (draft.title, draft.content, draft.metadata) == ("Only a title", "", {})


async def test_a_page_that_says_nothing_is_unreadable(stage: Stage, website: Website) -> None:
    stage.answer_with(WITHOUT_FEED, "<body>hello</body>")

    with pytest.raises(SourceError, match="neither a title"):
        await website.fetch(source_of("website", url=stage.url + WITHOUT_FEED))


@pytest.mark.parametrize("body", ['{"items": []}', ' [{"title": "x"}]'])
async def test_json_is_told_apart_from_a_page_that_says_nothing(
    stage: Stage, website: Website, discoverer: Discoverer, body: str
) -> None:
    stage.answer_with(WITHOUT_FEED, body)
    url = stage.url + WITHOUT_FEED

    for polling in (website.fetch(source_of("website", url=url)), discoverer.discover(url)):
        with pytest.raises(SourceError, match=r"this is JSON, not a page.*--type custom_api"):
            await polling


async def test_a_page_with_a_broken_feed_is_read_as_a_page(stage: Stage, website: Website) -> None:
    stage.answer_with(WITHOUT_FEED, page("Title", links=link("/nowhere.xml")))

    result = fetched(await website.fetch(source_of("website", url=stage.url + WITHOUT_FEED)))

    assert [draft.title for draft in result.drafts] == ["Title"]
    assert len(result.warnings) == 1


async def test_the_item_lies_where_the_redirects_end(stage: Stage, website: Website) -> None:
    stage.world.misbehave("/old", moved(stage.url + WITHOUT_FEED, permanently=False))

    [draft] = fetched(await website.fetch(source_of("website", url=f"{stage.url}/old"))).drafts

    assert draft.url == stage.url + WITHOUT_FEED


async def test_a_cursor_of_another_page_is_worth_nothing(stage: Stage, website: Website) -> None:
    _, source = await poll(website, source_of("website", url=stage.url + WITHOUT_FEED))
    stage.answer_with(WITH_FEED, page("Another"))

    result = await website.fetch(replace(source, config={"url": stage.url + WITH_FEED}))

    assert [draft.title for draft in fetched(result).drafts] == ["Another"]


def documents(post: Post) -> dict[str, bytes]:
    body = page(post.title, description=html.escape(post.content))
    return {WITHOUT_FEED: body.encode("utf-8", "surrogatepass")}


class TestKeepsTheContract(FetcherContract):
    subject = Subject(
        build=lambda tools: Website(
            egress=tools.egress,
            parse=tools.parse,
            clock=tools.clock,
            feed=Feed(egress=tools.egress, parse=tools.parse, clock=tools.clock),
            limits=tools.limits,
        ),
        config=lambda url: {"url": url + WITHOUT_FEED},
        documents=documents,
        key="url",
        content_type="text/html",
        reads_any_page=True,
        is_dated=False,
    )


# --- discovery ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "kind", "config"),
    [
        ("https://www.reddit.com/r/Python/", "reddit", {"subreddit": "Python", "sort": "hot"}),
        ("old.reddit.com/r/rust/top", "reddit", {"subreddit": "rust", "sort": "top"}),
        ("https://news.ycombinator.com", "hackernews", {"filter": "top"}),
        ("https://news.ycombinator.com/newest", "hackernews", {"filter": "new"}),
        ("https://github.com/trending", "github_trending", {"since": "daily"}),
        (
            "https://github.com/trending/python?since=weekly",
            "github_trending",
            {"language": "python", "since": "weekly"},
        ),
        (
            "https://github.com/trending/c%23?since=daily&spoken_language_code=zh",
            "github_trending",
            {"language": "c#", "since": "daily", "spoken_language": "zh"},
        ),
        (
            "https://github.com/trending/c++?since=hourly&spoken_language_code=",
            "github_trending",
            {"language": "c++", "since": "daily"},
        ),
        ("https://x.com/OpenAI", "twitter_feed", {"handle": "@OpenAI"}),
        ("https://mobile.twitter.com/a_b/status/12", "twitter_feed", {"handle": "@a_b"}),
        ("@a_b", "twitter_feed", {"handle": "@a_b"}),
        ("https://x.com/search?q=%22open+source%22", "twitter_search", {"query": '"open source"'}),
        ("https://x.com/hashtag/python", "twitter_search", {"query": "#python"}),
        ("https://x.com/i/lists/1500", "twitter_list", {"list_id": "1500"}),
        ("https://x.com/i/bookmarks", "twitter_bookmarks", {}),
        ("https://x.com/home", "twitter_foryou", {}),
    ],
)
async def test_known_hosts_are_told_without_asking_anybody(
    stage: Stage, discoverer: Discoverer, url: str, kind: str, config: dict[str, JsonValue]
) -> None:
    found = await discoverer.discover(url)

    assert (found.kind, found.config) == (kind, config)
    assert found.title
    assert asked(stage) == []


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/trending/developers",
        "https://github.com/trending/no_language",
        "https://github.com/clawfeed/clawfeed",
        "https://x.com/OpenAI/lists/staff",
        "https://x.com/OpenAI/lists",
        "https://x.com/search?q=+",
    ],
)
async def test_what_only_looks_like_a_known_place_is_not_taken_for_it(url: str) -> None:
    assert known_place(BUILT_IN, url) is None


@pytest.mark.parametrize("language", ["c%23", "c++", "f%23", "Jupyter%20Notebook", "objective-c++"])
async def test_a_language_that_is_told_is_one_the_fetcher_takes(
    stage: Stage, parse: ParsePool, language: str
) -> None:
    fetcher = GithubTrending(
        egress=stage.egress, parse=parse, clock=stage.clock, base_url=stage.url
    )

    place = known_place(BUILT_IN, f"https://github.com/trending/{language}?spoken_language_code=EN")

    assert place
    assert fetcher.check(place.config) == []


async def test_a_feed_is_discovered_with_a_preview(stage: Stage, discoverer: Discoverer) -> None:
    url = f"{stage.url}/feeds/model-watch.json"

    found = await discoverer.discover(f" {url} ")

    assert (found.kind, found.config, found.title) == ("rss", {"url": url}, "Model Watch")
    assert len(found.preview) == 5


async def test_a_website_is_discovered_with_its_feeds(stage: Stage, discoverer: Discoverer) -> None:
    found = await discoverer.discover(stage.url + WITH_FEED)

    assert (found.kind, found.title) == ("website", "Morning Wire")
    assert [feed.url for feed in found.feeds] == [stage.url + ITS_FEED]


async def test_a_bare_website_is_discovered_with_the_item_it_would_be(
    stage: Stage, discoverer: Discoverer
) -> None:
    found = await discoverer.discover(stage.url + WITHOUT_FEED)

    assert (found.kind, found.feeds) == ("website", ())
    assert len(found.preview) == 1


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("", Reason.MISCONFIGURED),
        ("ftp://a.example", Reason.MISCONFIGURED),
        ("http://127.0.0.1:1/", Reason.BLOCKED),
    ],
)
async def test_what_cannot_be_asked_is_refused(
    discoverer: Discoverer, url: str, reason: Reason
) -> None:
    """(S001-11)."""
    with pytest.raises(SourceError) as caught:
        await discoverer.discover(url)

    assert caught.value.reason is reason


@pytest.mark.parametrize(
    "handle", ["@", "@@x", "@名前", "@sixteen_letters_", "@ana@social.example"]
)
async def test_what_is_no_handle_is_told_what_one_is(discoverer: Discoverer, handle: str) -> None:
    """Read as an address, it was refused for the password in it."""
    with pytest.raises(SourceError, match="a handle on X is") as caught:
        await discoverer.discover(handle)

    assert caught.value.reason is Reason.MISCONFIGURED
