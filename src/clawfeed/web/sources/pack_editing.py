"""Making a pack of sources one follows, changing what is in it, and removing it.

One form, by boxes alone: its search sends what is ticked along, so that nothing is lost by looking
for more.
"""

from __future__ import annotations

from asyncio import gather
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from fastapi import APIRouter, Request, Response

from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.auth.permissions.pack_permissions import changeable
from clawfeed.domain.errors import NotFoundError, UserError
from clawfeed.domain.ids import SourceId
from clawfeed.domain.people.users import Caller
from clawfeed.domain.slugs import slug_of
from clawfeed.rendering.safe_text import one_line
from clawfeed.storage.sources.packs import MOST_PACKED, Pack, PackContent, PackStore
from clawfeed.storage.sources.visible_sources import SourceFilter, SourceOrder, SourceScope
from clawfeed.web.frame.address_numbers import number_or_none
from clawfeed.web.frame.flash import Done, Flash
from clawfeed.web.frame.form_errors import refusal
from clawfeed.web.frame.page_rendering import PageView
from clawfeed.web.sources.pack_list import pack_line
from clawfeed.web.sources.source_context import SourcePages, line_of

# Offered beside what is ticked; the others are found by the search.
MOST_OFFERED: Final = 100
_LONGEST_NAME: Final = 200
_LONGEST_DESCRIPTION: Final = 2_000
# Of a name without any letter an address is made of: most Chinese ones.
_NAMELESS: Final = "pack"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Form:
    """The fields as they stand on the page; *chosen* are the ticked sources in their order."""

    name: str = ""
    description: str = ""
    is_public: bool = False
    search: str = ""
    chosen: tuple[SourceId, ...] = ()

    @classmethod
    def of(cls, pack: Pack) -> _Form:
        return cls(
            name=pack.name,
            description=pack.description,
            is_public=pack.is_public,
            chosen=tuple(each.id for each in pack.sources),
        )

    def filled(self, given: Mapping[str, str], ticked: Sequence[str]) -> _Form:
        """With what was sent; what was in the pack already keeps its place."""
        ids = {SourceId(id_): None for id_ in map(number_or_none, ticked) if id_}
        return _Form(
            name=one_line(given.get("name", ""))[:_LONGEST_NAME],
            description=one_line(given.get("description", ""))[:_LONGEST_DESCRIPTION],
            is_public=given.get("is_public") == "1",
            search=one_line(given.get("q", ""))[:_LONGEST_NAME],
            chosen=(
                *(each for each in self.chosen if each in ids),
                *(each for each in ids if each not in self.chosen),
            ),
        )

    @property
    def content(self) -> PackContent:
        return PackContent(
            name=self.name,
            description=self.description,
            is_public=self.is_public,
            source_ids=self.chosen,
        )


def pack_editing_routes(pages: SourcePages) -> APIRouter:
    router = guarded_router("/sources", tag="pages", in_schema=False)
    _add_making(router, pages)
    _add_changing(router, pages)
    _add_removing(router, pages)
    return router


def _add_making(router: APIRouter, pages: SourcePages) -> None:
    site, store = pages.site, PackStore(pages.database)

    @router.get("/new-pack")
    @open_to(Access.READ)
    async def ask(request: Request, caller: SignedIn) -> Response:
        return await _asked(pages, request, caller, _Form(), None)

    @router.post("/new-pack")
    @open_to(Access.WRITE)
    async def make(request: Request, caller: SignedIn) -> Response:
        given, ticked = await site.form_with_boxes(request, "source", MOST_PACKED)
        form = _Form().filled(given, ticked)
        if "find" in given or not form.name:
            is_missing = "find" not in given
            return await _asked(pages, request, caller, form, None, is_nameless=is_missing)
        slug = await store.free_slug(slug_of(form.name) or _NAMELESS)
        try:
            await store.add(caller.user.id, slug, form.content, now=site.now())
        except UserError as error:
            return await _asked(pages, request, caller, form, None, error=error)
        return site.go(f"/sources/packs/{slug}", Flash(done=Done.PACK_MADE))


