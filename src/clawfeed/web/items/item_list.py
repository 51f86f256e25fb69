"""`/items`: what the reader's sources brought, the newest first; searched and narrowed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from fastapi import APIRouter, Request, Response

from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.domain.ids import UserId
from clawfeed.domain.pagination import place_or_none
from clawfeed.domain.people.users import Caller
from clawfeed.rendering.safe_text import one_line
from clawfeed.storage.digests.told_items import tellings_of
from clawfeed.storage.items.followed_items import (
    MOST_COUNTED,
    FollowedQuery,
    FollowedSource,
    ItemLines,
    count_found,
    followed_items,
    followed_sources,
    next_poll_of_followed,
)
from clawfeed.storage.items.items import PagePosition
from clawfeed.storage.readers.marks import address_to_mark
from clawfeed.storage.readers.story_feedback import opinions
from clawfeed.web.frame.page_rendering import PageView, wants_fragment
from clawfeed.web.items.item_context import ItemPages
from clawfeed.web.items.item_filter import (
    PATH,
    DaySpan,
    ItemFilter,
    filter_in,
)
from clawfeed.web.items.item_line import Line, line_of

PAGE: Final = 50
# A longer list of choices is none: beyond it a source is typed, and so many are proposed.
MOST_CHOICES: Final = 100
MOST_PROPOSED: Final = 500
NO_LINES: Final = ItemLines(items=[], next=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """One look at the list: who looks, and for what, of which sources."""

    page: PageView
    reader: UserId
    followed: Sequence[FollowedSource]
    filter: ItemFilter
    query: FollowedQuery
    is_first: bool


def item_list_routes(pages: ItemPages) -> APIRouter:
    router = guarded_router(PATH, tag="pages", in_schema=False)

    @router.get("")
    @open_to(Access.READ)
    async def items(request: Request, caller: SignedIn) -> Response:
        asked = await _asked(pages, request, caller)
        found, count = await _found(pages, asked)
        values = {
            **_choices(pages, asked),
            **_words(asked, found, count),
            "lines": await _lines(pages, asked, found),
            "next_poll": await _next_poll(pages, asked, found),
        }
        if wants_fragment(request):
            return pages.site.fragment(asked.page, "items/item_results.html", values)
        return pages.site.render(asked.page, "items/items.html", values)

    return router


async def _asked(pages: ItemPages, request: Request, caller: Caller) -> _Asked:
    reader = caller.user.id
    page, followed = await asyncio.gather(
        pages.site.page(request, caller), followed_sources(pages.database, reader)
    )
    wanted = filter_in(request.query_params, followed, pages.types)
    start = PagePosition.at(place_or_none(request.query_params.get("cursor", "")))
    query = FollowedQuery(
        reader=reader,
        sources=wanted.of(followed, pages.types),
        since=wanted.since(page.now, page.zone),
        terms=wanted.terms,
        start=start,
        limit=PAGE,
    )
    return _Asked(
        page=page,
        reader=reader,
        followed=followed,
        filter=wanted,
        query=query,
        is_first=start is None,
    )


async def _found(pages: ItemPages, asked: _Asked) -> tuple[ItemLines, int]:
    """One page, and how many a search finds in all."""
    if not asked.query.sources:
        return NO_LINES, 0
    if not asked.query.terms:
        return await followed_items(pages.database, asked.query), 0
    found, count = await asyncio.gather(
        followed_items(pages.database, asked.query), count_found(pages.database, asked.query)
    )
    return found, count


async def _lines(pages: ItemPages, asked: _Asked, found: ItemLines) -> list[Line]:
    addresses = [address_to_mark(item.id, item.url) for item in found.items]
    said, told = await asyncio.gather(
        opinions(pages.database, asked.reader, [], addresses),
        tellings_of(pages.database, [item.id for item in found.items], asked.reader),
    )
    return [line_of(asked.page, item, said.marks, told) for item in found.items]


async def _next_poll(pages: ItemPages, asked: _Asked, found: ItemLines) -> str | None:
    """When something may come, where nothing ever came yet."""
    if found.items or not asked.followed or asked.filter.is_narrow:
        return None
    at = await next_poll_of_followed(pages.database, asked.reader)
    return asked.page.when(at) if at and at > asked.page.now else None


def _choices(pages: ItemPages, asked: _Asked) -> dict[str, object]:
    """What the form offers: (value, name, is chosen) each."""
    chosen = asked.filter
    is_typed = len(asked.followed) > MOST_CHOICES
    types = sorted({pages.types.key(each.type) for each in asked.followed})
    return {
        "follows": len(asked.followed),
        "asked": chosen,
        "sources": []
        if is_typed
        else [(each.id, _name(each), each == chosen.source) for each in asked.followed],
        "proposed": [_name(each) for each in asked.followed[:MOST_PROPOSED]] if is_typed else [],
        "typed": _name(chosen.source) if chosen.source else chosen.unknown,
        "types": [(each, each, each == chosen.type) for each in types] if len(types) > 1 else [],
        "periods": [
            (each, asked.page.say(f"period.{each}"), each == chosen.period) for each in DaySpan
        ],
    }


def _words(asked: _Asked, found: ItemLines, count: int) -> dict[str, object]:
    """What is said about the list, and where its other parts are."""
    following = asked.filter.address(cursor=found.next.cursor) if found.next else None
    return {
        "count": count,
        "is_more": count >= MOST_COUNTED,
        "is_searched": bool(asked.query.terms),
        "removable": _removable(asked),
        "older": (following, asked.page.say("items.older")) if following else None,
        "newest": None
        if asked.is_first
        else (asked.filter.address(), asked.page.say("items.newest")),
    }


def _removable(asked: _Asked) -> list[tuple[str, str]]:
    """Each part of the filter by its name, and the list's address without it."""
    wanted, say = asked.filter, asked.page.say
    names = {
        "q": wanted.text,
        "source": _name(wanted.source) if wanted.source else "",
        "type": wanted.type,
        "period": say(f"period.{wanted.period}") if wanted.period else "",
    }
    return [(name, wanted.address(without=part)) for part, name in names.items() if name]


def _name(source: FollowedSource) -> str:
    return one_line(source.name) or f"{source.type} {source.id}"
