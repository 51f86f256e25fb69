"""A web page (S001-7): read through the feed it offers, or as one item that changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Final

from clawfeed.domain.errors import Reason, SourceError
from clawfeed.domain.ids import JsonValue
from clawfeed.domain.sources.item import Draft, fingerprint
from clawfeed.domain.sources.source import Fetched, Hints, NotModified, Source
from clawfeed.egress.client import Egress
from clawfeed.egress.request_and_response import Request, Response
from clawfeed.egress.response_limits import Limits
from clawfeed.sources.config.checks import require
from clawfeed.sources.config.credentials import authorization, credentials_for
from clawfeed.sources.config.web_address import usable_address
from clawfeed.sources.documents.html_sanitizer import escape_text
from clawfeed.sources.documents.web_page import FeedLink, PageDocument
from clawfeed.sources.fetchers.feed import FEED_LIMITS, Feed, as_name
from clawfeed.sources.fetchers.feed_cursor import FeedCursor
from clawfeed.sources.fetchers.response_outcomes import ask, conditional, hints_from, validator
from clawfeed.sources.parsing.pool import ParsePool

# How long a discovered feed is used before the page is asked again.
REDISCOVER_AFTER: Final = timedelta(days=7)
# Announced feeds tried before the page itself must do.
MOST_TRIED: Final = 3
# Enough that the changes of one page never meet.
TURN_LENGTH: Final = 12
ACCEPT: Final = "text/html, application/xhtml+xml;q=0.9, */*;q=0.5"
# The announced feed is not there or is not a feed: the page itself, or another feed, may do.
# Every other failure may pass, and the page would only be asked in vain.
NO_FEED: Final = frozenset(
    {Reason.GONE, Reason.UNREADABLE, Reason.REFUSED, Reason.AUTH_REQUIRED, Reason.BLOCKED}
)
_FEED_MARKS: Final = (b"<rss", b"<feed", b"<rdf:rdf", b"jsonfeed.org/version/")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Memory:
    """What is kept between polls: the discovered feed with its own cursor, or the page's state.

    *shown* is the hash of what the page last showed as an item, and *turn* stands for all that it
    showed before: it makes a state that comes back another item than the first time. Both outlive
    a time in which the page had a feed.
    """

    home: str
    feed_url: str = ""
    found_at: float = 0.0
    feed: Mapping[str, JsonValue] = field(default_factory=dict)
    etag: str = ""
    shown: str = ""
    turn: str = ""

    @classmethod
    def load(cls, saved: Mapping[str, JsonValue], home: str) -> _Memory:
        if saved.get("for") != fingerprint(home):
            return cls(home=home)
        found_at, feed = saved.get("found_at"), saved.get("feed")
        return cls(
            home=home,
            feed_url=str(saved.get("feed_url") or ""),
            found_at=found_at if isinstance(found_at, int | float) else 0.0,
            feed=feed if isinstance(feed, dict) else {},
            etag=str(saved.get("etag") or ""),
            shown=str(saved.get("shown") or ""),
            turn=str(saved.get("turn") or ""),
        )

    def save(self) -> dict[str, JsonValue]:
        saved: dict[str, JsonValue] = {"for": fingerprint(self.home)}
        page = {"shown": self.shown, "turn": self.turn, "etag": self.etag}
        saved |= {name: text for name, text in page.items() if text}
        if self.feed_url:
            saved |= {"feed_url": self.feed_url, "found_at": self.found_at, "feed": dict(self.feed)}
        return saved

    def has_fresh_feed(self, now: datetime) -> bool:
        # Numbers, not durations: a damaged one may be larger than a duration can be. One of a lost
        # future (F15) is no better.
        soonest = now.timestamp() - REDISCOVER_AFTER.total_seconds()
        latest = now.timestamp() + REDISCOVER_AFTER.total_seconds()
        return bool(self.feed_url) and soonest < self.found_at < latest


class Website:
    """Reads a page. Its config is `{url, username, password}`.

    1. A feed discovered within the last week is read, and that is all.
    2. Else, or if that feed is gone, the page is asked. It may be a feed itself.
    3. The first announced feed that can be read is read and remembered.
    4. Without one, title and description become an item whose version is their fingerprint: a
       change is a new item (settled 6), and so is a change back to what was shown before. What is
       shown twice in a row is one item.
    """

    def __init__(
        self,
        *,
        egress: Egress,
        parse: ParsePool,
        clock: Callable[[], datetime],
        feed: Feed,
        limits: Limits = FEED_LIMITS,
    ) -> None:
        self._limits = limits  # as a feed's: the page may turn out to be one
        self._egress = egress
        self._parse = parse
        self._clock = clock
        self._feed = feed

    def check(self, config: Mapping[str, JsonValue]) -> list[str]:
        """A page is named and opened as its feed is."""
        return self._feed.check(config)

    def place(self, config: Mapping[str, JsonValue]) -> str:
        return self._feed.place(config)

    async def fetch(self, source: Source) -> Fetched | NotModified:
        require(self, source.config)
        memory = _Memory.load(source.cursor, usable_address(source.config, "url"))
        if not memory.has_fresh_feed(self._clock()):
            return await self._discover(source, memory, None)
        try:
            return await self._through_feed(source, memory, memory)
        except SourceError as error:
            if error.reason not in NO_FEED:
                raise
            return await self._discover(source, memory, error)

    async def _through_feed(
        self, source: Source, memory: _Memory, before: _Memory
    ) -> Fetched | NotModified:
        """The feed's news, its cursor wrapped into ours."""
        known = credentials_for(source.config, "url", memory.feed_url)
        config = {"url": memory.feed_url, **known}
        as_feed = replace(source, config=config, cursor=memory.feed)
        return _wrapped(await self._feed.fetch(as_feed), memory, before)

    async def _discover(
        self, source: Source, memory: _Memory, lost: SourceError | None
    ) -> Fetched | NotModified:
        """Ask the page itself. *lost* is how its feed has just failed."""
        # A page that led to a feed left no validators: it is read whole, to see whether it still
        # does. By ETag only: a page that is put back carries its old date, and to many servers
        # "modified since" means later than.
        conditions = conditional(memory.etag, None)
        known = authorization(source.config, "url", memory.home)
        headers = {"Accept": ACCEPT, **conditions, **known}
        request = Request(url=memory.home, headers=headers, limits=self._limits)
        response = await ask(self._egress, request, now=self._clock())
        if response.status == HTTPStatus.NOT_MODIFIED:
            return NotModified(hints=_hints(response, self._clock()))
        if looks_like_feed(response):
            try:
                return await self._as_feed(response, memory)
            except SourceError as error:
                if error.reason is not Reason.UNREADABLE:
                    raise
        return await self._as_page(source, response, memory, lost)

    async def _as_feed(self, response: Response, memory: _Memory) -> Fetched | NotModified:
        found = self._found(memory, memory.home)
        result = await self._feed.read(response, FeedCursor.load(found.feed, memory.home))
        return _wrapped(result, found, memory)

    async def _as_page(
        self, source: Source, response: Response, memory: _Memory, lost: SourceError | None
    ) -> Fetched | NotModified:
        page = await self._parse.page(
            response.body,
            content_type=response.headers.get("content-type", ""),
            base_url=response.url,
        )
        warnings: tuple[str, ...] = ()
        for link in best_first(page.feeds)[:MOST_TRIED]:
            if lost and link.url == memory.feed_url:
                continue
            try:
                return await self._through_feed(source, self._found(memory, link.url), memory)
            except SourceError as error:
                if error.reason not in NO_FEED:
                    raise
                warnings += (f"a feed the page offers cannot be read: {error.detail}",)
        if lost and any(link.url == memory.feed_url for link in page.feeds):
            # It was read before and is still announced: a failure, not a page without a feed.
            raise lost
        return self._item(page, response, memory, warnings)

    def _found(self, memory: _Memory, feed_url: str) -> _Memory:
        """The memory with this feed; its cursor is kept if it was the same one before."""
        kept = memory.feed if memory.feed_url == feed_url else {}
        now = self._clock().timestamp()
        return replace(memory, feed_url=feed_url, found_at=now, feed=kept, etag="")

    def _item(
        self, page: PageDocument, response: Response, memory: _Memory, warnings: tuple[str, ...]
    ) -> Fetched | NotModified:
        draft = page_draft(page, response)
        shown = draft.version or ""
        seen = _Memory(
            home=memory.home,
            etag=validator(response, "etag"),
            shown=shown,
            turn=memory.turn if shown == memory.shown else self._next_turn(memory, shown),
        )
        hints = _hints(response, self._clock())
        if seen == memory:
            return NotModified(hints=hints)
        drafts = () if shown == memory.shown else (_in_turn(draft, memory, seen),)
        return Fetched(
            drafts=drafts,
            cursor=seen.save(),
            hints=hints,
            title=as_name(page.site_name or page.og_title or page.title),
            warnings=warnings,
        )

    def _next_turn(self, memory: _Memory, shown: str) -> str:
        """A chain from one change to the next: stored with its item, so told again alike.

        It begins with a date: should a cursor be lost, another chain must not meet old keys.
        """
        before = memory.turn or memory.shown or self._clock().isoformat()
        return fingerprint(before, shown)[:TURN_LENGTH]