def _add_changing(router: APIRouter, pages: SourcePages) -> None:
    site, store = pages.site, PackStore(pages.database)

    @router.get("/packs/{slug}/edit")
    @open_to(Access.READ)
    async def ask(request: Request, caller: SignedIn, slug: str) -> Response:
        pack = await changeable(store, caller, slug_of(slug))
        return await _asked(pages, request, caller, _Form.of(pack), pack)

    @router.post("/packs/{slug}/edit")
    @open_to(Access.WRITE)
    async def save(request: Request, caller: SignedIn, slug: str) -> Response:
        given, ticked = await site.form_with_boxes(request, "source", MOST_PACKED)
        pack = await changeable(store, caller, slug_of(slug))
        form = _Form.of(pack).filled(given, ticked)
        if "find" in given or not form.name:
            is_missing = "find" not in given
            return await _asked(pages, request, caller, form, pack, is_nameless=is_missing)
        try:
            await store.save(caller.user.id, pack, form.content, now=site.now())
        except UserError as error:
            return await _asked(pages, request, caller, form, pack, error=error)
        return site.go(f"/sources/packs/{pack.slug}", Flash(done=Done.PACK_CHANGED))


def _add_removing(router: APIRouter, pages: SourcePages) -> None:
    site, store = pages.site, PackStore(pages.database)

    @router.get("/packs/{slug}/remove")
    @open_to(Access.READ)
    async def ask(request: Request, caller: SignedIn, slug: str) -> Response:
        pack = await changeable(store, caller, slug_of(slug))
        page = await site.page(request, caller)
        return site.render(page, "sources/pack_remove.html", {"pack": pack_line(pack, caller)})

    @router.post("/packs/{slug}/remove")
    @open_to(Access.WRITE)
    async def remove(request: Request, caller: SignedIn, slug: str) -> Response:
        await site.form(request)
        await store.remove(await changeable(store, caller, slug_of(slug)))
        return site.go("/sources/packs", Flash(done=Done.PACK_REMOVED))


async def _asked(
    pages: SourcePages,
    request: Request,
    caller: Caller,
    form: _Form,
    pack: Pack | None,
    *,
    error: UserError | None = None,
    is_nameless: bool = False,
) -> Response:
    """The form with what was typed and ticked; *pack* is None for a new one."""
    page = await pages.site.page(request, caller)
    chosen, offered, is_cut = await _boxes(pages, page, caller, form)
    secret = [each for each in chosen if each["is_private"]]
    refused = isinstance(error, NotFoundError) and form.is_public
    values = {
        "pack": pack_line(pack, caller) if pack else None,
        "form": form,
        "chosen": chosen,
        "offered": offered,
        "is_cut": is_cut,
        "is_nameless": is_nameless,
        "secret": [each["name"] for each in secret] if refused else [],
        "mistake": "" if refused and secret else refusal(page, error),
    }
    status = 422 if error or is_nameless else 200
    return pages.site.render(page, "sources/pack_edit.html", values, status=status)


async def _boxes(
    pages: SourcePages, page: PageView, caller: Caller, form: _Form
) -> tuple[list[dict[str, object]], list[dict[str, object]], bool]:
    """What is ticked; what else they follow and the search finds; whether there is more of it."""
    ticked = SourceFilter(ids=form.chosen, limit=MOST_PACKED)
    followed = SourceFilter(
        which=SourceScope.SUBSCRIBED,
        text=form.search,
        order=SourceOrder.NAME,
        limit=MOST_OFFERED + len(form.chosen) + 1,
    )
    known, found = await gather(
        pages.reads.list(caller.user.id, ticked), pages.reads.list(caller.user.id, followed)
    )
    rows = {row.id: row for row in known}
    others = [row for row in found if row.id not in rows]
    return (
        [line_of(page, rows[each]) for each in form.chosen if each in rows],
        [line_of(page, row) for row in others[:MOST_OFFERED]],
        len(others) > MOST_OFFERED,
    )
