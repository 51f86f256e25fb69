"""Pages for people, rendered on the server; they work without JavaScript."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from importlib.resources import files

from fastapi import APIRouter, Response
from fastapi.responses import RedirectResponse
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from clawfeed.auth.authorization import Access, Anyone, guarded_router, open_to
from clawfeed.domain.edition_period import EditionType
from clawfeed.domain.ids import DigestId
from clawfeed.domain.people import Caller
from clawfeed.rendering.html_edition import render_html
from clawfeed.rendering.wording import wording_of
from clawfeed.storage.database import Database
from clawfeed.storage.digests import DigestStore, StoredDigest
from clawfeed.storage.fleet_metrics import fleet_figures
from clawfeed.storage.newest_digest import newest_digest

# A page of ours changes with the release; an hour is short enough to notice.
STATIC_CACHE = "public, max-age=3600"
# Below an edition, so many others are offered.
OTHERS = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Pages:
    """What the pages need to know."""

    database: Database
    clock: Callable[[], datetime]
    version: str


def page_routes(pages: Pages) -> APIRouter:
    templates = Environment(
        loader=PackageLoader("clawfeed.web"), autoescape=True, undefined=StrictUndefined
    )
    static = files("clawfeed.web") / "static"
    style, edition_style, icon = (
        (static / name).read_bytes() for name in ("clawfeed.css", "edition.css", "icon.svg")
    )
    digests = DigestStore(pages.database)
    router = guarded_router(tag="pages", in_schema=False)

    @router.get("/")
    @open_to(Access.EVERYONE)
    async def front(caller: Anyone) -> Response:
        reader = caller.user.id if caller else None
        found = await newest_digest(digests, reader, EditionType.DAILY, now=pages.clock())
        if found is not None:
            return await edition(found, caller)
        figures = await fleet_figures(pages.database, now=pages.clock())
        html = templates.get_template("front.html").render(
            figures=figures,
            version=pages.version,
            database=await pages.database.version(),
            user=caller.user if caller else None,
        )
        return _page(html)

    @router.get("/digests/{digest_id}")
    @open_to(Access.EVERYONE)
    async def digest(caller: Anyone, digest_id: str) -> Response:
        found = await _named(digests, digest_id, caller)
        if found is None:
            html = templates.get_template("no_edition.html").render()
            return _page(html, status=HTTPStatus.NOT_FOUND)
        return await edition(found, caller)

    @router.get("/digests")
    @open_to(Access.EVERYONE)
    async def all_digests() -> Response:
        """The front page ends with the other editions."""
        return RedirectResponse("/", status_code=HTTPStatus.SEE_OTHER)

    async def edition(found: StoredDigest, caller: Caller | None) -> Response:
        heads = await digests.list(caller.user.id if caller else None, limit=OTHERS + 1)
        html = templates.get_template(
            "edition.html"
        ).render(
            # Escaped by its renderer, text by text (`rendering`).
            edition=Markup(render_html(found.content)),  # noqa: S704
            title=found.title,
            language=wording_of(found.language).language,
            others=[head for head in heads if head.id != found.id][:OTHERS],
            is_own=not found.is_systems,
            version=pages.version,
            user=caller.user if caller else None,
        )
        return _page(html)

    @router.get("/static/clawfeed.css")
    @open_to(Access.UNASKED)
    async def stylesheet() -> Response:
        return Response(style, media_type="text/css", headers={"Cache-Control": STATIC_CACHE})

    @router.get("/static/edition.css")
    @open_to(Access.UNASKED)
    async def edition_stylesheet() -> Response:
        headers = {"Cache-Control": STATIC_CACHE}
        return Response(edition_style, media_type="text/css", headers=headers)

    @router.get("/static/icon.svg")
    @open_to(Access.UNASKED)
    async def picture() -> Response:
        return Response(icon, media_type="image/svg+xml", headers={"Cache-Control": STATIC_CACHE})

    return router


async def _named(digests: DigestStore, text: str, caller: Caller | None) -> StoredDigest | None:
    if not re.fullmatch("[0-9]{1,15}", text):
        return None
    return await digests.get(DigestId(int(text)), caller.user.id if caller else None)


def _page(html: str, *, status: HTTPStatus = HTTPStatus.OK) -> Response:
    headers = {"Cache-Control": "no-store"}
    return Response(html, status, headers=headers, media_type="text/html; charset=utf-8")
