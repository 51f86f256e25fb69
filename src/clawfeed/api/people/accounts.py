"""Signing in and out, passwords and sessions: what people do with their own account."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict

from clawfeed.api.http.request_fields import Cursor, Limit, PathId
from clawfeed.api.http.responses import (
    CONFLICT_RESPONSE,
    MISSING_RESPONSE,
    NO_STORE,
    REFUSALS,
    json_answer,
)
from clawfeed.api.people.account_schemas import (
    Credentials,
    MeSchema,
    PasswordChange,
    Registration,
    SetupRequest,
    user_as_json,
)
from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.auth.client_address import TrustedProxies
from clawfeed.auth.cookies import BrowserCookies
from clawfeed.auth.recent_sign_in import require_freshness
from clawfeed.auth.request_actor import Doorkeeper
from clawfeed.auth.sign_in import NewSession, SignIn
from clawfeed.domain.ids import SessionId
from clawfeed.domain.moments import iso
from clawfeed.domain.pagination import page_of, place_in
from clawfeed.domain.people.users import Caller, Scope
from clawfeed.storage.audit import Action, AuditLog
from clawfeed.storage.database import Database
from clawfeed.storage.people.sessions import Session, Sessions

# Nothing here may be kept by a browser, a proxy, or our own memory for repeated requests.
_REFUSED = dict(REFUSALS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Accounts(Doorkeeper):
    """What the accounts' endpoints need."""

    database: Database
    clock: Callable[[], datetime]
    signing_in: SignIn
    cookies: BrowserCookies
    trusted_proxies: TrustedProxies = ()

    def require_freshness(self, caller: Caller) -> None:
        """403 unless they proved who they are just now: a forgotten browser gives no keys away."""
        require_freshness(caller, self.clock())


def private(body: object, status: int = 200) -> Response:
    """An answer nobody keeps."""
    return json_answer(body, status, dict(NO_STORE))


# For the OpenAPI document, where a browser gets or loses its session.
SETS_COOKIE: dict[str, Any] = {
    "headers": {"Set-Cookie": {"description": "The session", "schema": {"type": "string"}}}
}
_ME: dict[str, Any] = {"model": MeSchema}


def answers(model: type[Any], status: int = 200, **more: dict[int | str, Any]) -> dict[str, Any]:
    """What a route may answer, for the OpenAPI document."""
    found: dict[int | str, Any] = {status: {"model": model}, **_REFUSED}
    for each in more.values():
        found |= each
    return {"status_code": status, "responses": found}


def account_routes(accounts: Accounts) -> APIRouter:
    router = guarded_router("/api", tag="accounts")
    _add_passwords(router, accounts)
    _add_joining(router, accounts)
    _add_leaving(router, accounts)
    _add_own_account(router, accounts)
    _add_sessions(router, accounts)
    return router


def _signed_in(accounts: Accounts, session: NewSession, status: int = 200) -> Response:
    scope = Scope.ADMIN if session.user.is_admin else Scope.WRITE
    body = {"user": user_as_json(session.user), "scope": str(scope), "fresh": True}
    response = private(body, status)
    accounts.cookies.set(response, session.token, session.device)
    return response


def _add_passwords(router: APIRouter, accounts: Accounts) -> None:
    """In by a password: the one somebody has, or a new one by a one-time link."""
    signing_in, cookies = accounts.signing_in, accounts.cookies

    @router.post(
        "/auth/login",
        summary="Sign in; the session is a cookie",
        **answers(MeSchema, cookie={200: {**_ME, **SETS_COOKIE}}),
    )
    @open_to(Access.EVERYONE)
    async def login(request: Request, given: Credentials) -> Response:
        old_token, device = cookies.read(request)
        session = await signing_in.login(
            given.email,
            given.password,
            accounts.client(request),
            old_token=old_token,
            device=device,
        )
        return _signed_in(accounts, session)

    @router.post(
        "/auth/setup",
        summary="Set a password with a one-time link, and sign in",
        **answers(
            MeSchema,
            missing=MISSING_RESPONSE,
            conflict=CONFLICT_RESPONSE,
            cookie={200: {**_ME, **SETS_COOKIE}},
        ),
    )
    @open_to(Access.EVERYONE)
    async def setup(request: Request, given: SetupRequest) -> Response:
        old_token, device = cookies.read(request)
        session = await signing_in.setup(
            given.token,
            given.password,
            accounts.client(request),
            email=given.email,
            name=given.name,
            old_token=old_token,
            device=device,
        )
        return _signed_in(accounts, session)


