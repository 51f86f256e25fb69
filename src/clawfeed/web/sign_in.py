"""The pages for signing in, signing out and setting a first password. No JavaScript."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass
from importlib.resources import files
from typing import TypeVar

from fastapi import APIRouter, HTTPException, Request, Response
from jinja2 import Environment, PackageLoader, StrictUndefined

from clawfeed.auth.authorization import Access, Anyone, guarded_router, open_to
from clawfeed.auth.client_address import Client, TrustedProxies, client_of
from clawfeed.auth.cookies import BrowserCookies
from clawfeed.auth.return_path import HOME, next_path
from clawfeed.auth.sign_in import NewSession, SignIn
from clawfeed.domain.errors import UserError
from clawfeed.storage.users import LOCAL_ADMIN
from clawfeed.web.forms import read_form

# `same-origin` and not the stricter default: with that one browsers hide from ourselves too
# where a form was sent from, and on plain http nothing else would tell.
HEADERS = {"Cache-Control": "no-store", "Referrer-Policy": "same-origin"}
STATIC_CACHE = "public, max-age=3600"
_FORM_MISTAKES = frozenset({401, 429})
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInPages:
    """What the pages need."""

    signing_in: SignIn
    cookies: BrowserCookies
    trusted_proxies: TrustedProxies = ()
    providers: tuple[tuple[str, str], ...] = ()  # name and slug of those who may vouch for people

    def client(self, request: Request) -> Client:
        return client_of(request, self.trusted_proxies)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mistake:
    """What was wrong with a form, for the person who sent it."""

    status: int
    sentence: str
    wait: str | None = None


def sign_in_routes(pages: SignInPages) -> APIRouter:
    router = guarded_router(tag="pages", in_schema=False)
    templates = Environment(
        loader=PackageLoader("clawfeed.web"), autoescape=True, undefined=StrictUndefined
    )
    _add_login(router, pages, templates)
    _add_setup(router, pages, templates)
    _add_style(router)
    return router


def _add_login(router: APIRouter, pages: SignInPages, templates: Environment) -> None:
    def form(wanted: str, email: str = "", mistake: Mistake | None = None) -> Response:
        template = templates.get_template("login.html")
        html = template.render(next=wanted, email=email, mistake=mistake, providers=pages.providers)
        return _page(html, mistake)

    @router.get("/login")
    @open_to(Access.EVERYONE)
    async def show_login(caller: Anyone, next: str = HOME) -> Response:  # noqa: A002 -- its name in the address
        return _go(next_path(next)) if caller else form(next_path(next))

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
            return form(wanted, email[:320], entered)
        return _enter(pages, entered, wanted)

    @router.post("/logout")
    @open_to(Access.EVERYONE)
    async def logout(request: Request) -> Response:
        await pages.signing_in.logout(pages.cookies.session.read(request), pages.client(request))
        response = _go(HOME)
        pages.cookies.clear(response)
        return response


def _add_setup(router: APIRouter, pages: SignInPages, templates: Environment) -> None:
    async def form(token: str, mistake: Mistake | None = None, **given: str) -> Response:
        """The form; once the link is spent, a page that says so."""
        template = templates.get_template("setup.html")
        owner = await _tried(pages.signing_in.link_owner(token), missing=404)
        if isinstance(owner, Mistake):
            html = template.render(is_open=False, mistake=owner, email="", name="", fixed=True)
            return _page(html, owner)
        is_fixed = owner.email != LOCAL_ADMIN
        email = owner.email if is_fixed else given.get("email", "")
        html = template.render(
            is_open=True,
            mistake=mistake,
            email=email,
            name=given.get("name", owner.name),
            fixed=is_fixed,
        )
        return _page(html, mistake)

    @router.get("/setup/{token}")
    @open_to(Access.EVERYONE)
    async def show_setup(token: str) -> Response:
        return await form(token)

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
            return await form(token, entered, email=email[:320], name=name[:200])
        return _enter(pages, entered, HOME)


def _add_style(router: APIRouter) -> None:
    style = (files("clawfeed.web") / "static" / "forms.css").read_bytes()

    @router.get("/static/forms.css")
    @open_to(Access.UNASKED)
    async def stylesheet() -> Response:
        return Response(style, media_type="text/css", headers={"Cache-Control": STATIC_CACHE})


async def _tried(entering: Awaitable[T], *, missing: int = 422) -> T | Mistake:
    """What was awaited, or what to say on the form; anything else is not the form's business."""
    try:
        return await entering
    except UserError as error:
        return Mistake(status=missing, sentence=str(error))
    except HTTPException as error:
        if error.status_code not in _FORM_MISTAKES:
            raise
        wait = (error.headers or {}).get("Retry-After")
        return Mistake(status=error.status_code, sentence=str(error.detail), wait=wait)


def _page(html: str, mistake: Mistake | None) -> Response:
    headers = dict(HEADERS)
    if mistake and mistake.wait:
        headers["Retry-After"] = mistake.wait
    status = mistake.status if mistake else 200
    return Response(html, status, headers, "text/html; charset=utf-8")


def _enter(pages: SignInPages, entered: NewSession, path: str) -> Response:
    response = _go(path)
    pages.cookies.set(response, entered.token, entered.device)
    return response


def _go(path: str) -> Response:
    """To a path that `next_path` has checked; 303 so that the browser asks for it by GET."""
    return Response(status_code=303, headers={**HEADERS, "Location": path})
