"""Feed tokens over HTTP: secret addresses at which feed readers find one's own editions."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict

from clawfeed.api.http.request_fields import Cursor, Limit, PathId
from clawfeed.api.http.responses import MISSING_RESPONSE, NO_STORE, REFUSALS
from clawfeed.api.people.accounts import Accounts, answers, private
from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.auth.keys_and_tokens import KeysAndTokens
from clawfeed.auth.tokens import feed_address
from clawfeed.domain.ids import FeedTokenId
from clawfeed.domain.moments import iso
from clawfeed.domain.pagination import id_in, page_of
from clawfeed.storage.people.feed_tokens import FeedToken, FeedTokens


class FeedTokenSchema(BaseModel):
    example: ClassVar[dict[str, Any]] = {
        "id": 2,
        "created_at": "2026-11-15T12:00:00Z",
        "last_used_at": None,
    }
    model_config = ConfigDict(json_schema_extra={"example": example})

    id: int
    created_at: datetime
    last_used_at: datetime | None


class FeedTokensSchema(BaseModel):
    model_config = ConfigDict(
        json_schema_extra={
            "example": {"feed_tokens": [FeedTokenSchema.example], "next_cursor": None}
        }
    )

    feed_tokens: list[FeedTokenSchema]
    next_cursor: str | None


class NewFeedTokenSchema(FeedTokenSchema):
    """*token*, and *url* with it, are shown here and never again."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                **FeedTokenSchema.example,
                "token": "…43 characters…",
                "url": "https://feeds.example.org/feed/daily.rss?token=…43 characters…",
            }
        }
    )

    token: str
    url: str


def feed_token_routes(accounts: Accounts, base_url: str) -> APIRouter:
    router = guarded_router("/api/feed-tokens", tag="feeds")
    tokens, opening = FeedTokens(accounts.database), KeysAndTokens(accounts.database)

    @router.get("", summary="Your feed tokens, without the tokens", **answers(FeedTokensSchema))
    @open_to(Access.READ)
    async def list_tokens(caller: SignedIn, limit: Limit = 100, cursor: Cursor = "") -> Response:
        found = await tokens.list(caller.user.id, after=id_in(cursor) or 0, limit=limit + 1)
        page, more = page_of(found, limit, lambda token: (token.id,))
        return private({"feed_tokens": [_as_json(each) for each in page], "next_cursor": more})

    @router.post(
        "",
        summary="Make a feed token; it is shown once",
        **answers(NewFeedTokenSchema, 201),
    )
    @open_to(Access.WRITE)
    async def make_token(request: Request, caller: SignedIn) -> Response:
        accounts.require_freshness(caller)
        made = await opening.make_token(
            caller.user.id, accounts.hand(request, caller, accounts.clock())
        )
        shown = {"token": made.text, "url": feed_address(base_url, made.text)}
        return private({**_as_json(made.stored), **shown}, 201)

    @router.delete(
        "/{token_id}",
        summary="Revoke a feed token: its feeds are gone at once",
        status_code=204,
        responses={**REFUSALS, **MISSING_RESPONSE},
    )
    @open_to(Access.WRITE)
    async def revoke_token(request: Request, caller: SignedIn, token_id: PathId) -> Response:
        hand = accounts.hand(request, caller, accounts.clock())
        await opening.revoke_token(FeedTokenId(token_id), hand, owner=caller.user.id)
        return Response(status_code=204, headers=NO_STORE)

    return router


def _as_json(token: FeedToken) -> dict[str, object]:
    return {
        "id": token.id,
        "created_at": iso(token.created_at),
        "last_used_at": iso(token.last_used_at),
    }
