"""Reddit: which posts are kept, and how politely and as whom we ask."""

from __future__ import annotations

import asyncio
import html
import json
from asyncio import StreamReader, StreamWriter
from base64 import b64encode
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from clawfeed.domain.errors import Reason, SourceError
from clawfeed.domain.ids import JsonValue, SourceId
from clawfeed.domain.secret import Secret
from clawfeed.domain.sources.source import Source
from clawfeed.egress.response_limits import Limits
from clawfeed.simulator import NEVER, Fault, Feed, Misbehaviour, Shape, World, busy, moved, status
from clawfeed.simulator.demo_setup import FEEDS
from clawfeed.sources.discovery.known_sites import recognise
from clawfeed.sources.fetchers.reddit import Reddit
from clawfeed.sources.fetchers.reddit_auth import AppTokens
from clawfeed.sources.parsing.pool import ParsePool
from clawfeed.sources.source_types.built_in import BUILT_IN
from tests.egress.loopback_servers import Exchange, answering, new_egress, serving
from tests.support.clocks import NOON, FakeClock
from tests.support.fetcher_contract import FetcherContract, Post, Subject
from tests.support.origin import Stage, door, on_stage
from tests.support.parse_settings import BUILT_IN_DOCUMENTS

# One set of parse processes for the file; starting them costs more than most tests.
pytestmark = pytest.mark.asyncio(loop_scope="module")

LISTING = "/reddit/r/programming/hot.json"
TOKEN = "/reddit/api/v1/access_token"  # noqa: S105 - a path


SEARCH = Feed(
    id="search", path="/subreddits/search.json", shape=Shape.API, title="Search", plan=NEVER
)


def post(**other: object) -> dict[str, object]:
    plain = {"title": "A post", "url": "https://news.example/1", "permalink": "/r/p/comments/1/a/"}
    return {"kind": "t3", "data": {**plain, "author": "ann", "created_utc": 1763200000.0, **other}}


def listing(*posts: dict[str, object]) -> dict[str, object]:
    return {"kind": "Listing", "data": {"children": list(posts)}}


def documents(one: Post) -> Mapping[str, bytes]:
    data = post(
        title=one.title,
        url=one.url,
        permalink=one.url,
        author=one.author,
        selftext_html=one.content,
        created_utc=one.published,
        link_flair_text=one.title[:1000],
    )
    return {LISTING: json.dumps(listing(data)).encode()}


class TestKeepsTheContract(FetcherContract):
    subject = Subject(
        build=lambda tools: Reddit(
            egress=tools.egress,
            parse=tools.parse,
            clock=tools.clock,
            base_url=f"{tools.url}/reddit",
            limits=tools.limits,
        ),
        config=lambda _: {"subreddit": "programming", "sort": "hot", "limit": 25},
        documents=documents,
        key="subreddit",
    )


class Desk:
    """Builds readers for one stage; time passes when told."""

    def __init__(self, stage: Stage, parse: ParsePool, open_things: AsyncExitStack) -> None:
        self.stage = stage
        self._parse = parse
        self.clock = FakeClock()
        self.seconds = 0.0
        self._open = open_things

    async def reader(self, **other: Any) -> Reddit:
        egress = await self._open.enter_async_context(door(self.stage.url, clock=self.clock))
        return Reddit(
            egress=egress,
            parse=self._parse,
            clock=self.clock,
            base_url=f"{self.stage.url}/reddit",
            monotonic=lambda: self.seconds,
            **other,
        )

    async def app(self, **other: Any) -> Reddit:
        return await self.reader(client_id="id", client_secret=Secret("canary"), **other)

    def paths(self) -> list[tuple[str, int]]:
        return [(entry.path, entry.status) for entry in self.stage.asked()]


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def parse() -> AsyncIterator[ParsePool]:
    async with ParsePool(BUILT_IN_DOCUMENTS) as pool:
        yield pool


@pytest_asyncio.fixture(loop_scope="module")
async def desk(tmp_path: Path, parse: ParsePool) -> AsyncIterator[Desk]:
    world = World((*FEEDS, SEARCH), seed=1, clock=lambda: NOON)
    async with on_stage(world, tmp_path / "journal") as stage, AsyncExitStack() as open_things:
        yield Desk(stage, parse, open_things)


def source(**config: JsonValue) -> Source:
    return Source(
        id=SourceId(1), type="reddit", name="r", config={"subreddit": "programming", **config}
    )


@pytest.mark.parametrize("name", ["python", "_underscored", "a" * 21])
async def test_what_its_address_names_can_be_read(desk: Desk, name: str) -> None:
    """The descriptor that knows the address and the fetcher go by one rule."""
    site = recognise(BUILT_IN, f"https://www.reddit.com/r/{name}/top")

    assert site is not None
    assert site.config == {"subreddit": name, "sort": "top"}
    assert (await desk.reader()).check(site.config) == []


