"""Following something new: paste an address, see what was found there, then keep it."""

from __future__ import annotations

import json
from collections.abc import Mapping

from fastapi import APIRouter, Request, Response

from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.auth.source_permissions import insist_on_no_secret, insist_on_shareable
from clawfeed.domain.errors import NotFoundError, UserError
from clawfeed.domain.people import Caller
from clawfeed.domain.source_secrets import mask_config
from clawfeed.rendering.safe_text import one_line, safe_link
from clawfeed.sources.discovery.new_source import SourceRequest, prepare, read_config
from clawfeed.sources.discovery.preview import Resolved, resolve
from clawfeed.storage.source_changes import SourceExists, identities
from clawfeed.storage.sources import NewSource
from clawfeed.web.frame.flash import Done, Flash
from clawfeed.web.frame.site import PageView
from clawfeed.web.sources.source_pages import SourcePages, line_of

LONGEST_ADDRESS = 4_096


def source_adding_routes(pages: SourcePages) -> APIRouter:
    router = guarded_router("/sources", tag="pages", in_schema=False)
    site = pages.site

    async def form(
        request: Request, caller: Caller, url: str = "", mistake: str = "", wanted: str = ""
    ) -> Response:
        page = await site.page(request, caller)
        values = {"url": url[:LONGEST_ADDRESS], "mistake": mistake.rstrip("."), "next": wanted}
        return site.render(page, "sources/source_add.html", values, status=422 if mistake else 200)

    @router.get("/add")
    @open_to(Access.READ)
    async def ask(request: Request, caller: SignedIn) -> Response:
        return await form(request, caller)

    @router.post("/add")
    @open_to(Access.WRITE)
    async def preview(request: Request, caller: SignedIn) -> Response:
        """Nothing is stored: the next form holds all that is needed to."""
        given = await site.form(request)
        url, wanted = given.get("url", "").strip(), given.get("next", "")
        if not url or len(url) > LONGEST_ADDRESS or one_line(url) != url:
            mistake = "give an address, or an account like @example"
            return await form(request, caller, url, mistake, wanted)
        pages.limits.resolving.take(caller.user.id)
        try:
            with pages.limits.resolving_now.held(caller.user.id):
                found = await resolve(url, pages.discoverer, pages.fetchers, owner=caller.user.id)
        except UserError as error:
            return await form(request, caller, url, str(error), wanted)
        page = await site.page(request, caller)
        values = {**await _preview(pages, page, caller, found), "next": wanted}
        return site.render(page, "sources/source_preview.html", values)

    @router.post("/new")
    @open_to(Access.WRITE)
    async def save(request: Request, caller: SignedIn) -> Response:
        given = await site.form(request)
        try:
            new = _wanted(pages, given)
            result = await pages.changes.add(
                new, caller.user.id, most=pages.most_sources, now=site.now()
            )
        except NotFoundError:
            raise
        except UserError as error:
            return await form(
                request, caller, given.get("url", ""), str(error), given.get("next", "")
            )
        if isinstance(result, SourceExists):
            await pages.subscriptions.change(caller.user.id, add=[result.row.id], now=site.now())
        done = Flash(done=Done.SOURCE_ADDED)
        return site.go(given.get("next") or f"/sources/{result.row.id}", done)

    return router


def _wanted(pages: SourcePages, given: Mapping[str, str]) -> NewSource:
    """What the form asks for, held to the same rules as anybody's request to the API."""
    kind, is_public = given.get("type", ""), given.get("is_public") == "1"
    if is_public:
        insist_on_shareable(pages.fetchers.types.facts(kind))
    new = prepare(
        pages.fetchers,
        SourceRequest(
            type=kind,
            config=read_config(given.get("config", "")),
            name=given.get("name", ""),
            is_public=is_public,
        ),
    )
    if is_public:
        insist_on_no_secret(new.config)
    return new


async def _preview(
    pages: SourcePages, page: PageView, caller: Caller, found: Resolved
) -> dict[str, object]:
    new, types = found.new, pages.fetchers.types
    twin = await pages.reads.find(identities(new, types), caller.user.id)
    place = mask_config(new.config).get(types.facts(new.type).main_key or "")
    return {
        "new": new,
        "config": json.dumps(dict(new.config)),
        "place": one_line(str(place or "")),
        "can_share": not types.facts(new.type).is_personal,
        "note": found.note,
        "others": [
            {"url": feed.url, "title": one_line(feed.title) or feed.url}
            for feed in found.found.feeds
            if feed.url != new.config.get("url")
        ],
        "items": [
            {
                "title": one_line(each.title) or each.url,
                "link": safe_link(each.url),
                "when": page.when(each.published_at) if each.published_at else None,
            }
            for each in found.preview
        ],
        "twin": line_of(page, twin) if twin else None,
    }
