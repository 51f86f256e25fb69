"""Keys and secret feed addresses: made by who proved themselves just now, shown once, revoked."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.auth.keys_and_tokens import LONGEST_DAYS, KeysAndTokens
from clawfeed.auth.refused import RefusedError
from clawfeed.auth.tokens import feed_address
from clawfeed.domain.errors import InvalidInputError, NotAllowedError, QuotaError, RefusalCode
from clawfeed.domain.ids import ApiKeyId, FeedTokenId
from clawfeed.domain.people.users import Scope
from clawfeed.web.account.account_context import CONFIRM_PATH, AccountPages
from clawfeed.web.account.account_page import PAGE_PATH, account_page
from clawfeed.web.frame.address_numbers import number_in
from clawfeed.web.frame.flash import Done, Flash


def account_secret_routes(pages: AccountPages) -> APIRouter:
    router = guarded_router(PAGE_PATH, tag="pages", in_schema=False)
    _add_keys(router, pages)
    _add_feeds(router, pages)
    return router


def _add_keys(router: APIRouter, pages: AccountPages) -> None:
    opening = KeysAndTokens(pages.database)

    @router.post("/keys")
    @open_to(Access.WRITE)
    async def make(request: Request, caller: SignedIn) -> Response:
        """Answered with the page itself: nothing that leads to another may carry the key."""
        given = await pages.site.form(request)
        if not pages.may_make_secrets(caller):
            return pages.site.go(CONFIRM_PATH)
        scope = _scope_in(given.get("scope", ""))
        try:
            made = await opening.make_own_key(
                caller,
                pages.hand(request, caller, pages.site.now()),
                given.get("name", ""),
                scope,
                days=_days_in(given.get("days", "")),
            )
        except (InvalidInputError, NotAllowedError, QuotaError) as error:
            return await account_page(pages, request, caller, status=422, error=error)
        return await account_page(pages, request, caller, secret_key=made.text)

    @router.post("/keys/{key_id}/revoke")
    @open_to(Access.WRITE)
    async def revoke(request: Request, caller: SignedIn, key_id: str) -> Response:
        await pages.site.form(request)
        key, hand = ApiKeyId(number_in(key_id)), pages.hand(request, caller, pages.site.now())
        await opening.revoke_key(key, hand, owner=caller.user.id)
        return pages.site.go(PAGE_PATH, Flash(done=Done.KEY_REVOKED))


def _add_feeds(router: APIRouter, pages: AccountPages) -> None:
    opening = KeysAndTokens(pages.database)

    @router.post("/feeds")
    @open_to(Access.WRITE)
    async def make(request: Request, caller: SignedIn) -> Response:
        await pages.site.form(request)
        if not pages.may_make_secrets(caller):
            return pages.site.go(CONFIRM_PATH)
        try:
            made = await opening.make_token(
                caller.user.id, pages.hand(request, caller, pages.site.now())
            )
        except QuotaError as error:
            return await account_page(pages, request, caller, status=422, error=error)
        address = feed_address(pages.base_url, made.text)
        return await account_page(pages, request, caller, secret_feed=address)

    @router.post("/feeds/{token_id}/revoke")
    @open_to(Access.WRITE)
    async def revoke(request: Request, caller: SignedIn, token_id: str) -> Response:
        await pages.site.form(request)
        token = FeedTokenId(number_in(token_id))
        hand = pages.hand(request, caller, pages.site.now())
        await opening.revoke_token(token, hand, owner=caller.user.id)
        return pages.site.go(PAGE_PATH, Flash(done=Done.FEED_REVOKED))


def _scope_in(text: str) -> Scope:
    if text not in set(Scope):
        raise RefusedError(422, "there is no such scope", RefusalCode.CHOICE_MISSING)
    return Scope(text)


def _days_in(text: str) -> int:
    """The form offers a few; whoever writes another number gets what the API would give."""
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:9]) <= LONGEST_DAYS):
        raise RefusedError(
            422, f"days: a number from 1 to {LONGEST_DAYS}", RefusalCode.KEY_DAYS, most=LONGEST_DAYS
        )
    return int(text)