async def test_a_post_carries_its_signals(desk: Desk) -> None:
    """S001-3: a link leads out, a text post to its own page."""
    link = post(title="Vec<T> & you", ups=12, num_comments=3, subreddit="p", link_flair_text="Go")
    text = post(is_self=True, selftext_html="<p>Hi</p>", permalink="/r/p/comments/2/b/", score=4)
    desk.stage.put(LISTING, listing(link, text))

    outcome = await (await desk.reader()).fetch(source())

    first, second = outcome.drafts
    page = "https://www.reddit.com/r/p/comments/"
    assert (first.title, first.url) == ("Vec<T> & you", "https://news.example/1")
    assert (first.author, first.content) == ("ann", "")
    assert first.published_at == datetime.fromtimestamp(1763200000, UTC)
    assert first.metadata == {
        "upvotes": 12, "comments": 3, "subreddit": "p", "flair": "Go", "permalink": f"{page}1/a/"
    }  # fmt: skip
    assert (second.url, second.content) == (f"{page}2/b/", "<p>Hi</p>")
    assert second.metadata["upvotes"] == 4


@pytest.mark.parametrize("path", ["//elsewhere.example/r/p/", "/\\elsewhere.example/r/p/"])
async def test_a_posts_own_page_is_never_elsewhere(desk: Desk, path: str) -> None:
    """Browsers read both as the address of another host."""
    desk.stage.put(LISTING, listing(post(is_self=True, permalink=path)))

    [draft] = (await (await desk.reader()).fetch(source())).drafts

    assert (draft.url, draft.metadata["permalink"]) == (None, None)


async def test_titles_come_as_they_were_written(parse: ParsePool) -> None:
    """Reddit escapes them for whoever does not ask for `raw_json`; readers would see "&lt;"."""
    clock = FakeClock()
    async with reddit_as_in_life() as url, door(url, clock=clock) as egress:
        reader = Reddit(egress=egress, parse=parse, clock=clock, base_url=url)

        [draft] = (await reader.fetch(source())).drafts

    assert draft.title == "Vec<T> & you"


