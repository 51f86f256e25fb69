"""`/account`: who one is here, the password, and where one is signed in."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from fastapi import APIRouter, HTTPException, Request, Response

from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.auth.return_path import next_path
from clawfeed.domain.errors import InvalidInputError, NotAllowedError, UserError
from clawfeed.domain.ids import SessionId
from clawfeed.domain.people.users import SCOPES, Caller
from clawfeed.rendering.safe_text import one_line
from clawfeed.storage.audit import Action, AuditLog
from clawfeed.storage.people.api_keys import ApiKey, ApiKeys
from clawfeed.storage.people.feed_tokens import FeedToken, FeedTokens
from clawfeed.storage.people.sessions import Session, Sessions
from clawfeed.storage.people.users import Account, UserStore
from clawfeed.web.account.account_context import AccountPages, device_named
from clawfeed.web.frame.address_numbers import number_in
from clawfeed.web.frame.flash import Done, Flash
from clawfeed.web.frame.form_errors import refusal
from clawfeed.web.frame.page_rendering import PageView

PAGE_PATH = "/account"
# Pages of other areas that belong to a person, where they are served.
_ELSEWHERE = (("/my-edition", "account.my_edition"), ("/x", "account.x"))


def account_page_routes(pages: AccountPages) -> APIRouter:
    router = guarded_router(PAGE_PATH, tag="pages", in_schema=False)
    _add_account(router, pages)
    _add_sessions(router, pages)
    _add_confirming(router, pages)
    return router


async def account_page(
    pages: AccountPages,
    request: Request,
    caller: Caller,
    *,
    status: int = 200,
    error: UserError | None = None,
    **values: object,
) -> Response:
    """The whole page, everything in one round; *values* are what was just made, or went wrong."""
    user, now = caller.user.id, pages.site.now()
    page, account, sessions, keys, feeds = await asyncio.gather(
        pages.site.page(request, caller),
        UserStore(pages.database).get(user),
        Sessions(pages.database).list(user, now=now),
        ApiKeys(pages.database).list(user),
        FeedTokens(pages.database).list(user),
    )
    shown = {
        "account": _account(page, account),
        "sessions": [_session(page, each, caller) for each in sessions],
        "keys": [_key(page, each) for each in keys],
        "feeds": [_feed(page, each) for each in feeds],
        "scopes": [str(each) for each in SCOPES if caller.may(each)],
        "is_fresh": caller.is_fresh(now),
        "is_signed_in": caller.session is not None,
        "elsewhere": [each for each in _ELSEWHERE if each[0] in request.app.state.paths],
        "mistake": refusal(page, error),
        "secret_key": "",
        "secret_feed": "",
    }
    return pages.site.render(page, "account/account.html", {**shown, **values}, status=status)


def _add_account(router: APIRouter, pages: AccountPages) -> None:
    @router.get("")
    @open_to(Access.READ)
    async def account(request: Request, caller: SignedIn) -> Response:
        return await account_page(pages, request, caller)

    @router.post("/password")
    @open_to(Access.WRITE)
    async def password(request: Request, caller: SignedIn) -> Response:
        given = await pages.site.form(request)
        try:
            await pages.signing_in.change_password(
                caller, given.get("current", ""), given.get("new", ""), pages.client(request)
            )
        except (NotAllowedError, InvalidInputError) as error:
            return await account_page(pages, request, caller, status=422, error=error)
        return pages.site.go(PAGE_PATH, Flash(done=Done.PASSWORD_CHANGED))


def _add_sessions(router: APIRouter, pages: AccountPages) -> None:
    sessions = Sessions(pages.database)

    @router.post("/sessions/others/revoke")
    @open_to(Access.WRITE)
    async def revoke_others(request: Request, caller: SignedIn) -> Response:
        await pages.site.form(request)
        await sessions.end_all(caller.user.id, but=caller.session)
        hand = pages.hand(request, caller, pages.site.now())
        await AuditLog(pages.database).note(
            hand, Action.SIGNED_OUT_EVERYWHERE, "all other sessions"
        )
        return pages.site.go(PAGE_PATH, Flash(done=Done.SIGNED_OUT_ELSEWHERE))

    @router.post("/sessions/{session_id}/revoke")
    @open_to(Access.WRITE)
    async def revoke(request: Request, caller: SignedIn, session_id: str) -> Response:
        await pages.site.form(request)
        number = number_in(session_id)
        await sessions.revoke(caller.user.id, SessionId(number))
        hand = pages.hand(request, caller, pages.site.now())
        await AuditLog(pages.database).note(hand, Action.SESSION_REVOKED, f"session {number}")
        return pages.site.go(PAGE_PATH, Flash(done=Done.SIGNED_OUT_ELSEWHERE))


def _add_confirming(router: APIRouter, pages: AccountPages) -> None:
    async def form(
        request: Request, caller: Caller, error: HTTPException | None = None
    ) -> Response:
        page, account = await asyncio.gather(
            pages.site.page(request, caller), UserStore(pages.database).get(caller.user.id)
        )
        values = {
            "mistake": refusal(page, error),
            "has_password": account.password_hash is not None,
            "providers": pages.providers if account.has_identity else (),
            "next": _after(request.query_params),
        }
        status = error.status_code if error else 200
        return pages.site.render(page, "account/confirm.html", values, status=status)

    @router.get("/confirm")
    @open_to(Access.READ)
    async def ask(request: Request, caller: SignedIn) -> Response:
        return await form(request, caller)

    @router.post("/confirm")
    @open_to(Access.WRITE)
    async def confirm(request: Request, caller: SignedIn) -> Response:
        """A sign-in like any other, with its brakes: the session is a new one from here on."""
        given = await pages.site.form(request)
        old_token, device = pages.cookies.read(request)
        try:
            entered = await pages.signing_in.login(
                caller.user.email,
                given.get("password", ""),
                pages.client(request),
                old_token=old_token,
                device=device,
            )
        except HTTPException as error:
            if error.status_code not in {401, 429}:
                raise
            return await form(request, caller, error)
        response = pages.site.go(_after(given))
        pages.cookies.set(response, entered.token, entered.device)
        return response


def _after(given: Mapping[str, str]) -> str:
    return next_path(given.get("next") or PAGE_PATH)


def _account(page: PageView, account: Account) -> dict[str, object]:
    return {
        "name": account.user.name,
        "email": account.user.email,
        "is_admin": account.user.is_admin,
        "since": page.when(account.created_at),
        "has_password": account.password_hash is not None,
    }


def _session(page: PageView, session: Session, caller: Caller) -> dict[str, object]:
    return {
        "id": session.id,
        "device": device_named(session.client),
        "from": one_line(session.client.partition(" ")[0]),
        "seen": page.when(session.last_seen_at),
        "is_this": session.id == caller.session,
    }


def _key(page: PageView, key: ApiKey) -> dict[str, object]:
    return {
        "id": key.id,
        "name": one_line(key.name) or key.key_id,
        "last4": key.last4,
        "scope": str(key.scope),
        "ends": page.when(key.expires_at) if key.expires_at else None,
        "used": page.when(key.last_used_at) if key.last_used_at else None,
        "is_valid": key.is_valid(page.now),
    }


def _feed(page: PageView, token: FeedToken) -> dict[str, object]:
    used = token.last_used_at
    return {
        "id": token.id,
        "made": page.when(token.created_at),
        "used": page.when(used) if used else None,
    }
