"""Where X sends a person back to after they let us in, or did not (S001-20)."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter, Request, Response

from clawfeed.auth.authorization import Access, Anyone, guarded_router, open_to
from clawfeed.auth.client_address import TrustedProxies
from clawfeed.auth.request_actor import Doorkeeper
from clawfeed.auth.x_authorisation import XAuthorisationFlow
from clawfeed.domain.errors import UserError
from clawfeed.domain.people.users import Caller
from clawfeed.web.frame.page_rendering import Site

SIGN_IN = "you are not signed in here; sign in and begin again"
FOR_COMMANDS = "If a command asked you to come here, copy the address of this page into it."


@dataclass(frozen=True, slots=True, kw_only=True)
class XPages(Doorkeeper):
    """What the page needs."""

    site: Site
    authorising: XAuthorisationFlow
    trusted_proxies: TrustedProxies = ()


def x_callback_routes(pages: XPages) -> APIRouter:
    router = guarded_router("/auth/x", tag="pages", in_schema=False)

    async def arrive(request: Request, caller: Caller | None) -> tuple[int, str]:
        """The page's status and its sentence."""
        if caller is None or caller.session is None:
            return 401, f"{SIGN_IN}. {FOR_COMMANDS}"
        try:
            granted = await pages.authorising.finish(
                request.query_params.multi_items(),
                caller.user.id,
                caller.session,
                client=str(pages.client(request)),
            )
        except UserError as error:
            return 403, f"{error}. {FOR_COMMANDS}"
        return 200, f"ClawFeed may read X as @{granted.handle} now."

    @router.get("/callback")
    @open_to(Access.EVERYONE)
    async def callback(request: Request, caller: Anyone) -> Response:
        status, sentence = await arrive(request, caller)
        return pages.site.render(
            await pages.site.page(request, caller),
            "sign_in/x_callback.html",
            {"sentence": sentence, "is_done": status == 200},
            status=status,
            # The address holds the code: nobody keeps it, and no other site is told it.
            headers={"Referrer-Policy": "no-referrer"},
        )

    return router
