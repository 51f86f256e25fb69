"""The two addresses of a sign-in by a provider: away to it, and back from it."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass
from http import HTTPStatus
from typing import TypeVar

from fastapi import APIRouter, Request, Response

from clawfeed.auth.authorization import Access, guarded_router, open_to
from clawfeed.auth.client_address import TrustedProxies
from clawfeed.auth.cookies import BrowserCookies
from clawfeed.auth.oidc.cookie import PendingCookie
from clawfeed.auth.oidc.errors import OidcRefusedError
from clawfeed.auth.oidc.oidc import OidcSignIn
from clawfeed.auth.refused import RefusedError
from clawfeed.auth.request_actor import Doorkeeper
from clawfeed.auth.return_path import HOME
from clawfeed.domain.errors import NotFoundError, RefusalCode, UserError
from clawfeed.web.frame.form_errors import refusal
from clawfeed.web.frame.page_rendering import HEADERS, Site
from clawfeed.web.sign_in.sign_in_redirect import page_after

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class OidcPages(Doorkeeper):
    """What the two addresses need."""

    site: Site
    sign_in: OidcSignIn
    cookies: BrowserCookies
    pending: PendingCookie
    trusted_proxies: TrustedProxies = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Refused:
    status: int
    error: UserError | RefusedError


def oidc_routes(pages: OidcPages) -> APIRouter:
    router = guarded_router("/auth/oidc", tag="pages", in_schema=False)

    def told(request: Request, refused: _Refused) -> Response:
        page, error = pages.site.unasked_page(request), refused.error
        wait = error.wait if isinstance(error, RefusedError) else None
        response = pages.site.render(
            page,
            "sign_in/oidc_refused.html",
            {"sentence": refusal(page, error)},
            status=refused.status,
            headers={"Retry-After": wait} if wait else None,
        )
        pages.pending.clear(response)
        return response

    @router.get("/{provider}/start")
    @open_to(Access.EVERYONE)
    async def start(request: Request, provider: str, next: str = HOME) -> Response:  # noqa: A002 -- its name in the address
        begun = await _tried(pages.sign_in.start(provider, next, pages.client(request)))
        if isinstance(begun, _Refused):
            return told(request, begun)
        response = _go(begun.url, HTTPStatus.FOUND)
        pages.pending.set(response, begun.browser_token)
        return response

    @router.get("/{provider}/callback")
    @open_to(Access.EVERYONE)
    async def callback(request: Request, provider: str) -> Response:
        old_token, device = pages.cookies.read(request)
        finishing = pages.sign_in.finish(
            provider,
            request.query_params.multi_items(),
            pages.pending.read(request),
            pages.client(request),
            old_token=old_token,
            device=device,
        )
        arrived = await _tried(finishing)
        if isinstance(arrived, _Refused):
            return told(request, arrived)
        path = page_after(request, arrived.session, arrived.next_path)
        response = _go(path, HTTPStatus.SEE_OTHER)
        pages.pending.clear(response)
        pages.cookies.set(response, arrived.session.token, arrived.session.device)
        return response

    return router


async def _tried(signing_in: Awaitable[T]) -> T | _Refused:
    """What was awaited, or what the page says; a bug is not the page's business."""
    try:
        return await signing_in
    except OidcRefusedError as error:
        return _Refused(status=error.status, error=error)
    except NotFoundError as error:
        return _Refused(status=404, error=error)
    except RefusedError as error:
        if error.status_code == 401:  # disabled since a moment ago
            disabled = OidcRefusedError(RefusalCode.NO_ACCOUNT, "the account is disabled")
            return _Refused(status=403, error=disabled)
        if error.status_code != 429:
            raise
        return _Refused(status=429, error=error)


def _go(url: str, status: HTTPStatus) -> Response:
    return Response(status_code=status, headers={**HEADERS, "Location": url})
