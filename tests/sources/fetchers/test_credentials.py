"""Basic authentication: what is sent, to whom, and who gets to see it (S001-5, T17)."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Final

import pytest
import pytest_asyncio

from clawfeed.domain.errors import InvalidInputError, Reason, SourceError
from clawfeed.domain.ids import JsonValue
from clawfeed.domain.sources.source_secrets import mask_config, public_part
from clawfeed.sources.discovery.discoverer import Discoverer
from clawfeed.sources.discovery.new_source import SourceRequest, prepare
from clawfeed.sources.fetcher import Fetcher
from clawfeed.sources.fetchers.custom_api import CustomApi
from clawfeed.sources.fetchers.feed import Feed
from clawfeed.sources.fetchers.feed_cursor import FeedCursor
from clawfeed.sources.fetchers.website import Website
from clawfeed.sources.parsing.pool import ParsePool
from clawfeed.sources.registry import Fetchers
from clawfeed.sources.source_types.built_in import BUILT_IN
from tests.egress.loopback_servers import Asked, RawServer, reply, serving
from tests.sources.simulated_world import rss, source_of
from tests.support.clocks import FakeClock
from tests.support.origin import door
from tests.support.parse_settings import BUILT_IN_DOCUMENTS

pytestmark = pytest.mark.asyncio(loop_scope="module")

FEED: Final = rss("<title>Paid</title><link>https://a.example/1</link>").encode()
PAGE: Final = b"<html><head><title>P</title><link rel=alternate type=application/rss+xml href=%s>"
KNOWN: Final = {"username": "ann", "password": "p:w é"}
BASIC: Final = "Basic " + base64.b64encode("ann:p:w é".encode()).decode()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def parse() -> AsyncIterator[ParsePool]:
    async with ParsePool(BUILT_IN_DOCUMENTS) as pool:
        yield pool


Answer = Callable[[Asked], bytes]


@asynccontextmanager
async def at(answer: Answer) -> AsyncIterator[RawServer]:
    async def handler(asked: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(answer(asked))

    async with serving(handler) as server:
        yield server


def closed_to_others(asked: Asked) -> bytes:
    """A feed, a page that leads to it, and JSON: all of them for Ann alone."""
    if asked.headers.get("authorization") != BASIC:
        return reply(401)
    if asked.path == "/page":
        return reply(200, PAGE % b"/feed", content_type="text/html")
    if asked.path == "/json":
        return reply(200, b'[{"title": "Paid", "url": "https://a.example/1"}]')
    return reply(200, FEED, content_type="application/rss+xml")


@asynccontextmanager
async def fetchers(parse: ParsePool, *servers: RawServer) -> AsyncIterator[Fetchers]:
    clock = FakeClock()
    async with door(*(url_of(each) for each in servers), clock=clock) as egress:
        feed = Feed(egress=egress, parse=parse, clock=clock)
        table = Fetchers(BUILT_IN)
        table.add("rss", feed)
        table.add("website", Website(egress=egress, parse=parse, clock=clock, feed=feed))
        table.add("custom_api", CustomApi(egress=egress, parse=parse, clock=clock, environ={}))
        yield table


def url_of(server: RawServer, path: str = "") -> str:
    return f"http://127.0.0.1:{server.port}{path}"


def reader(table: Fetchers, kind: str) -> Fetcher:
    found = table.get(kind)
    assert found
    return found


def seen(server: RawServer) -> list[str | None]:
    return [asked.headers.get("authorization") for asked in server.seen]


@pytest.mark.parametrize(
    ("kind", "key", "path"),
    [("rss", "url", "/feed"), ("website", "url", "/page"), ("custom_api", "endpoint", "/json")],
)
async def test_a_source_behind_a_password_is_read(
    parse: ParsePool, kind: str, key: str, path: str
) -> None:
    async with at(closed_to_others) as server, fetchers(parse, server) as table:
        pasted = url_of(server, path).replace("://", "://ann:p%3Aw%20%C3%A9@")
        new = prepare(table, SourceRequest(type=kind, config={key: pasted}))

        result = await reader(table, kind).fetch(source_of(kind, **new.config))
        with pytest.raises(SourceError) as refused:
            await reader(table, kind).fetch(source_of(kind, **{key: new.config[key]}))

    assert new.config == {key: url_of(server, path), **KNOWN}
    assert [draft.title for draft in result.drafts] == ["Paid"]  # type: ignore[union-attr] # Fetched
    assert refused.value.reason is Reason.AUTH_REQUIRED


async def test_another_origin_never_gets_them(parse: ParsePool) -> None:
    """Not by a redirect, not after a move that was believed, not as the feed that a page offers."""

    def here(asked: Asked) -> bytes:
        if asked.path == "/page":
            return reply(200, PAGE % url_of(thief, "/feed").encode(), content_type="text/html")
        return reply(301, location=url_of(thief, "/feed"))

    open_feed = lambda _: reply(200, FEED, content_type="application/rss+xml")  # noqa: E731
    async with at(open_feed) as thief, at(here) as server, fetchers(parse, thief, server) as table:
        home = url_of(server, "/old")
        moved = FeedCursor(home=home, moved_to=url_of(thief, "/feed"))
        source = source_of("rss", url=home, **KNOWN)

        await reader(table, "rss").fetch(source)
        await reader(table, "rss").fetch(replace(source, cursor=moved.save()))
        page = source_of("website", url=url_of(server, "/page"), **KNOWN)
        await reader(table, "website").fetch(page)

    assert seen(server) == [BASIC, BASIC]
    assert seen(thief) == [None, None, None]


async def test_an_address_with_a_password_is_looked_at_with_it(parse: ParsePool) -> None:
    """`source add URL` and `POST /api/sources/resolve`."""
    clock = FakeClock()
    async with at(closed_to_others) as server, door(url_of(server), clock=clock) as egress:
        look = Discoverer(egress=egress, parse=parse, clock=clock, types=BUILT_IN)

        found = await look.discover(url_of(server, "/feed").replace("//", "//ann:p:w%20é@"))

    assert (found.kind, found.config) == ("rss", {"url": url_of(server, "/feed"), **KNOWN})
    assert "ann" not in found.title


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        ({"url": "https://a:b@c.example/", "username": "d"}, "give them once"),
        ({"url": "https://c.example/", "password": "s3cret"}, "password needs a username"),
        ({"url": "https://c.example/", "username": "s3:cret"}, "username must be text without ':'"),
        ({"url": "https://a:s3cret%0a@c.example/"}, "password must be one line of text"),
        ({"url": "https://c.example/", "username": 5}, "username must be"),
    ],
)
async def test_what_cannot_be_sent_is_refused_without_being_repeated(
    parse: ParsePool, config: dict[str, JsonValue], sentence: str
) -> None:
    async with fetchers(parse) as table:
        with pytest.raises(InvalidInputError, match=sentence) as refused:
            prepare(table, SourceRequest(type="rss", config=config))

    assert "s3" not in str(refused.value)


async def test_two_ways_to_authorize_are_one_too_many(parse: ParsePool) -> None:
    config: dict[str, JsonValue] = {
        "endpoint": "https://a.example/",
        "headers": {"authorization": "Bearer x"},
        **KNOWN,
    }
    async with fetchers(parse) as table:
        with pytest.raises(InvalidInputError, match="not both"):
            prepare(table, SourceRequest(type="custom_api", config=config))


async def test_nobody_is_shown_either_of_them() -> None:
    """T17. Many services take a token as the user's name."""
    config: dict[str, JsonValue] = {"url": "https://a.example/?username=ann", **KNOWN}

    shown, given_away = mask_config(config), public_part(config)

    assert shown == {"url": config["url"], "username": "***", "password": "***"}
    assert given_away == {"url": config["url"]}
