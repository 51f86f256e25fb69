"""Editions for feed readers: RSS and JSON Feed, everybody's and, with a token, one's own."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request, Response

from clawfeed.api.http.responses import MISSING_RESPONSE, NOT_MODIFIED
from clawfeed.auth.authorization import Access, guarded_router, open_to
from clawfeed.auth.tokens import hash_of
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.errors import NotFoundError
from clawfeed.domain.people.users import User
from clawfeed.rendering.feed_json import render_json_feed
from clawfeed.rendering.feed_rss import render_rss
from clawfeed.rendering.feed_view import FeedAbout, FeedEdition, FeedView, feed_view
from clawfeed.storage.database import Database
from clawfeed.storage.digests.digests_for_feeds import DatedEdition, FeedEditions
from clawfeed.storage.people.feed_tokens import FeedTokens

# As many as a reader misses over a holiday; daily ones are half a megabyte then.
MOST_EDITIONS: Final = 20
_PUBLIC: Final = {"Cache-Control": "public, max-age=300"}
# The address is a secret: no cache on the way keeps it, no page hears of it, no index shows it.
_SECRET: Final = {
    "Cache-Control": "private, max-age=300",
    "Referrer-Policy": "no-referrer",
    "X-Robots-Tag": "noindex",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedsApi:
    """What the feeds need. *version* is part of their ETags: a release may write them anew."""

    database: Database
    clock: Callable[[], datetime]
    base_url: str
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedForm:
    """One way to write a feed."""

    ending: str
    media_type: str
    render: Callable[[FeedView], bytes]


RSS: Final = FeedForm(ending="rss", media_type="application/rss+xml", render=render_rss)
JSON_FEED: Final = FeedForm(
    ending="json", media_type="application/feed+json", render=render_json_feed
)

Token = Annotated[
    str | None, Query(description="A feed token: the editions of whoever made it, not everybody's")
]


def _answers(form: FeedForm) -> dict[int | str, dict[str, Any]]:
    content = {form.media_type: {"schema": {"type": "string"}}}
    return {
        200: {"description": "The feed", "content": content},
        **MISSING_RESPONSE,
        **NOT_MODIFIED,
    }


def feed_routes(api: FeedsApi) -> APIRouter:
    """Open to everyone, and nobody is asked who they are: feed readers cannot sign in."""
    router = guarded_router("/feed", tag="feeds")
    feeds = _Feeds(api)

    @router.get(
        "/{slug}.rss",
        summary="Editions as RSS 2.0: `daily`, `weekly`, `monthly` or `4h`",
        response_class=Response,
        responses=_answers(RSS),
    )
    @open_to(Access.UNASKED)
    async def rss(request: Request, slug: str, token: Token = None) -> Response:
        return await feeds.answer(request, slug, token, RSS)

    @router.get(
        "/{slug}.json",
        summary="Editions as JSON Feed 1.1: `daily`, `weekly`, `monthly` or `4h`",
        response_class=Response,
        responses=_answers(JSON_FEED),
    )
    @open_to(Access.UNASKED)
    async def json_feed(request: Request, slug: str, token: Token = None) -> Response:
        return await feeds.answer(request, slug, token, JSON_FEED)

    return router


class _Feeds:
    """Remembers how everybody's feeds were written last: anybody may ask for them, all day."""

    def __init__(self, api: FeedsApi) -> None:
        self._api = api
        self._written: dict[tuple[EditionType, str], tuple[str, bytes]] = {}

    async def answer(
        self, request: Request, slug: str, token: str | None, form: FeedForm
    ) -> Response:
        kind = _kind(slug)
        owner = None if token is None else await _owner(self._api, token)
        newest = await FeedEditions(self._api.database).newest(
            kind, owner.id if owner else None, limit=MOST_EDITIONS
        )
        headers = _headers(self._api, form, kind, newest, owner)
        if _has_it(request, headers):
            return Response(status_code=304, headers=headers)
        if owner is None:
            body = await self._everybodys(form, kind, newest, headers["ETag"])
        else:
            body = await self._write(form, kind, newest, owner)
        return Response(body, headers=headers, media_type=form.media_type)

    async def _everybodys(
        self, form: FeedForm, kind: EditionType, newest: Sequence[DatedEdition], tag: str
    ) -> bytes:
        known, body = self._written.get((kind, form.ending), ("", b""))
        if known != tag:
            body = await self._write(form, kind, newest, None)
            self._written[kind, form.ending] = tag, body
        return body

    async def _write(
        self, form: FeedForm, kind: EditionType, newest: Sequence[DatedEdition], owner: User | None
    ) -> bytes:
        api = self._api
        stored = await FeedEditions(api.database).load(newest, owner.id if owner else None)
        found = [
            FeedEdition(digest_id=each.id, content=each.content, created_at=each.created_at)
            for each in stored
        ]
        about = FeedAbout(
            kind=kind,
            base_url=api.base_url,
            address=None if owner else f"{api.base_url}/feed/{kind}.{form.ending}",
            owner=owner.name if owner else "",
        )
        # It takes a tenth of a second; others are answered meanwhile.
        return await asyncio.to_thread(lambda: form.render(feed_view(about, found)))


def _kind(slug: str) -> EditionType:
    try:
        return EditionType(slug)
    except ValueError:
        raise _no_such_feed() from None


async def _owner(api: FeedsApi, token: str) -> User:
    """Whose token it is; a wrong one is no feed at all."""
    tokens = FeedTokens(api.database)
    found = await tokens.find(hash_of(token))
    if found is None:
        raise _no_such_feed()
    await tokens.use(found, now=api.clock())
    return found.user


def _no_such_feed() -> NotFoundError:
    return NotFoundError("there is no such feed")


def _headers(
    api: FeedsApi,
    form: FeedForm,
    kind: EditionType,
    newest: Sequence[DatedEdition],
    owner: User | None,
) -> dict[str, str]:
    """An ETag from what the feed is made of: finished editions never change."""
    dated = [(each.id, each.created_at.timestamp()) for each in newest]
    made_of = (api.version, api.base_url, form.ending, kind, dated, owner and owner.name)
    headers = {
        **(_SECRET if owner else _PUBLIC),
        "ETag": f'"{hashlib.sha256(repr(made_of).encode()).hexdigest()[:24]}"',
    }
    if newest:
        headers["Last-Modified"] = format_datetime(_whole(newest[0].created_at), usegmt=True)
    return headers


def _whole(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(microsecond=0)


def _has_it(request: Request, headers: dict[str, str]) -> bool:
    """By ETag; by date only where none was given (RFC 9110, 13.1.3)."""
    known = request.headers.get("if-none-match")
    if known is not None:
        tags = {tag.strip().removeprefix("W/") for tag in known.split(",")}
        return bool({"*", headers["ETag"]} & tags)
    since, modified = request.headers.get("if-modified-since"), headers.get("Last-Modified")
    if since is None or modified is None:
        return False
    try:
        return parsedate_to_datetime(modified) <= parsedate_to_datetime(since)
    except (TypeError, ValueError):
        return False
