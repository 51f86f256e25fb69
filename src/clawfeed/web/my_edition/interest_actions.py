"""Interests added, tried out, removed and brought back."""

from __future__ import annotations

from fastapi import APIRouter, HTTPException, Request, Response

from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.domain.editions.interests import InterestChange, with_interests
from clawfeed.domain.errors import InvalidInputError, QuotaError
from clawfeed.domain.people.users import Caller
from clawfeed.storage.editions.interests import require_few
from clawfeed.web.frame.flash import Done, Flash
from clawfeed.web.frame.page_rendering import PageView, wants_fragment
from clawfeed.web.my_edition.interest_form import TypedInterests
from clawfeed.web.my_edition.interest_list import change_in, named, undo_of
from clawfeed.web.my_edition.my_edition_context import MyEditionPages, TriedForm, draw
from clawfeed.web.my_edition.preview_lines import Preview, compared


def interest_routes(pages: MyEditionPages) -> APIRouter:
    router = guarded_router("/my-edition", tag="pages", in_schema=False)
    site, store = pages.site, pages.interests

    @router.post("/interests")
    @open_to(Access.WRITE)
    async def add(request: Request, caller: SignedIn) -> Response:
        typed = TypedInterests.read(await site.form(request))
        try:
            typed.require_valid()
            back = await store.change(
                caller.user.id,
                lambda known: with_interests(known, typed.interests),
                now=site.now(),
            )
        except InvalidInputError:
            mistakes = {"words": "my.no_words" if typed.is_empty else "my.long_words"}
            return await draw(
                pages, request, caller, TriedForm(typed=typed, mistakes=mistakes), status=422
            )
        except QuotaError:
            shown = TriedForm(typed=typed, mistakes={"words": "my.too_many"})
            return await draw(pages, request, caller, shown, status=422)
        return site.go("/my-edition", Flash(done=Done.INTEREST_ADDED, thing=undo_of(back)))

    @router.post("/preview")
    @open_to(Access.READ)
    async def preview(request: Request, caller: SignedIn) -> Response:
        """Nothing is stored; one's turn is shared with the API's previews."""
        typed = TypedInterests.read(await site.form(request))
        page = await site.page(request, caller)
        found = await _tried(pages, page, caller, typed)
        if wants_fragment(request):
            return site.fragment(page, "my_edition/preview.html", {"preview": found})
        return await draw(pages, request, caller, TriedForm(typed=typed, preview=found))

    @router.post("/interests/remove")
    @open_to(Access.WRITE)
    async def remove(request: Request, caller: SignedIn) -> Response:
        gone = InterestChange(drop=(named((await site.form(request)).get("interest", "")),))
        back = await store.change(caller.user.id, gone.on, now=site.now())
        return site.go("/my-edition", Flash(done=Done.INTEREST_REMOVED, thing=undo_of(back)))

    @router.post("/interests/undo")
    @open_to(Access.WRITE)
    async def undo(request: Request, caller: SignedIn) -> Response:
        change = change_in((await site.form(request)).get("thing", ""))
        await store.change(caller.user.id, change.on, now=site.now())
        return site.go("/my-edition", Flash(done=Done.INTERESTS_BACK))

    return router


async def _tried(
    pages: MyEditionPages, page: PageView, caller: Caller, typed: TypedInterests
) -> Preview:
    """What the typed interests would change; a sentence if it is not to be had now."""
    if typed.is_empty:
        return Preview()
    reader = caller.user.id
    try:
        typed.require_valid()
        async with pages.turns.held(reader):
            known = await pages.interests.list(reader)
            tried = with_interests(known, typed.interests)
            require_few(tried)
            return compared(page, await pages.previewer.compare(reader, tried))
    except InvalidInputError:
        return Preview(said=page.say("my.long_words"))
    except QuotaError:
        return Preview(said=page.say("my.too_many"))
    except HTTPException:
        return Preview(said=page.say("my.busy"))
