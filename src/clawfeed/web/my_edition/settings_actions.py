"""`POST /my-edition/settings`: what is wrong is said on the form, with what was typed."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.web.frame.flash import Done, Flash
from clawfeed.web.my_edition.my_edition_context import MyEditionPages, TriedForm, draw
from clawfeed.web.my_edition.settings_form import SettingsFields


def settings_routes(pages: MyEditionPages) -> APIRouter:
    router = guarded_router("/my-edition", tag="pages", in_schema=False)

    @router.post("/settings")
    @open_to(Access.WRITE)
    async def save(request: Request, caller: SignedIn) -> Response:
        fields = SettingsFields.read(await pages.site.form(request))
        await pages.zones()
        mistakes = fields.mistakes()
        if mistakes:
            shown = TriedForm(fields=fields, mistakes=mistakes)
            return await draw(pages, request, caller, shown, status=422)
        await pages.settings.save(caller.user.id, fields.saved(), now=pages.site.now())
        return pages.site.go("/my-edition", Flash(done=Done.EDITION_SET))

    return router
