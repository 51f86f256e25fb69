"""RSS, Atom and JSON Feed (S001-5): the types `rss` and `digest_feed`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from hashlib import blake2b
from http import HTTPStatus
from typing import Final

from clawfeed.domain.errors import Reason, SourceError
from clawfeed.domain.ids import JsonValue
from clawfeed.domain.schedule.longest_wait import LONGEST_WAIT
from clawfeed.domain.sources.source import (
    LONGEST_SOURCE_NAME,
    Fetched,
    Hints,
    NotModified,
    Source,
)
from clawfeed.egress.client import Egress
from clawfeed.egress.request_and_response import Request, Response
from clawfeed.egress.response_limits import Limits
from clawfeed.sources.config.checks import check_keys, require
from clawfeed.sources.config.credentials import authorization, check_credentials
from clawfeed.sources.config.feed import KEYS
from clawfeed.sources.config.web_address import check_address, usable_address
from clawfeed.sources.documents.feed import FeedDocument
from clawfeed.sources.documents.size_limit import warnings_of
from clawfeed.sources.documents.text_cleaning import shorten
from clawfeed.sources.fetchers.feed_cursor import FeedCursor
from clawfeed.sources.fetchers.response_outcomes import ask, hints_from
from clawfeed.sources.parsing.pool import ParsePool

# Full-text feeds of a few hundred entries pass 500 KB (S001-12 allows a fetcher its own cap);
# those beyond 5 MB are archives, and would cost a parse worker seconds at every poll.
FEED_LIMITS: Final = Limits(body=5_000_000)
ACCEPT: Final = (
    "application/rss+xml, application/atom+xml, application/feed+json, "
    "application/xml;q=0.9, text/xml;q=0.9, */*;q=0.5"
)
# A feed that moved and then fails in one of these ways may have come home again.
MAY_HAVE_RETURNED: Final = frozenset(
    {Reason.GONE, Reason.UNREACHABLE, Reason.UNREADABLE, Reason.REFUSED}
)


class Feed:
    """Reads a feed by conditional requests. Its config is `{url, username, password}`.

    Validators come back only with the items of the very answer that carried them (I5). An answer
    that is byte for byte the last one counts as "not modified", for servers without validators.
    """

    def __init__(
        self,
        *,
        egress: Egress,
        parse: ParsePool,
        clock: Callable[[], datetime],
        limits: Limits = FEED_LIMITS,
    ) -> None:
        self._egress = egress
        self._parse = parse
        self._clock = clock
        self._limits = limits

    def check(self, config: Mapping[str, JsonValue]) -> list[str]:
        return [
            *check_address(config, "url"),
            *check_keys(config, KEYS),
            *check_credentials(config),
        ]

    def place(self, config: Mapping[str, JsonValue]) -> str:
        return usable_address(config, "url")

    async def fetch(self, source: Source) -> Fetched | NotModified:
        """Ask where the feed lives now; if that is a new place and it fails, at home."""
        require(self, source.config)
        cursor = FeedCursor.load(source.cursor, usable_address(source.config, "url"))
        try:
            return await self._poll(cursor, source.config)
        except SourceError as error:
            if cursor.moved_to is None or error.reason not in MAY_HAVE_RETURNED:
                raise
        return await self._poll(cursor.returned_home(), source.config)

    async def read(self, response: Response, cursor: FeedCursor) -> Fetched | NotModified:
        """What a whole answer brings, seen from *cursor*; `SourceError` if it is no feed."""
        now = self._clock()
        # 0.16 ms for 100 KB, which SHA-256 needs 0.27 for.
        body_hash = blake2b(response.body, digest_size=16).hexdigest()
        if body_hash == cursor.body_hash:
            return self._unchanged(cursor, cursor.with_validators(response), response, is_feed=True)
        document = await self._parse.feed(
            response.body,
            content_type=response.headers.get("content-type", ""),
            base_url=response.url,
            now=now,
            keys=cursor.keys,
        )
        seen = cursor.with_validators(response).after(response, now=now, is_feed=True)
        seen = _with_document(seen, document, body_hash)
        return Fetched(
            drafts=document.entries,
            known=document.known,
            cursor=seen.save(),
            hints=_hints(seen, response, now),
            title=as_name(document.title),
            warnings=_warnings(document),
        )

    async def _poll(
        self, cursor: FeedCursor, config: Mapping[str, JsonValue]
    ) -> Fetched | NotModified:
        now = self._clock()
        conditions = cursor.conditions(now)
        headers = {"Accept": ACCEPT, **conditions, **authorization(config, "url", cursor.url)}
        request = Request(url=cursor.url, headers=headers, limits=self._limits)
        response = await ask(self._egress, request, now=now)
        if response.status != HTTPStatus.NOT_MODIFIED:
            return await self.read(response, cursor)
        if not conditions:
            raise SourceError(
                Reason.UNREADABLE, "the server answered 304 to a question without conditions"
            )
        return self._unchanged(cursor, cursor, response, is_feed=False)

    def _unchanged(
        self, before: FeedCursor, cursor: FeedCursor, response: Response, *, is_feed: bool
    ) -> Fetched | NotModified:
        """No new content. Still an (empty) `Fetched` if there is something to remember."""
        now = self._clock()
        seen = cursor.after(response, now=now, is_feed=is_feed)
        hints = _hints(seen, response, now)
        if seen == before:
            return NotModified(hints=hints)
        return Fetched(drafts=(), cursor=seen.save(), hints=hints)


def as_name(title: str) -> str:
    """A clean *title* as the name of a source; "" for an address, which may hold a token."""
    return "" if "://" in title else shorten(title, LONGEST_SOURCE_NAME)


def _with_document(cursor: FeedCursor, document: FeedDocument, body_hash: str) -> FeedCursor:
    return replace(
        cursor,
        body_hash=body_hash,
        keys=document.keys,
        ttl=min(document.ttl, LONGEST_WAIT) if document.ttl else None,
        skip_hours=document.skip_hours,
        skip_days=document.skip_days,
    )


def _hints(cursor: FeedCursor, response: Response, now: datetime) -> Hints:
    """What the server and the feed ask for. A move is told once it is proven."""
    return Hints(
        wait=hints_from(response, now=now).wait,
        feed_wait=cursor.ttl,
        skip_hours=cursor.skip_hours,
        skip_days=cursor.skip_days,
        moved_to=cursor.moved_to,
    )


def _warnings(document: FeedDocument) -> tuple[str, ...]:
    cut = warnings_of(document.shortened)
    if not document.dropped:
        return cut
    return (f"{document.dropped} entries were left out: without link and text, or too many", *cut)
