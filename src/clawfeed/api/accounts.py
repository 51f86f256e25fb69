"""Signing in and out, passwords, sessions and keys: what people do with their own account."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from fastapi import APIRouter, Request, Response

from clawfeed.api.account_schemas import (
    Credentials,
    KeyRequest,
    KeysSchema,
    MeSchema,
    NewKeySchema,
    PasswordChange,
    Registration,
    SessionsSchema,
    SetupRequest,
    key_as_json,
    session_as_json,
    user_as_json,
)
from clawfeed.api.pagination import id_in, numbers_in, page_of
from clawfeed.api.problems import ProblemType, Refusal
from clawfeed.api.request_fields import Cursor, Limit, PathId
from clawfeed.api.responses import CONFLICT, MISSING, REFUSALS, json_answer
from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.auth.client_address import Client, TrustedProxies, client_of
from clawfeed.auth.cookies import SessionCookie
from clawfeed.auth.sign_in import NewSession, SignIn
from clawfeed.auth.tokens import new_key
from clawfeed.domain.errors import NotAllowedError
from clawfeed.domain.ids import ApiKeyId, SessionId
from clawfeed.domain.people import Caller, Scope
from clawfeed.domain.user_names import normal_name
from clawfeed.storage.api_keys import ApiKeys, NewKey
from clawfeed.storage.audit import Action, AuditLog
from clawfeed.storage.database import Database
from clawfeed.storage.sessions import Sessions

# Nothing here may be kept by a browser, a proxy, or our own memory for repeated requests.
NO_STORE = {"Cache-Control": "no-store"}
_REFUSED = dict(REFUSALS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Accounts:
    """What the accounts' endpoints need."""

    database: Database
    clock: Callable[[], datetime]
    signing_in: SignIn
    cookie: SessionCookie
    trusted_proxies: TrustedProxies = ()

    def client(self, request: Request) -> Client:
        return client_of(request, self.trusted_proxies)

    def insist_on_freshness(self, caller: Caller) -> None:
        """403 unless they proved who they are just now: a forgotten browser gives no keys away."""
        if not caller.is_fresh(self.clock()):
            text = "sign in again: this needs a sign-in of the last ten minutes"
            raise Refusal(403, ProblemType.SIGN_IN_AGAIN, text)

    async def note(self, request: Request, caller: Caller, action: Action, detail: str) -> None:
        await AuditLog(self.database).add(
            action,
            user_id=caller.user.id,
            detail=detail,
            client=str(self.client(request)),
            now=self.clock(),
        )


def private(body: object, status: int = 200) -> Response:
    """An answer nobody keeps."""
    return json_answer(body, status, dict(NO_STORE))


def answers(model: type[Any], status: int = 200, **more: dict[int | str, Any]) -> dict[str, Any]:
    """What a route may answer, for the OpenAPI document."""
    found = {status: {"model": model}, **_REFUSED}
    for each in more.values():
        found |= each
    return {"status_code": status, "responses": found}


def account_routes(accounts: Accounts) -> APIRouter:
    router = guarded_router("/api", tag="accounts")
    _add_doors(router, accounts)
    _add_own_account(router, accounts)
    _add_sessions(router, accounts)
    _add_keys(router, accounts)
    return router


def _add_doors(router: APIRouter, accounts: Accounts) -> None:
    signing_in, cookie = accounts.signing_in, accounts.cookie

    def signed_in(session: NewSession, status: int = 200) -> Response:
        scope = Scope.ADMIN if session.user.is_admin else Scope.WRITE
        body = {"user": user_as_json(session.user), "scope": str(scope), "fresh": True}
        response = private(body, status)
        cookie.set(response, session.token)
        return response

    @router.post("/auth/login", summary="Sign in; the session is a cookie", **answers(MeSchema))
    @open_to(Access.EVERYONE)
    async def login(request: Request, given: Credentials) -> Response:
        client, old = accounts.client(request), cookie.read(request)
        return signed_in(await signing_in.login(given.email, given.password, client, old_token=old))

    @router.post(
        "/auth/setup",
        summary="Set a password with a one-time link, and sign in",
        **answers(MeSchema, missing=MISSING, conflict=CONFLICT),
    )
    @open_to(Access.EVERYONE)
    async def setup(request: Request, given: SetupRequest) -> Response:
        session = await signing_in.setup(
            given.token,
            given.password,
            accounts.client(request),
            email=given.email,
            name=given.name,
            old_token=cookie.read(request),
        )
        return signed_in(session)

    @router.post(
        "/auth/register",
        summary="Make an account, where the operator allows it",
        **answers(MeSchema, 201, conflict=CONFLICT),
    )
    @open_to(Access.EVERYONE)
    async def register(request: Request, given: Registration) -> Response:
        client = accounts.client(request)
        session = await signing_in.register(given.email, given.password, given.name, client)
        return signed_in(session, 201)

    @router.post("/auth/logout", summary="Sign out", status_code=204, responses=_REFUSED)
    @open_to(Access.EVERYONE)
    async def logout(request: Request) -> Response:
        await signing_in.logout(cookie.read(request), accounts.client(request))
        response = Response(status_code=204, headers=NO_STORE)
        cookie.clear(response)
        return response


