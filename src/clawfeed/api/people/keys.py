"""API keys over HTTP: a key never opens more, nor for longer, than the hand that made it."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from clawfeed.api.http.request_fields import Body, Cursor, Limit, PathId
from clawfeed.api.http.responses import MISSING_RESPONSE, NO_STORE, REFUSALS
from clawfeed.api.people.accounts import Accounts, answers, private
from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.auth.keys_and_tokens import KeysAndTokens
from clawfeed.domain.ids import ApiKeyId
from clawfeed.domain.moments import iso
from clawfeed.domain.pagination import id_in, page_of
from clawfeed.domain.people.users import Scope
from clawfeed.storage.people.api_keys import ApiKey, ApiKeys


class KeyRequest(Body):
    """*days* is how long it works: a year unless said otherwise, ten at most.

    A key that is made with a key ends with it.
    """

    model_config = ConfigDict(
        json_schema_extra={"example": {"name": "backup script", "scope": "read", "days": 90}}
    )

    name: str = Field(max_length=200)
    scope: Scope = Scope.READ
    days: int | None = Field(default=None, strict=True, ge=1, le=3650)


class KeySchema(BaseModel):
    example: ClassVar[dict[str, Any]] = {
        "id": 3,
        "name": "backup script",
        "prefix": "cf_4fZq81Lm",
        "last4": "9xQ2",
        "scope": "read",
        "created_at": "2026-11-15T12:00:00Z",
        "expires_at": "2027-11-15T12:00:00Z",
        "last_used_at": None,
    }
    model_config = ConfigDict(json_schema_extra={"example": example})

    id: int
    name: str
    prefix: str
    last4: str
    scope: Scope
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None


class KeysSchema(BaseModel):
    model_config = ConfigDict(
        json_schema_extra={"example": {"keys": [KeySchema.example], "next_cursor": None}}
    )

    keys: list[KeySchema]
    next_cursor: str | None


class NewKeySchema(KeySchema):
    """*key* is shown here and never again."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {**KeySchema.example, "key": "cf_4fZq81Lm_…43 characters…9xQ2"}
        }
    )

    key: str


def key_routes(accounts: Accounts) -> APIRouter:
    router = guarded_router("/api/keys", tag="accounts")
    keys, opening = ApiKeys(accounts.database), KeysAndTokens(accounts.database)

    @router.get("", summary="Your API keys, without the keys", **answers(KeysSchema))
    @open_to(Access.READ)
    async def list_keys(caller: SignedIn, limit: Limit = 100, cursor: Cursor = "") -> Response:
        found = await keys.list(caller.user.id, after=id_in(cursor) or 0, limit=limit + 1)
        page, more = page_of(found, limit, lambda key: (key.id,))
        return private({"keys": [_as_json(key) for key in page], "next_cursor": more})

    @router.post("", summary="Make an API key; it is shown once", **answers(NewKeySchema, 201))
    @open_to(Access.WRITE)
    async def make_key(request: Request, caller: SignedIn, given: KeyRequest) -> Response:
        accounts.require_freshness(caller)
        made = await opening.make_own_key(
            caller,
            accounts.hand(request, caller, accounts.clock()),
            given.name,
            given.scope,
            days=given.days,
        )
        stored = await keys.find(made.key_id)
        return private({**(_as_json(stored) if stored else {}), "key": made.text}, 201)

    @router.delete(
        "/{key_id}",
        summary="Revoke an API key, and the keys it made",
        status_code=204,
        responses={**REFUSALS, **MISSING_RESPONSE},
    )
    @open_to(Access.WRITE)
    async def revoke_key(request: Request, caller: SignedIn, key_id: PathId) -> Response:
        hand = accounts.hand(request, caller, accounts.clock())
        await opening.revoke_key(ApiKeyId(key_id), hand, owner=caller.user.id)
        return Response(status_code=204, headers=NO_STORE)

    return router


def _as_json(key: ApiKey) -> dict[str, object]:
    return {
        "id": key.id,
        "name": key.name,
        "prefix": f"cf_{key.key_id}",
        "last4": key.last4,
        "scope": str(key.scope),
        "created_at": iso(key.created_at),
        "expires_at": iso(key.expires_at),
        "last_used_at": iso(key.last_used_at),
    }
