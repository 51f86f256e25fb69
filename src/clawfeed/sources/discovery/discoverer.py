"""What would this address be as a source? For `source add URL` and `POST /api/sources/resolve`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from clawfeed.domain.errors import InvalidInputError, Reason, SourceError
from clawfeed.domain.ids import JsonValue
from clawfeed.domain.sources.item import Draft
from clawfeed.egress.client import Egress
from clawfeed.egress.request_and_response import Request, Response
from clawfeed.egress.response_limits import Limits
from clawfeed.sources.config.credentials import authorization, check_credentials, take_apart
from clawfeed.sources.config.web_address import check_address
from clawfeed.sources.discovery.known_sites import KnownSite, recognise
from clawfeed.sources.documents.feed import FeedDocument
from clawfeed.sources.documents.web_page import FeedLink, PageDocument
from clawfeed.sources.fetchers.feed import FEED_LIMITS
from clawfeed.sources.fetchers.response_outcomes import ask
from clawfeed.sources.fetchers.website import ACCEPT, best_first, looks_like_feed, page_draft
from clawfeed.sources.parsing.pool import ParsePool
from clawfeed.sources.source_types.feed import RSS
from clawfeed.sources.source_types.source_type import SourceTypes
from clawfeed.sources.source_types.website import WEBSITE

# Enough to recognise a source by.
PREVIEW_ITEMS: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Discovery:
    """A source as it could be added: *kind* is its type.

    *feeds* are those a page offers, best first. *preview* holds a few items if the poll already
    brought them.
    """

    kind: str
    config: Mapping[str, JsonValue]
    title: str
    feeds: tuple[FeedLink, ...] = ()
    preview: tuple[Draft, ...] = ()


class Discoverer:
    """Polls an address once."""

    def __init__(
        self,
        *,
        egress: Egress,
        parse: ParsePool,
        clock: Callable[[], datetime],
        types: SourceTypes,
        limits: Limits = FEED_LIMITS,
    ) -> None:
        self._types = types
        self._limits = limits
        self._egress = egress
        self._parse = parse
        self._clock = clock

    def as_guest(self) -> AbstractContextManager[None]:
        """What is parsed inside leaves a worker to everybody else (`ParsePool.guest`)."""
        return self._parse.guest()

    async def discover(self, url: str) -> Discovery:
        """What *url* would be: a type with its config.

        Known hosts and "@handle" are answered without the network; a missing scheme is https.
        Raises `SourceError` if the address cannot be read.
        """
        text, known = take_apart(url.strip())
        home = text if "://" in text else f"https://{text}"
        try:
            place = recognise(self._types, text)
        except InvalidInputError as error:
            raise SourceError(Reason.MISCONFIGURED, str(error)) from error
        if place:
            return _of_place(place)
        problems = check_address({"url": home}, "url") or check_credentials(known)
        if problems:
            raise SourceError(Reason.MISCONFIGURED, problems[0])
        config = {"url": home, **known}
        headers = {"Accept": ACCEPT, **authorization(config, "url", home)}
        request = Request(url=home, headers=headers, limits=self._limits)
        response = await ask(self._egress, request, now=self._clock())
        if looks_like_feed(response):
            try:
                return _of_feed(config, await self._feed(response))
            except SourceError as error:
                if error.reason is not Reason.UNREADABLE:
                    raise
        return _of_page(config, response, await self._page(response))

    async def _feed(self, response: Response) -> FeedDocument:
        return await self._parse.feed(
            response.body,
            content_type=response.headers.get("content-type", ""),
            base_url=response.url,
            now=self._clock(),
        )

    async def _page(self, response: Response) -> PageDocument:
        return await self._parse.page(
            response.body,
            content_type=response.headers.get("content-type", ""),
            base_url=response.url,
        )


def _of_place(place: KnownSite) -> Discovery:
    return Discovery(kind=place.type, config=place.config, title=place.title)


def _of_feed(config: Mapping[str, JsonValue], document: FeedDocument) -> Discovery:
    return Discovery(
        kind=RSS.name,
        config=config,
        title=document.title or str(config["url"]),
        preview=document.entries[:PREVIEW_ITEMS],
    )


def _of_page(config: Mapping[str, JsonValue], response: Response, page: PageDocument) -> Discovery:
    """A website, whether it offers feeds or not: the fetcher follows them, and their changes."""
    feeds = tuple(best_first(page.feeds))
    return Discovery(
        kind=WEBSITE.name,
        config=config,
        title=page.site_name or page.og_title or page.title or str(config["url"]),
        feeds=feeds,
        preview=() if feeds else (page_draft(page, response),),
    )