@asynccontextmanager
async def reddit_as_in_life() -> AsyncIterator[str]:
    """Its listing, escaped unless the question asks for raw JSON."""

    async def answer(reader: StreamReader, writer: StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        title = "Vec<T> & you"
        wanted = title if b"raw_json=1" in head else html.escape(title)
        body = json.dumps(listing(post(title=wanted))).encode()
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: application/json\r\n")
        writer.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def test_pinned_posts_are_left_out(desk: Desk) -> None:
    """S001-6."""
    outcome = await (await desk.reader()).fetch(source(limit=10))

    assert len(outcome.drafts) == 10
    assert not [draft for draft in outcome.drafts if "rules" in draft.title]


@pytest.mark.parametrize("name", ["r/programming", "/r/programming/", "Programming"])
async def test_the_name_may_be_written_as_people_write_it(desk: Desk, name: str) -> None:
    outcome = await (await desk.reader()).fetch(source(subreddit=name, sort="top"))

    assert outcome.drafts
    assert desk.paths()[0][0].lower() == "/reddit/r/programming/top.json"


async def test_without_an_account_one_request_a_minute_leaves(desk: Desk) -> None:
    """Whoever comes too early is told when to return, each a minute later than the one before."""
    reader = await desk.reader()
    await reader.fetch(source())
    waits = []
    for desk.seconds in (10.0, 20.0):
        with pytest.raises(SourceError) as caught:
            await reader.fetch(source(sort="new"))
        assert (caught.value.reason, caught.value.status) == (Reason.BUSY, None)
        waits.append(caught.value.wait)

    desk.seconds = 60.0
    outcome = await reader.fetch(source(sort="new"))

    assert waits == [timedelta(seconds=50), timedelta(seconds=100)]
    assert outcome.drafts
    assert len(desk.paths()) == 2


async def test_an_application_gets_one_token_and_keeps_it(desk: Desk) -> None:
    reader = await desk.app()

    await reader.fetch(source())
    await reader.fetch(source(sort="new"))
    desk.clock.advance(timedelta(days=1))
    await reader.fetch(source(sort="new"))

    new = ("/reddit/r/programming/new.json", 200)
    token = (TOKEN, 200)
    assert desk.paths() == [token, (LISTING, 200), new, token, new]
    assert all(entry.has_authorization for entry in desk.stage.asked())


async def test_an_application_proves_itself_as_an_oauth_client() -> None:
    """RFC 6749, 2.3.1: form-encoded, so that no character of its secret ends it."""
    granted = answering(200, b'{"access_token": "t", "expires_in": 60}')
    async with serving(granted) as reddit, new_egress(dial=Exchange(reddit)) as egress:
        tokens = AppTokens(
            egress=egress,
            clock=FakeClock(),
            url="http://reddit.example/token",
            client_id="i:d",
            client_secret=Secret("c%n"),
            limits=Limits(),
        )
        token = await tokens.get()

    [asked] = reddit.seen
    assert token == Secret("t")
    assert asked.headers["authorization"] == f"Basic {b64encode(b'i%3Ad:c%25n').decode()}"


async def test_a_refused_token_is_renewed_once(desk: Desk) -> None:
    reader = await desk.app()
    desk.stage.world.misbehave(LISTING, status(401), times=1)

    outcome = await reader.fetch(source())

    assert outcome.drafts
    assert desk.paths() == [(TOKEN, 200), (LISTING, 401), (TOKEN, 200), (LISTING, 200)]


async def test_a_token_is_renewed_a_minute_before_its_end(desk: Desk) -> None:
    """So that none expires on its way."""
    reader = await desk.app()
    desk.stage.put(TOKEN, {"access_token": "t", "expires_in": 3600})
    await reader.fetch(source())

    asked = []
    for seconds in (3539, 1):
        desk.clock.advance(timedelta(seconds=seconds))
        await reader.fetch(source())
        asked.append([path for path, _ in desk.paths()].count(TOKEN))

    assert asked == [1, 2]


async def test_a_newer_token_is_not_forgotten_with_the_old(desk: Desk) -> None:
    """Of two polls whose token was refused, the second takes what the first has got meanwhile."""
    async with door(desk.stage.url, clock=desk.clock) as egress:
        tokens = AppTokens(
            egress=egress,
            clock=desk.clock,
            url=f"{desk.stage.url}{TOKEN}",
            client_id="id",
            client_secret=Secret("canary"),
            limits=Limits(),
        )
        desk.stage.put(TOKEN, {"access_token": "old"})
        old = await tokens.get()
        desk.stage.put(TOKEN, {"access_token": "new"})

        found = []
        for _ in range(2):
            tokens.forget(old)
            found.append((await tokens.get()).reveal())

    assert found == ["new", "new"]
    assert len(desk.paths()) == 2


async def test_a_token_refused_twice_is_the_operators_to_mend(desk: Desk) -> None:
    reader = await desk.app()
    desk.stage.world.misbehave(LISTING, status(401))

    with pytest.raises(SourceError) as caught:
        await reader.fetch(source())

    assert caught.value.reason is Reason.AUTH_REQUIRED
    assert len(desk.paths()) == 4


@pytest.mark.parametrize(
    "answer", [{}, [], {"access_token": ""}, {"access_token": "a\nb"}, {"access_token": 5}, "half"]
)
async def test_an_answer_without_a_token_shows_no_secret(desk: Desk, answer: object) -> None:
    """T17."""
    reader = await desk.app()
    desk.stage.put(TOKEN, b'{"acc' if answer == "half" else answer)

    with pytest.raises(SourceError) as caught:
        await reader.fetch(source())

    assert caught.value.reason is Reason.UNREADABLE
    assert "canary" not in repr(caught.value)


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        (Misbehaviour(fault=Fault.NEVER_CLOSE), Reason.TIMED_OUT),
        (Misbehaviour(fault=Fault.INFINITE_BODY), Reason.TOO_LARGE),
        (status(401), Reason.AUTH_REQUIRED),
        (busy(60), Reason.BUSY),
    ],
)
async def test_a_token_door_that_misbehaves_ends_the_poll(
    desk: Desk, how: Misbehaviour, reason: Reason
) -> None:
    total = timedelta(seconds=0.4 if reason is Reason.TIMED_OUT else 20)
    reader = await desk.app(limits=Limits(total=total))
    desk.stage.world.misbehave(TOKEN, how)

    with pytest.raises(SourceError) as caught:
        await reader.fetch(source())

    assert caught.value.reason is reason
    assert len(desk.paths()) == 1


async def test_a_name_that_leads_to_a_search_is_gone(desk: Desk) -> None:
    reader = await desk.reader()
    desk.stage.world.misbehave(LISTING, moved(SEARCH.path, permanently=False))

    with pytest.raises(SourceError) as caught:
        await reader.fetch(source())

    assert caught.value.reason is Reason.GONE


async def test_as_an_application_the_real_site_is_asked_at_its_api() -> None:
    tools: dict[str, Any] = {"egress": None, "parse": None, "clock": FakeClock()}
    secret: dict[str, Any] = {"client_id": "id", "client_secret": Secret("s")}
    home = "https://www.reddit.com"

    assert Reddit(**tools, base_url=home).place({}) == home
    assert Reddit(**tools, **secret, base_url=home).place({}) == "https://oauth.reddit.com"
    assert Reddit(**tools, **secret, base_url="http://mirror:1").place({}) == "http://mirror:1"


@pytest.mark.parametrize(
    ("config", "key"),
    [
        ({}, "subreddit"),
        ({"subreddit": "a"}, "subreddit"),
        ({"subreddit": "python,rust,go"}, "subreddit"),
        ({"subreddit": [f"s{n}" for n in range(300)]}, "subreddit"),
        ({"subreddit": "python", "sort": "best"}, "sort"),
        ({"subreddit": "python", "limit": 101}, "limit"),
        ({"subreddit": "python", "limit": "25"}, "limit"),
    ],
)
async def test_a_bad_config_is_named(desk: Desk, config: dict[str, JsonValue], key: str) -> None:
    """S001-17."""
    problems = (await desk.reader()).check(config)

    assert len(problems) == 1
    assert key in problems[0]
