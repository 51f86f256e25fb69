"""Pages for people, rendered on the server; they work without JavaScript."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from importlib.resources import files

from fastapi import APIRouter, Response
from jinja2 import Environment, PackageLoader, StrictUndefined

from clawfeed.auth.authorization import Access, Anyone, guarded_router, open_to
from clawfeed.storage.database import Database
from clawfeed.storage.fleet_metrics import fleet_figures

# A page of ours changes with the release; an hour is short enough to notice.
STATIC_CACHE = "public, max-age=3600"


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
    style, icon = ((static / name).read_bytes() for name in ("clawfeed.css", "icon.svg"))
    router = guarded_router(tag="pages", in_schema=False)

    @router.get("/")
    @open_to(Access.EVERYONE)
    async def front(caller: Anyone) -> Response:
        figures = await fleet_figures(pages.database, now=pages.clock())
        html = templates.get_template("front.html").render(
            figures=figures,
            version=pages.version,
            database=await pages.database.version(),
            user=caller.user if caller else None,
        )
        headers = {"Cache-Control": "no-store"}
        return Response(html, headers=headers, media_type="text/html; charset=utf-8")

    @router.get("/static/clawfeed.css")
    @open_to(Access.UNASKED)
    async def stylesheet() -> Response:
        return Response(style, media_type="text/css", headers={"Cache-Control": STATIC_CACHE})

    @router.get("/static/icon.svg")
    @open_to(Access.UNASKED)
    async def picture() -> Response:
        return Response(icon, media_type="image/svg+xml", headers={"Cache-Control": STATIC_CACHE})

    return router
