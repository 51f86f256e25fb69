"""`POST /preferences`: the switches in the footer."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from clawfeed.auth.authorization import Access, guarded_router, open_to
from clawfeed.auth.refused import RefusedError
from clawfeed.domain.errors import RefusalCode
from clawfeed.domain.wording.because_wording import Language
from clawfeed.web.frame.forms import read_form
from clawfeed.web.frame.page_rendering import Site
from clawfeed.web.frame.preferences import Theme


def preference_routes(site: Site) -> APIRouter:
    router = guarded_router(tag="pages", in_schema=False)

    @router.post("/preferences")
    @open_to(Access.EVERYONE)
    async def choose(request: Request) -> Response:
        """No token: strangers choose too, and a wrong colour harms nobody."""
        given = await read_form(request)
        language, theme = given.get("language"), given.get("theme")
        if language not in {None, *Language} or theme not in {None, *Theme}:
            raise RefusedError(
                422, "there is no such language or theme", RefusalCode.CHOICE_MISSING
            )
        response = site.go(given.get("next", "/"))
        if language is not None:
            site.preferences.save_language(response, Language(language))
        if theme is not None:
            site.preferences.save_theme(response, Theme(theme))
        return response

    return router
