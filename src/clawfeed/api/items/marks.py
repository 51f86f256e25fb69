"""What the caller marked: saved, read, liked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Self

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, ConfigDict, model_validator

from clawfeed.api.http.request_fields import Address, Cursor, Id, Input, Limit, Line, PathId, Text
from clawfeed.api.http.responses import (
    MISSING_RESPONSE,
    NOT_MODIFIED,
    REFUSALS,
    json_answer,
    listed,
)
from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.domain.ids import ItemId, MarkId
from clawfeed.domain.moments import iso
from clawfeed.domain.pagination import id_in, page_of
from clawfeed.storage.readers.marks import Mark, MarkStatus, MarkStore, NewMark


@dataclass(frozen=True, slots=True, kw_only=True)
class MarksApi:
    """What these endpoints need."""

    store: MarkStore
    clock: Callable[[], datetime]


class MarkInput(Input):
    """Either an item, or an address (http or https) with a title."""

    model_config = ConfigDict(
        json_schema_extra={"example": {"raw_item_id": 1, "status": "saved", "note": "for Monday"}}
    )

    raw_item_id: Id | None = None
    url: Address | None = None
    title: Line | None = None
    note: Text = ""
    status: MarkStatus = MarkStatus.SAVED

    @model_validator(mode="after")
    def _one_or_the_other(self) -> Self:
        if (self.raw_item_id is None) == (self.url is None):
            raise ValueError("give raw_item_id, or url and title")
        if self.url is not None:
            if self.title is None:
                raise ValueError("an address needs a title")
            if not self.url.startswith(("http://", "https://")):
                raise ValueError("url must begin with http:// or https://")
        return self

    def new(self) -> NewMark:
        return NewMark(
            item_id=None if self.raw_item_id is None else ItemId(self.raw_item_id),
            url=self.url or "",
            title=self.title or "",
            note=self.note,
            status=self.status,
        )


class MarkSchema(BaseModel):
    id: int
    raw_item_id: int | None
    url: str
    title: str
    note: str
    status: MarkStatus
    created_at: datetime


class MarkList(BaseModel):
    marks: list[MarkSchema]
    next_cursor: str | None


def mark_routes(api: MarksApi) -> APIRouter:
    router = guarded_router("/api/marks", tag="marks")

    @router.get(
        "",
        summary="Your marks, newest first",
        response_model=MarkList,
        responses={**REFUSALS, **NOT_MODIFIED},
    )
    @open_to(Access.READ)
    async def marks(
        request: Request,
        caller: SignedIn,
        status: Annotated[MarkStatus | None, Query()] = None,
        limit: Limit = 50,
        cursor: Cursor = "",
    ) -> Response:
        before = id_in(cursor)
        found = await api.store.list(
            caller.user.id,
            status=status,
            before=None if before is None else MarkId(before),
            limit=limit + 1,
        )
        page, more = page_of(found, limit, lambda mark: (mark.id,))
        return listed(request, {"marks": [_as_json(each) for each in page], "next_cursor": more})

    @router.post(
        "",
        summary="Mark an item or an address; again changes the mark",
        status_code=201,
        response_model=MarkSchema,
        responses={**REFUSALS, **MISSING_RESPONSE},
    )
    @open_to(Access.WRITE)
    async def mark(caller: SignedIn, new: MarkInput) -> Response:
        saved = await api.store.save(caller.user.id, new.new(), now=api.clock())
        return json_answer(_as_json(saved), 201)

    @router.delete(
        "/{mark_id}",
        summary="Forget a mark",
        status_code=204,
        responses={**REFUSALS, **MISSING_RESPONSE},
    )
    @open_to(Access.WRITE)
    async def forget(caller: SignedIn, mark_id: PathId) -> Response:
        await api.store.remove(caller.user.id, MarkId(mark_id))
        return Response(status_code=204)

    return router


def _as_json(mark: Mark) -> dict[str, object]:
    return {
        "id": mark.id,
        "raw_item_id": mark.item_id,
        "url": mark.url,
        "title": mark.title,
        "note": mark.note,
        "status": str(mark.status),
        "created_at": iso(mark.created_at),
    }
