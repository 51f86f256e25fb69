"""What the caller follows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Self

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field, model_validator

from clawfeed.api.http.request_fields import Cursor, Id, Input, Limit, PathId
from clawfeed.api.http.responses import (
    MISSING_RESPONSE,
    NOT_MODIFIED,
    REFUSALS,
    json_answer,
    listed,
)
from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.domain.errors import NotFoundError
from clawfeed.domain.ids import SourceId
from clawfeed.domain.moments import iso
from clawfeed.domain.pagination import id_in, page_of
from clawfeed.storage.sources.subscriptions import Subscription, SubscriptionStore

MOST_AT_ONCE = 1_000
Ids = Annotated[tuple[Id, ...], Field(max_length=MOST_AT_ONCE, fail_fast=True)]


@dataclass(frozen=True, slots=True, kw_only=True)
class SubscriptionsApi:
    """What these endpoints need."""

    store: SubscriptionStore
    clock: Callable[[], datetime]


class Changes(Input):
    """Sources to follow and to leave, all or nothing."""

    model_config = ConfigDict(
        json_schema_extra={"example": {"source_ids": [1, 2], "unsubscribe": [3]}}
    )

    source_ids: Ids = ()
    unsubscribe: Ids = ()

    @model_validator(mode="after")
    def _is_clear(self) -> Self:
        for id_ in sorted(set(self.source_ids) & set(self.unsubscribe)):
            raise ValueError(f"source {id_} is in source_ids and in unsubscribe: say one of them")
        return self


class Changed(BaseModel):
    """How many are new, how many were left."""

    subscribed: int
    unsubscribed: int


class SubscriptionSchema(BaseModel):
    """One source the caller follows."""

    source_id: int
    name: str
    type: str
    is_public: bool
    is_active: bool
    created_at: datetime


class SubscriptionList(BaseModel):
    subscriptions: list[SubscriptionSchema]
    next_cursor: str | None


def subscription_routes(api: SubscriptionsApi) -> APIRouter:
    router = guarded_router("/api/subscriptions", tag="subscriptions")

    @router.get(
        "",
        summary="What you follow",
        response_model=SubscriptionList,
        responses={**REFUSALS, **NOT_MODIFIED},
    )
    @open_to(Access.READ)
    async def subscriptions(
        request: Request, caller: SignedIn, limit: Limit = 100, cursor: Cursor = ""
    ) -> Response:
        found = await api.store.list(caller.user.id, after=id_in(cursor) or 0, limit=limit + 1)
        page, more = page_of(found, limit, lambda each: (each.source_id,))
        shown = [_as_json(each) for each in page]
        return listed(request, {"subscriptions": shown, "next_cursor": more})

    @router.post(
        "",
        summary="Follow sources, and leave others, all or nothing",
        response_model=Changed,
        responses={**REFUSALS, **MISSING_RESPONSE},
    )
    @open_to(Access.WRITE)
    async def change(caller: SignedIn, changes: Changes) -> Response:
        added, removed = await api.store.change(
            caller.user.id,
            add=[SourceId(each) for each in changes.source_ids],
            remove=[SourceId(each) for each in changes.unsubscribe],
            now=api.clock(),
        )
        return json_answer({"subscribed": added, "unsubscribed": removed})

    @router.delete(
        "/{source_id}",
        summary="Leave one source",
        status_code=204,
        responses={**REFUSALS, **MISSING_RESPONSE},
    )
    @open_to(Access.WRITE)
    async def leave(caller: SignedIn, source_id: PathId) -> Response:
        _, removed = await api.store.change(
            caller.user.id, remove=[SourceId(source_id)], now=api.clock()
        )
        if not removed:
            raise NotFoundError(f"you do not follow a source {source_id}")
        return Response(status_code=204)

    return router


def _as_json(found: Subscription) -> dict[str, object]:
    return {
        "source_id": found.source_id,
        "name": found.name,
        "type": found.type,
        "is_public": found.is_public,
        "is_active": found.is_active,
        "created_at": iso(found.since),
    }
