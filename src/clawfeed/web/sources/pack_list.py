"""`/sources/packs`: sets of sources to follow at once, and each of them."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Request, Response

from clawfeed.auth.authorization import Access, Anyone, SignedIn, guarded_router, open_to
from clawfeed.auth.permissions.pack_permissions import may_change
from clawfeed.domain.ids import UserId
from clawfeed.domain.people.users import Caller
from clawfeed.domain.slugs import slug_of
from clawfeed.rendering.safe_text import one_line
from clawfeed.storage.sources.packs import Pack, PackStore
from clawfeed.storage.sources.source_counts import not_followed
from clawfeed.web.frame.address_numbers import number_or_none
from clawfeed.web.frame.flash import LONGEST_THING, Done, Flash
from clawfeed.web.sources.source_context import SourcePages, source_tabs

PAGE: Final = 50


def pack_list_routes(pages: SourcePages) -> APIRouter:
    router = guarded_router("/sources/packs", tag="pages", in_schema=False)
    _add_reading(router, pages)
    _add_following(router, pages)
    return router


def _add_reading(router: APIRouter, pages: SourcePages) -> None:
    site, store = pages.site, PackStore(pages.database)

    @router.get("")
    @open_to(Access.EVERYONE)
    async def packs(request: Request, caller: Anyone, after: str = "0") -> Response:
        view = await site.page(request, caller)
        begin = number_or_none(after) or 0
        found = await store.list(_id(caller), after=begin, limit=PAGE + 1)
        more = f"/sources/packs?after={found[PAGE - 1].id}" if len(found) > PAGE else None
        values = {
            "tabs": source_tabs(view, "/sources/packs"),
            "packs": [pack_line(each, caller) for each in found[:PAGE]],
            "more": (more, view.say("sources.more")) if more else None,
        }
        return site.render(view, "sources/packs.html", values)

    @router.get("/{slug}")
    @open_to(Access.EVERYONE)
    async def pack(request: Request, caller: Anyone, slug: str) -> Response:
        view = await site.page(request, caller)
        found = await store.get(_id(caller), slug_of(slug))
        ids = [each.id for each in found.sources]
        missing = await not_followed(pages.database, caller.user.id, ids) if caller else ids
        values = {
            "pack": pack_line(found, caller),
            "sources": [
                {"id": each.id, "name": one_line(each.name), "type": each.type}
                for each in found.sources
            ],
            "missing": len(missing),
        }
        return site.render(view, "sources/pack.html", values)


def _add_following(router: APIRouter, pages: SourcePages) -> None:
    site, store = pages.site, PackStore(pages.database)

    @router.post("/{slug}/follow")
    @open_to(Access.WRITE)
    async def follow_pack(request: Request, caller: SignedIn, slug: str) -> Response:
        given = await site.form(request)
        found = await store.get(caller.user.id, slug_of(slug))
        new = await not_followed(
            pages.database, caller.user.id, [each.id for each in found.sources]
        )
        await pages.subscriptions.change(caller.user.id, add=new, now=site.now())
        thing = "-".join(map(str, new))
        flash = Flash(done=Done.PACK_FOLLOWED, thing=thing if len(thing) <= LONGEST_THING else "")
        return site.go(given.get("next", "/sources"), flash)


def _id(caller: Caller | None) -> UserId | None:
    return caller.user.id if caller else None


def pack_line(pack: Pack, caller: Caller | None) -> dict[str, object]:
    return {
        "slug": pack.slug,
        "name": one_line(pack.name) or pack.slug,
        "description": one_line(pack.description),
        "count": pack.source_count,
        "is_own": pack.is_of(caller.user.id if caller else None),
        "is_private": not pack.is_public,
        "may_change": may_change(pack, caller),
    }
