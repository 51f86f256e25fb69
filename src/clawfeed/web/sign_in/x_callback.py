"""Where X sends a person back to after they let us in, or did not (S001-20)."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import APIRouter, Request, Response

from clawfeed.auth.authorization import Access, Anyone, guarded_router, open_to
from clawfeed.auth.client_address import TrustedProxies
from clawfeed.auth.refused import RefusedError
from clawfeed.auth.request_actor import Doorkeeper
from clawfeed.auth.x_authorisation import XAuthorisationFlow
from clawfeed.domain.errors import RefusalCode, UserError
from clawfeed.domain.people.users import Caller
from clawfeed.rendering.safe_text import one_line
from clawfeed.storage.people.x_authorisations import XAuthorisation
from clawfeed.web.frame.form_errors import refusal
from clawfeed.web.frame.page_rendering import Site

SIGN_IN = "you are not signed in here; sign in and begin again"


@dataclass(frozen=True, slots=True, kw_only=True)
class XPages(Doorkeeper):
    """What the page needs."""

    site: Site
    authorising: XAuthorisationFlow
    trusted_proxies: TrustedProxies = ()


def x_callback_routes(pages: XPages) -> APIRouter:
    router = guarded_router("/auth/x", tag="pages", in_schema=False)

    async def arrive(request: Request, caller: Caller | None) -> XAuthorisation:
        """What the person allowed; raises why nothing was."""
        if caller is None or caller.session is None:
            raise RefusedError(401, SIGN_IN, RefusalCode.X_SIGNED_OUT)
        return await pages.authorising.finish(
            request.query_params.multi_items(),
            caller.user.id,
            caller.session,
            client=str(pages.client(request)),
        )

    async def told(
        request: Request,
        caller: Caller | None,
        status: int,
        *,
        handle: str = "",
        error: UserError | RefusedError | None = None,
    ) -> Response:
        page = await pages.site.page(request, caller)
        return pages.site.render(
            page,
            "sign_in/x_callback.html",
            {"handle": handle, "mistake": refusal(page, error)},
            status=status,
            # The address holds the code: nobody keeps it, and no other site is told it.
            headers={"Referrer-Policy": "no-referrer"},
        )

    @router.get("/callback")
    @open_to(Access.EVERYONE)
    async def callback(request: Request, caller: Anyone) -> Response:
        try:
            granted = await arrive(request, caller)
        except RefusedError as error:
            return await told(request, caller, error.status_code, error=error)
        except UserError as error:
            return await told(request, caller, 403, error=error)
        return await told(request, caller, 200, handle=f"@{one_line(granted.handle)}")

    return router
