"""API keys over HTTP: a key never opens more, nor for longer, than the hand that made it."""

from __future__ import annotations

from datetime import datetime, timedelta

from fastapi import APIRouter, Request, Response

from clawfeed.api.account_schemas import KeyRequest, KeysSchema, NewKeySchema, key_as_json
from clawfeed.api.accounts import Accounts, answers, private
from clawfeed.api.request_fields import Cursor, Limit, PathId
from clawfeed.api.responses import MISSING, NO_STORE, REFUSALS
from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.auth.tokens import new_key
from clawfeed.domain.errors import NotAllowedError
from clawfeed.domain.ids import ApiKeyId
from clawfeed.domain.pagination import id_in, page_of
from clawfeed.domain.people import Caller, Scope
from clawfeed.domain.user_names import normal_name
from clawfeed.storage.api_keys import ApiKeys, NewKey
from clawfeed.storage.audit import Action

USUAL_LIFE = timedelta(days=365)


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
        _check_reach(caller, given.scope)
        fresh, now = new_key(), accounts.clock()
        new = NewKey(
            user_id=caller.user.id,
            name=normal_name(given.name),
            key_id=fresh.key_id,
            key_hash=fresh.key_hash,
            last4=fresh.last4,
            scope=given.scope,
            expires_at=_end(caller, given.days, now),
            made_with=caller.key,
        )
        key_id = await keys.add(new, now=now)
        await accounts.note(request, caller, Action.KEY_CREATED, f"key {key_id} ({given.scope})")
        stored = await keys.find(fresh.key_id)
        return private({**(key_as_json(stored) if stored else {}), "key": fresh.text}, 201)

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


def _check_reach(caller: Caller, scope: Scope) -> None:
    if not caller.may(scope):
        raise NotAllowedError(
            f"you may not make a key that may {scope}: you may not do it yourself"
        )


def _end(caller: Caller, days: int | None, now: datetime) -> datetime:
    """When the new key ends: never after the key that makes it, which else would live on in it."""
    wanted = now + (USUAL_LIFE if days is None else timedelta(days=days))
    last = caller.key.expires_at if caller.key else None
    if last is None or wanted <= last:
        return wanted
    if days is not None:
        raise NotAllowedError(
            f"days: the key you use ends on {last:%Y-%m-%d}, and one it makes not later; "
            "ask for fewer days, or sign in"
        )
    return last
