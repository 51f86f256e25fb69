"""API keys over HTTP: a key never opens more, nor for longer, than the hand that made it."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from clawfeed.api.http.request_fields import Cursor, Limit, PathId
from clawfeed.api.http.responses import MISSING, NO_STORE, REFUSALS
from clawfeed.api.people.account_schemas import KeyRequest, KeysSchema, NewKeySchema, key_as_json
from clawfeed.api.people.accounts import Accounts, answers, private
from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.auth.own_keys import make_own_key
from clawfeed.domain.ids import ApiKeyId
from clawfeed.domain.pagination import id_in, page_of
from clawfeed.storage.audit import Action
from clawfeed.storage.people.api_keys import ApiKeys


def key_routes(accounts: Accounts) -> APIRouter:
    router = guarded_router("/api/keys", tag="accounts")
    keys = ApiKeys(accounts.database)

    @router.get("", summary="Your API keys, without the keys", **answers(KeysSchema))
    @open_to(Access.READ)
    async def list_keys(caller: SignedIn, limit: Limit = 100, cursor: Cursor = "") -> Response:
        found = await keys.list(caller.user.id, after=id_in(cursor) or 0, limit=limit + 1)
        page, more = page_of(found, limit, lambda key: (key.id,))
        return private({"keys": [key_as_json(key) for key in page], "next_cursor": more})

    @router.post("", summary="Make an API key; it is shown once", **answers(NewKeySchema, 201))
    @open_to(Access.WRITE)
    async def make_key(request: Request, caller: SignedIn, given: KeyRequest) -> Response:
        accounts.insist_on_freshness(caller)
        now = accounts.clock()
        made = await make_own_key(keys, caller, given.name, given.scope, days=given.days, now=now)
        await accounts.note(request, caller, Action.KEY_CREATED, f"key {made.id} ({given.scope})")
        stored = await keys.find(made.key_id)
        return private({**(key_as_json(stored) if stored else {}), "key": made.text}, 201)

    @router.delete(
        "/{key_id}",
        summary="Revoke an API key, and the keys it made",
        status_code=204,
        responses={**REFUSALS, **MISSING},
    )
    @open_to(Access.WRITE)
    async def revoke_key(request: Request, caller: SignedIn, key_id: PathId) -> Response:
        await keys.revoke(ApiKeyId(key_id), owner=caller.user.id, now=accounts.clock())
        await accounts.note(request, caller, Action.KEY_REVOKED, f"key {key_id}")
        return Response(status_code=204, headers=NO_STORE)

    return router