def looks_like_feed(response: Response) -> bool:
    """Whether it is worth asking the feed parser, which decides."""
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind in {"application/rss+xml", "application/atom+xml", "application/feed+json"}:
        return True
    head = response.body[:2048].lower()
    return any(mark in head for mark in _FEED_MARKS)


def best_first(feeds: tuple[FeedLink, ...]) -> list[FeedLink]:
    """The feeds in the page's order, those of comments last."""
    return sorted(feeds, key=lambda feed: "comment" in f"{feed.url} {feed.title}".lower())


def page_draft(page: PageDocument, response: Response) -> Draft:
    """The page as an item (S001-7); `SourceError(UNREADABLE)` if it says nothing of itself."""
    about = page.og_description or page.description
    title = page.og_title or page.title or about[:200]
    if not title:
        raise SourceError(Reason.UNREADABLE, _why_nothing(response))
    names = {"page_title": page.title, "site_name": page.site_name}
    return Draft(
        title=title,
        url=response.url,
        content=escape_text(about),
        metadata={name: text for name, text in names.items() if text and text != title},
        version=fingerprint(page.title, page.og_title, about),
    )


def _in_turn(draft: Draft, memory: _Memory, seen: _Memory) -> Draft:
    """The page as the item of this change. The first has no turn: a lost cursor tells no news."""
    return replace(draft, version=f"{seen.shown}-{seen.turn}") if memory.shown else draft


def _why_nothing(response: Response) -> str:
    if response.body.lstrip()[:1] in (b"{", b"["):
        return "this is JSON, not a page: add it with the type custom_api (--type custom_api)"
    return "the page has neither a title nor a description"


def _wrapped(
    result: Fetched | NotModified, memory: _Memory, before: _Memory
) -> Fetched | NotModified:
    """The feed's result as ours; a fresh discovery is remembered even if the feed had no news."""
    hints = replace(result.hints, moved_to=None)  # it is the feed that moved, not the page
    if isinstance(result, Fetched):
        cursor = replace(memory, feed=result.cursor).save()
        return replace(result, cursor=cursor, hints=hints)
    if memory == before:
        return NotModified(hints=hints)
    return Fetched(drafts=(), cursor=memory.save(), hints=hints)


def _hints(response: Response, now: datetime) -> Hints:
    """When to come back. Not where to: the page's address is also its item's, and stays."""
    return replace(hints_from(response, now=now), moved_to=None)
