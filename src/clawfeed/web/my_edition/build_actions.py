"""`POST /my-edition/build`: today's edition, now."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.errors import QuotaError
from clawfeed.web.frame.flash import Done, Flash
from clawfeed.web.my_edition.my_edition_context import MyEditionPages, TriedForm, draw


def building_routes(pages: MyEditionPages) -> APIRouter:
    router = guarded_router("/my-edition", tag="pages", in_schema=False)
    site = pages.site

    @router.post("/build")
    @open_to(Access.WRITE)
    async def build(request: Request, caller: SignedIn) -> Response:
        """Leads to the edition; back to the page, with a sentence, while there is none."""
        await site.form(request)
        try:
            made = await pages.editions.make(caller.user.id, EditionType.DAILY)
        except QuotaError:
            shown = TriedForm(mistakes={"build": "my.enough_for_today"})
            return await draw(pages, request, caller, shown, status=429)
        if made is None or (made.digest is None and made.task.is_over):
            why = "my.nothing_to_make" if made is None else "my.nothing_to_tell"
            return await draw(
                pages, request, caller, TriedForm(mistakes={"build": why}), status=409
            )
        if made.digest is None:
            return site.go("/my-edition", Flash(done=Done.EDITION_BEGUN))
        done = Done.EDITION_THERE if made.was_over else Done.EDITION_MADE
        return site.go(f"/digests/{made.digest.id}", Flash(done=done))

    return router
