"""A world behind a socket: routing, faults, the journal."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from email.utils import format_datetime
from functools import partial
from pathlib import Path

from clawfeed.simulator.control_api import Control
from clawfeed.simulator.faults import Fault, Misbehaviour
from clawfeed.simulator.formats import FORMATS, HTML_TYPE, article, opml
from clawfeed.simulator.journal import Entry, Journal
from clawfeed.simulator.news.feed_model import Shape
from clawfeed.simulator.response_faults import REWRITES
from clawfeed.simulator.services import webhook_services
from clawfeed.simulator.services.github import GitHub
from clawfeed.simulator.services.github_trending import Trending
from clawfeed.simulator.services.hackernews import HackerNews
from clawfeed.simulator.services.language_model import PREFIX, LanguageModel
from clawfeed.simulator.services.mail_server import serve_mail
from clawfeed.simulator.services.mailbox import PREFIX as MAILBOX
from clawfeed.simulator.services.mailbox import Mailbox
from clawfeed.simulator.services.reddit import Reddit
from clawfeed.simulator.services.telegram import Telegram
from clawfeed.simulator.services.x import Bridge, X
from clawfeed.simulator.serving.http import Connection, Exchange, Performance, Request, Response
from clawfeed.simulator.serving.responses import Answer, Settled, not_found, settle, text
from clawfeed.simulator.serving.wire_faults import PERFORMANCES
from clawfeed.simulator.world import World

CONTROL = "/_control/"
EVERYDAY_HEADERS = frozenset(
    {
        "host", "user-agent", "accept", "accept-encoding", "accept-language", "connection",
        "if-none-match", "if-modified-since", "authorization", "content-length", "content-type",
    }
)  # fmt: skip
CONDITIONS = frozenset({"if-none-match", "if-modified-since"})
NOT_FEEDS = frozenset({Shape.WEBSITE, Shape.PAGE, Shape.API})


@dataclass(frozen=True, slots=True)
class Route:
    """Who answers what begins with *prefix*."""

    prefix: str
    answer: Callable[[Request], Answer]


def routes(world: World, *, x_limit: int) -> tuple[Route, ...]:
    """All services of the world, beside the feeds at their own paths. A new one is one line."""
    x = X(world, limit=x_limit)
    return (
        Route("/hn/", HackerNews(world).answer),
        Route("/reddit/", Reddit(world).answer),
        Route("/trending", Trending(world).answer),
        Route("/x/2/", x.answer),
        Route("/x/i/oauth2/authorize", x.oauth.authorise),
        Route(PREFIX, LanguageModel().answer),
        Route(MAILBOX, Mailbox(world).answer),
        Route(webhook_services.PREFIX, webhook_services.WebhookServices(world).answer),
        Route("/telegram/", Telegram(world).answer),
        Route("/github/", GitHub(world).answer),
        Route("/bridge/twitter/user/", Bridge(world).answer),
        Route("/read/", partial(_read, world)),
        Route("/opml", partial(_opml, world)),
        Route(CONTROL, Control(world).answer),
    )


class Origin:
    """A running server for one world; made by `serve`. Its mail server is at *mail_url*."""

    def __init__(self, world: World, journal: Journal | None, *, x_limit: int) -> None:
        self.world = world
        self.url = ""
        self.mail_url = ""
        self._journal = journal
        self._routes = routes(world, x_limit=x_limit)
        self._in_flight: Counter[str] = Counter()
        self._date = (0, "")

    @property
    def unanswered(self) -> int:
        """How many requests are under way, those included whose asker left without our noticing."""
        return self._in_flight.total()

    def handle(self, request: Request) -> Exchange:
        """Decide the whole exchange at once: what a request gets is settled when it comes."""
        path = request.path
        how = None if path.startswith(CONTROL) else self.world.misbehaviour_for(path)
        # What is refused at the gate is not carried out.
        is_carried_out = not how or how.fault is not Fault.STATUS or request.method == "GET"
        answer = self._answer(request) if is_carried_out else not_found()
        if how and how.fault in REWRITES:
            answer = REWRITES[how.fault](answer, request, how)
        if how and not how.fault.delivers:
            request = _without_conditions(request)  # a 304 would hide the fault
        settled = settle(answer, request, self._now())
        self._in_flight[path] += 1
        if self._journal and not path.startswith(CONTROL):
            self._journal.add(self._entry(request, answer.feed, settled, how))
        return Exchange(
            response=settled.response,
            done=partial(self._done, path),
            hold=answer.hold,
            perform=_performance(settled.response, how),
        )

    def _answer(self, request: Request) -> Answer:
        document = self.world.document_at(request)
        if document is not None:
            return document
        for route in self._routes:
            if request.path.startswith(route.prefix):
                return route.answer(request)
        return not_found()

    def _done(self, path: str) -> None:
        self._in_flight[path] -= 1
        if not self._in_flight[path]:
            del self._in_flight[path]

    def _entry(
        self, request: Request, feed: str, settled: Settled, how: Misbehaviour | None
    ) -> Entry:
        return Entry(
            ts=self.world.clock(),
            method=request.method,
            path=request.path,
            feed=feed,
            in_flight=self._in_flight[request.path],
            at_origin=self._in_flight.total(),
            status=settled.response.status,
            etag=settled.etag,
            keys=settled.keys if how is None or how.fault.delivers else (),
            fault=how.fault.name.lower() if how else None,
            user_agent=request.headers.get("user-agent", ""),
            if_none_match=request.headers.get("if-none-match"),
            has_authorization="authorization" in request.headers,
            other_headers=tuple(sorted(request.headers.keys() - EVERYDAY_HEADERS)),
        )

    def _now(self) -> str:
        now = self.world.clock()
        second = int(now.timestamp())
        if second != self._date[0]:
            self._date = (second, format_datetime(now, usegmt=True))
        return self._date[1]


@asynccontextmanager
async def serve(
    world: World,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    journal: Path | None = None,
    own_links: bool = False,
    x_limit: int = 900,
) -> AsyncIterator[Origin]:
    """Run *world* on a socket; on leaving, every connection is cut.

    With *own_links* the items' URLs lead to this server (a demo wants to be clicked); without,
    to `.example` hosts, so that keys do not depend on the port.
    """
    book = Journal(journal) if journal else None
    origin = Origin(world, book, x_limit=x_limit)
    connections: set[Connection] = set()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: Connection(origin.handle, connections), host, port, backlog=1024
    )
    origin.url = "http://{}:{}".format(*server.sockets[0].getsockname()[:2])
    if own_links:
        world.links = origin.url
    try:
        async with serve_mail(world, host=host) as mail:
            origin.mail_url = mail.url
            yield origin
    finally:
        server.close()
        for connection in list(connections):
            connection.abort()
        await asyncio.sleep(0)  # lets `connection_lost` end the performances
        await server.wait_closed()
        if book:
            book.close()


def _without_conditions(request: Request) -> Request:
    kept = {name: value for name, value in request.headers.items() if name not in CONDITIONS}
    return replace(request, headers=kept)


def _performance(response: Response, how: Misbehaviour | None) -> Performance | None:
    if how is None or how.fault not in PERFORMANCES:
        return None
    perform = PERFORMANCES[how.fault]
    return lambda wire: perform(wire, response, how)


def _read(world: World, request: Request) -> Answer:
    """The page behind an item's link: `/read/{feed}/{index}`."""
    match request.path.split("/"):
        case ["", "read", name, index] if name in world.feeds and index.isdecimal():
            feed = world.feeds[name]
            if int(index) < world.count(feed):
                return text(article(world.story(feed, int(index)), feed.title), HTML_TYPE)
    return not_found()


def _opml(world: World, request: Request) -> Answer:
    """Every feed of the world, under the address the client used."""
    base = f"http://{request.headers.get('host', '')}"
    feeds = [
        (feed.title, base + feed.path)
        for feed in world.feeds.values()
        if feed.shape in FORMATS and feed.shape not in NOT_FEEDS
    ]
    return text(opml(feeds), "text/x-opml; charset=utf-8")