def _add_joining(router: APIRouter, accounts: Accounts) -> None:
    @router.post(
        "/auth/register",
        summary="Make an account, where the operator allows it",
        **answers(
            MeSchema,
            201,
            conflict=CONFLICT_RESPONSE,
            cookie={201: {**_ME, **SETS_COOKIE}},
        ),
    )
    @open_to(Access.EVERYONE)
    async def register(request: Request, given: Registration) -> Response:
        client = accounts.client(request)
        session = await accounts.signing_in.register(
            given.email, given.password, given.name, client
        )
        return _signed_in(accounts, session, 201)


def _add_leaving(router: APIRouter, accounts: Accounts) -> None:
    @router.post(
        "/auth/logout",
        summary="Sign out",
        status_code=204,
        responses={**_REFUSED, 204: SETS_COOKIE},
    )
    @open_to(Access.EVERYONE)
    async def logout(request: Request) -> Response:
        token = accounts.cookies.session.read(request)
        await accounts.signing_in.logout(token, accounts.client(request))
        response = Response(status_code=204, headers=NO_STORE)
        accounts.cookies.clear(response)
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


class SessionSchema(BaseModel):
    id: int
    client: str
    created_at: datetime
    last_seen_at: datetime
    expires_at: datetime
    is_current: bool


class SessionsSchema(BaseModel):
    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "sessions": [
                    {
                        "id": 7,
                        "client": "192.0.2.1 Mozilla/5.0",
                        "created_at": "2026-11-15T12:00:00Z",
                        "last_seen_at": "2026-11-15T12:05:00Z",
                        "expires_at": "2027-01-14T12:00:00Z",
                        "is_current": True,
                    }
                ],
                "next_cursor": None,
            }
        }
    )

    sessions: list[SessionSchema]
    next_cursor: str | None


def _add_sessions(router: APIRouter, accounts: Accounts) -> None:
    sessions = Sessions(accounts.database)

    @router.get("/auth/sessions", summary="Where you are signed in", **answers(SessionsSchema))
    @open_to(Access.READ)
    async def list_sessions(caller: SignedIn, limit: Limit = 100, cursor: Cursor = "") -> Response:
        found = await sessions.list(
            caller.user.id,
            now=accounts.clock(),
            limit=limit + 1,
            before=place_in(cursor),
        )
        page, more = page_of(found, limit, lambda each: (each.last_seen_at.timestamp(), each.id))
        shown = [_session_as_json(each, caller.session) for each in page]
        return private({"sessions": shown, "next_cursor": more})

    @router.delete(
        "/auth/sessions",
        summary="Sign out everywhere: every session ends, this one too",
        status_code=204,
        responses={**_REFUSED, 204: SETS_COOKIE},
    )
    @open_to(Access.WRITE)
    async def revoke_sessions(request: Request, caller: SignedIn) -> Response:
        await accounts.signing_in.logout_everywhere(caller.user, accounts.client(request))
        response = Response(status_code=204, headers=NO_STORE)
        accounts.cookies.clear(response)
        return response

    @router.delete(
        "/auth/sessions/{session_id}",
        summary="Sign out somewhere else",
        status_code=204,
        responses={**_REFUSED, **MISSING_RESPONSE},
    )
    @open_to(Access.WRITE)
    async def revoke_session(request: Request, caller: SignedIn, session_id: PathId) -> Response:
        await sessions.revoke(caller.user.id, SessionId(session_id))
        hand = accounts.hand(request, caller, accounts.clock())
        await AuditLog(accounts.database).note(
            hand, Action.SESSION_REVOKED, f"session {session_id}"
        )
        return Response(status_code=204, headers=NO_STORE)


def _session_as_json(session: Session, current: int | None) -> dict[str, object]:
    return {
        "id": session.id,
        "client": session.client,
        "created_at": iso(session.created_at),
        "last_seen_at": iso(session.last_seen_at),
        "expires_at": iso(session.expires_at),
        "is_current": session.id == current,
    }
