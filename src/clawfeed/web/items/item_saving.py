"""`POST /items/save`: an item saved from its list, or no longer. In place with the script."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.domain.ids import ItemId
from clawfeed.storage.readers.marks import MarkStore, NewMark
from clawfeed.web.frame.address_numbers import number_in
from clawfeed.web.frame.flash import Done, Flash
from clawfeed.web.frame.page_rendering import wants_fragment
from clawfeed.web.items.item_context import ItemPages
from clawfeed.web.items.item_filter import PATH


def item_saving_routes(pages: ItemPages) -> APIRouter:
    router = guarded_router(PATH, tag="pages", in_schema=False)
    site, store = pages.site, MarkStore(pages.database)

    @router.post("/save")
    @open_to(Access.WRITE)
    async def save(request: Request, caller: SignedIn) -> Response:
        """One form for the whole list: which of its buttons was pressed says what is wanted."""
        given = await site.form(request)
        is_wanted = "forget" not in given
        item = ItemId(number_in(given.get("save" if is_wanted else "forget", ""), "item"))
        if is_wanted:
            await store.save(caller.user.id, NewMark(item_id=item), now=site.now())
        else:
            await store.forget_item(caller.user.id, item)
        flash = Flash(done=Done.MARKED if is_wanted else Done.UNMARKED)
        if not wants_fragment(request):
            back = given.get("next", "").partition("#")[0]
            return site.go(f"{back or PATH}#item-{item}", flash)
        page = await site.page(request, caller)
        values = {"item": item, "is_saved": is_wanted, "said": page.say(flash.text)}
        return site.fragment(page, "items/save_button.html", values)

    return router
