"""The pages for signing in, signing out and setting a first password."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from fastapi import APIRouter, Request, Response

from clawfeed.auth.authorization import Access, Anyone, guarded_router, open_to
from clawfeed.auth.client_address import TrustedProxies
from clawfeed.auth.cookies import BrowserCookies
from clawfeed.auth.refused import RefusedError
from clawfeed.auth.request_actor import Doorkeeper
from clawfeed.auth.return_path import HOME, next_path
from clawfeed.auth.sign_in import NewSession, SignIn
from clawfeed.domain.errors import UserError
from clawfeed.domain.people.users import Caller
from clawfeed.storage.people.users import LOCAL_ADMIN
from clawfeed.web.frame.form_errors import refusal
from clawfeed.web.frame.forms import read_form
from clawfeed.web.frame.page_rendering import Site
from clawfeed.web.sign_in.sign_in_redirect import page_after

_FORM_MISTAKES = frozenset({401, 429})
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInPages(Doorkeeper):
    """What the pages need."""

    site: Site
    signing_in: SignIn
    cookies: BrowserCookies
    trusted_proxies: TrustedProxies = ()
    providers: tuple[tuple[str, str], ...] = ()  # name and slug of those who may vouch for people


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistake:
    """What was wrong with a form, for the person who sent it."""

    status: int
    error: UserError | RefusedError

    @property
    def wait(self) -> str | None:
        return self.error.wait if isinstance(self.error, RefusedError) else None


def sign_in_routes(pages: SignInPages) -> APIRouter:
    router = guarded_router(tag="pages", in_schema=False)
    _add_login(router, pages)
    _add_setup(router, pages)
    return router


def _add_login(router: APIRouter, pages: SignInPages) -> None:
    async def form(
        request: Request, wanted: str, email: str = "", mistake: Mistake | None = None
    ) -> Response:
        values = {"next": wanted, "email": email, "providers": pages.providers}
        return await _page(pages, request, "sign_in/login.html", mistake, values)

    @router.get("/login")
    @open_to(Access.EVERYONE)
    async def show_login(
        request: Request,
        caller: Anyone,
        next: str = HOME,  # noqa: A002 -- its name in the address
        again: str = "",
    ) -> Response:
        """Also for who is signed in and must prove *again* who they are."""
        if caller and not again:
            return pages.site.go(next)
        return await form(request, next_path(next))

    @router.post("/login")
    @open_to(Access.EVERYONE)
    async def login(request: Request) -> Response:
        given = await read_form(request)
        email, wanted = given.get("email", ""), next_path(given.get("next"))
        old_token, device = pages.cookies.read(request)
        entered = await _tried(
            pages.signing_in.login(
                email,
                given.get("password", ""),
                pages.client(request),
                old_token=old_token,
                device=device,
            )
        )
        if isinstance(entered, Mistake):
            return await form(request, wanted, email[:320], entered)
        return _enter(pages, request, entered, wanted)

    @router.post("/logout")
    @open_to(Access.EVERYONE)
    async def logout(request: Request) -> Response:
        await pages.signing_in.logout(pages.cookies.session.read(request), pages.client(request))
        response = pages.site.go(HOME)
        pages.cookies.clear(response)
        return response


def _add_setup(router: APIRouter, pages: SignInPages) -> None:
    async def form(
        request: Request, token: str, mistake: Mistake | None = None, **given: str
    ) -> Response:
        """The form; once the link is spent, a page that says so."""
        owner = await _tried(pages.signing_in.link_owner(token), missing=404)
        if isinstance(owner, Mistake):
            shut = {
                "is_open": False,
                "is_spent": owner.status == 404,
                "email": "",
                "name": "",
                "fixed": True,
            }
            return await _page(pages, request, "sign_in/setup.html", owner, shut)
        is_fixed = owner.email != LOCAL_ADMIN
        email = owner.email if is_fixed else given.get("email", "")
        name = given.get("name", owner.name)
        values = {"is_open": True, "email": email, "name": name, "fixed": is_fixed}
        return await _page(pages, request, "sign_in/setup.html", mistake, values)

    @router.get("/setup/{token}")
    @open_to(Access.EVERYONE)
    async def show_setup(request: Request, token: str) -> Response:
        return await form(request, token)

    @router.post("/setup/{token}")
    @open_to(Access.EVERYONE)
    async def setup(request: Request, token: str) -> Response:
        given = await read_form(request)
        old_token, device = pages.cookies.read(request)
        email, name = given.get("email", ""), given.get("name", "")
        entered = await _tried(
            pages.signing_in.setup(
                token,
                given.get("password", ""),
                pages.client(request),
                email=email or None,
                name=name or None,
                old_token=old_token,
                device=device,
            )
        )
        if isinstance(entered, Mistake):
            return await form(request, token, entered, email=email[:320], name=name[:200])
        return _enter(pages, request, entered, HOME)


async def _tried(entering: Awaitable[T], *, missing: int = 422) -> T | Mistake:
    """What was awaited, or what to say on the form; anything else is not the form's business."""
    try:
        return await entering
    except UserError as error:
        return Mistake(status=missing, error=error)
    except RefusedError as error:
        if error.status_code not in _FORM_MISTAKES:
            raise
        return Mistake(status=error.status_code, error=error)


async def _page(
    pages: SignInPages,
    request: Request,
    template: str,
    mistake: Mistake | None,
    values: Mapping[str, object],
) -> Response:
    caller: Caller | None = request.state.caller
    page = await pages.site.page(request, caller)
    return pages.site.render(
        page,
        template,
        {"mistake": refusal(page, mistake.error if mistake else None), **values},
        status=mistake.status if mistake else 200,
        headers={"Retry-After": mistake.wait} if mistake and mistake.wait else None,
    )


def _enter(pages: SignInPages, request: Request, entered: NewSession, path: str) -> Response:
    response = pages.site.go(page_after(request, entered, path))
    pages.cookies.set(response, entered.token, entered.device)
    return response