def _add_own_account(router: APIRouter, accounts: Accounts) -> None:
    @router.get("/auth/me", summary="Who is asking, and how far they may go", **answers(MeSchema))
    @open_to(Access.READ)
    async def me(caller: SignedIn) -> Response:
        return private(
            {
                "user": user_as_json(caller.user),
                "scope": str(caller.scope),
                "fresh": caller.is_fresh(accounts.clock()),
            }
        )

    @router.post(
        "/auth/password",
        summary="Change the password; all other sessions end",
        status_code=204,
        responses=_REFUSED,
    )
    @open_to(Access.WRITE)
    async def password(request: Request, caller: SignedIn, given: PasswordChange) -> Response:
        client = accounts.client(request)
        await accounts.signing_in.change_password(caller, given.current, given.new, client)
        return Response(status_code=204, headers=NO_STORE)


def _add_sessions(router: APIRouter, accounts: Accounts) -> None:
    sessions = Sessions(accounts.database)

    @router.get("/auth/sessions", summary="Where you are signed in", **answers(SessionsSchema))
    @open_to(Access.READ)
    async def list_sessions(caller: SignedIn, limit: Limit = 100, cursor: Cursor = "") -> Response:
        seen, id_ = numbers_in(cursor, 2) if cursor else (0, 0)
        found = await sessions.list(
            caller.user.id,
            now=accounts.clock(),
            limit=limit + 1,
            before=(float(seen), int(id_)) if cursor else None,
        )
        page, more = page_of(found, limit, lambda each: (each.last_seen_at.timestamp(), each.id))
        shown = [session_as_json(each, caller.session) for each in page]
        return private({"sessions": shown, "next_cursor": more})

    @router.delete(
        "/auth/sessions/{session_id}",
        summary="Sign out somewhere else",
        status_code=204,
        responses={**_REFUSED, **MISSING},
    )
    @open_to(Access.WRITE)
    async def revoke_session(request: Request, caller: SignedIn, session_id: PathId) -> Response:
        await sessions.revoke(caller.user.id, SessionId(session_id))
        await accounts.note(request, caller, Action.SESSION_REVOKED, f"session {session_id}")
        return Response(status_code=204, headers=NO_STORE)


def _add_keys(router: APIRouter, accounts: Accounts) -> None:
    keys = ApiKeys(accounts.database)

    @router.get("/keys", summary="Your API keys, without the keys", **answers(KeysSchema))
    @open_to(Access.READ)
    async def list_keys(caller: SignedIn, limit: Limit = 100, cursor: Cursor = "") -> Response:
        found = await keys.list(caller.user.id, after=id_in(cursor) or 0, limit=limit + 1)
        page, more = page_of(found, limit, lambda key: (key.id,))
        return private({"keys": [key_as_json(key) for key in page], "next_cursor": more})

    @router.post("/keys", summary="Make an API key; it is shown once", **answers(NewKeySchema, 201))
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
            expires_at=now + timedelta(days=given.days),
        )
        key_id = await keys.add(new, now=now)
        await accounts.note(request, caller, Action.KEY_CREATED, f"key {key_id} ({given.scope})")
        stored = await keys.find(fresh.key_id)
        return private({**(key_as_json(stored) if stored else {}), "key": fresh.text}, 201)

    @router.delete(
        "/keys/{key_id}",
        summary="Revoke an API key",
        status_code=204,
        responses={**_REFUSED, **MISSING},
    )
    @open_to(Access.WRITE)
    async def revoke_key(request: Request, caller: SignedIn, key_id: PathId) -> Response:
        await keys.revoke(ApiKeyId(key_id), owner=caller.user.id, now=accounts.clock())
        await accounts.note(request, caller, Action.KEY_REVOKED, f"key {key_id}")
        return Response(status_code=204, headers=NO_STORE)


def _check_reach(caller: Caller, scope: Scope) -> None:
    """A key never opens more than the hand that made it."""
    if not caller.may(scope):
        raise NotAllowedError(
            f"you may not make a key that may {scope}: you may not do it yourself"
        )
