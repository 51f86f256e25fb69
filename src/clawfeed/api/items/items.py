"""Raw items over HTTP: listed, searched, counted, and gathered for a digest (S001-13)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field

from clawfeed.api.http.request_fields import MOST_LISTED, Cursor, up_to
from clawfeed.api.http.responses import MISSING_RESPONSE, NOT_MODIFIED, REFUSALS, listed
from clawfeed.api.items.item_schemas import DigestItems, ItemPage, ItemStats
from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.domain.errors import InvalidInputError
from clawfeed.domain.ids import SourceId, UserId
from clawfeed.domain.pagination import id_in, page_of, place_in
from clawfeed.domain.search_terms import Term, query_terms
from clawfeed.domain.since_parameter import parse_since
from clawfeed.storage.database import Database
from clawfeed.storage.items.items import ItemQuery, ItemStore, Page, PagePosition

MOST_FOR_DIGEST, MOST_COUNTED = 500, 1_000
# Whoever goes further by counting makes the database count along; a cursor costs nothing.
FURTHEST_OFFSET = 100_000
LARGEST_ID = 2**63 - 1
LONGEST_QUESTION = 200

Counted = Annotated[int, Query(ge=1, description="At most this many"), up_to(MOST_COUNTED)]
Since = Annotated[
    str | None,
    Field(
        max_length=64,
        description="Only items fetched at or after: ISO 8601, a date, or seconds since 1970",
        examples=["2026-11-15T00:00:00Z"],
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemsApi:
    """What the endpoints for items need."""

    database: Database
    clock: Callable[[], datetime]


class ItemListQuery(BaseModel):
    """The parameters of a list."""

    source_id: int | None = Field(None, ge=1, le=LARGEST_ID, description="Of one source")
    since: Since = None
    q: str | None = Field(
        None,
        max_length=LONGEST_QUESTION,
        description="Words that must all be in title, author or text; the last may be unfinished",
        examples=["open sourc"],
    )
    limit: Annotated[int, up_to(MOST_LISTED)] = Field(50, ge=1)
    offset: int = Field(0, ge=0, le=FURTHEST_OFFSET, description="Skip so many; prefer `cursor`")
    cursor: Cursor = ""


class DigestItemFilter(BaseModel):
    since: Since = None
    limit: Annotated[int, up_to(MOST_FOR_DIGEST)] = Field(MOST_FOR_DIGEST, ge=1)


def item_routes(items: ItemsApi) -> APIRouter:
    router = guarded_router("/api/raw-items", tag="items")
    store = ItemStore(items.database)

    @router.get(
        "",
        summary="Items the caller may see, newest first",
        response_model=ItemPage,
        responses=REFUSALS | MISSING_RESPONSE | NOT_MODIFIED,
    )
    @open_to(Access.READ)
    async def list_items(
        request: Request, caller: SignedIn, wanted: Annotated[ItemListQuery, Query()]
    ) -> Response:
        page = await store.page(_query(caller.user.id, wanted))
        return listed(request, _page_as_json(page))

    @router.get(
        "/stats",
        summary="Per source: items in all, the last one, and the last day's",
        response_model=ItemStats,
        responses=REFUSALS | NOT_MODIFIED,
    )
    @open_to(Access.READ)
    async def stats(
        request: Request, caller: SignedIn, limit: Counted = MOST_COUNTED, cursor: Cursor = ""
    ) -> Response:
        after = id_in(cursor) or 0
        now = items.clock()
        found = await store.stats(caller.user.id, now=now, after=after, limit=limit + 1)
        page, more = page_of(found, limit, lambda line: (int(str(line["source_id"])),))
        return listed(request, {"sources": page, "next_cursor": more})

    @router.get(
        "/for-digest",
        summary="The newest items of the sources the caller follows",
        response_model=DigestItems,
        responses=REFUSALS | NOT_MODIFIED,
    )
    @open_to(Access.READ)
    async def for_digest(
        request: Request, caller: SignedIn, wanted: Annotated[DigestItemFilter, Query()]
    ) -> Response:
        found = await store.for_digest(
            caller.user.id, since=_since(wanted.since), limit=wanted.limit, now=items.clock()
        )
        return listed(request, {"items": found})

    return router


def _query(user_id: UserId, wanted: ItemListQuery) -> ItemQuery:
    return ItemQuery(
        user_id=user_id,
        limit=wanted.limit,
        offset=wanted.offset,
        source_id=None if wanted.source_id is None else SourceId(wanted.source_id),
        since=_since(wanted.since),
        terms=_terms(wanted.q),
        start=PagePosition.at(place_in(wanted.cursor)),
    )


def _since(text: str | None) -> datetime | None:
    return None if text is None else parse_since(text)


def _terms(text: str | None) -> tuple[Term, ...]:
    if text is None:
        return ()
    terms = query_terms(text)
    if not terms:
        raise InvalidInputError("q has no word to search for: give at least one letter or digit")
    return terms


def _page_as_json(page: Page) -> dict[str, object]:
    return {"items": page.items, "next_cursor": page.next.cursor if page.next else None}
