"""`/marks`: what a reader saved; what was removed by mistake comes back."""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import APIRouter, Request, Response

from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.domain.ids import ItemId, MarkId
from clawfeed.domain.people.users import Caller
from clawfeed.rendering.safe_text import one_line, safe_link
from clawfeed.storage.readers.marks import Mark, MarkStatus, MarkStore, NewMark
from clawfeed.web.frame.address_numbers import number_in, number_or_none
from clawfeed.web.frame.flash import Done, Flash
from clawfeed.web.frame.page_rendering import PageView, wants_fragment
from clawfeed.web.frame.undo_codec import nothing_to_undo, packed, unpacked
from clawfeed.web.reading.edition_page import ReadingPages

PAGE = 50


def saved_routes(pages: ReadingPages) -> APIRouter:
    router = guarded_router("/marks", tag="pages", in_schema=False)
    site, store = pages.site, MarkStore(pages.database)

    @router.get("")
    @open_to(Access.READ)
    async def saved(request: Request, caller: SignedIn, before: str = "") -> Response:
        page, last = await site.page(request, caller), number_or_none(before)
        found = await store.list(
            caller.user.id,
            status=MarkStatus.SAVED,
            before=MarkId(last) if last else None,
            limit=PAGE + 1,
        )
        older = f"/marks?before={found[PAGE - 1].id}" if len(found) > PAGE else None
        shown = [_line(page, mark) for mark in found[:PAGE]]
        return site.render(page, "reading/marks.html", {"marks": shown, "older": older})

    @router.post("/{mark_id}/remove")
    @open_to(Access.WRITE)
    async def remove(request: Request, caller: SignedIn, mark_id: str) -> Response:
        given = await site.form(request)
        mark = await store.get(caller.user.id, MarkId(number_in(mark_id, "mark")))
        await store.remove(caller.user.id, mark.id)
        flash = Flash(done=Done.UNMARKED, thing=undo_of(mark))
        return await told(request, caller, given, mark, flash)

    @router.post("/undo")
    @open_to(Access.WRITE)
    async def undo(request: Request, caller: SignedIn) -> Response:
        given = await site.form(request)
        new = mark_in(given.get("thing", ""))
        mark = await store.save(caller.user.id, new, now=site.now())
        return await told(request, caller, given, mark, Flash(done=Done.MARKED))

    async def told(
        request: Request, caller: Caller, given: Mapping[str, str], mark: Mark, flash: Flash
    ) -> Response:
        """What was done; for the script the button that takes it back, where the other stood."""
        following, place = given.get("next", "/marks"), given.get("place", "")
        if not wants_fragment(request):
            return site.go(following, flash)
        page = await site.page(request, caller)
        values = {
            "place": number_or_none(place) or mark.id,
            "id": mark.id,
            "title": one_line(mark.title) or mark.url,
            "next": following,
            "said": page.say(flash.text),
            "is_gone": flash.done is Done.UNMARKED,
            "thing": flash.thing,
        }
        return site.fragment(page, "reading/mark_fragment.html", values)

    return router


def _line(page: PageView, mark: Mark) -> dict[str, object]:
    return {
        "id": mark.id,
        "title": one_line(mark.title) or mark.url,
        "link": safe_link(mark.url),
        "note": mark.note,
        "when": page.when(mark.created_at),
    }


def undo_of(mark: Mark) -> str:
    """What brings *mark* back, for the browser to keep; empty if it is too long."""
    return packed((mark.url, mark.title, mark.note, mark.status, mark.item_id))


def mark_in(thing: str) -> NewMark:
    """The mark again, held to what anybody may save."""
    url, title, note, status, item = unpacked(thing, tuple[str, str, str, MarkStatus, int | None])
    if url.startswith(("http://", "https://")):
        return NewMark(url=url, title=title, note=note, status=status)
    if item is None:
        raise nothing_to_undo()
    return NewMark(item_id=ItemId(item), note=note, status=status)
