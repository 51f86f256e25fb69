"""Where an e-mail's link to unsubscribe leads: a button, and what it does (RFC 8058).

Nobody is asked who they are: whoever has the link may end what it came with, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from fastapi import APIRouter, Request, Response

from clawfeed.auth.authorization import Access, guarded_router, open_to
from clawfeed.domain.errors import NotFoundError
from clawfeed.publish.mail.unsubscribe import PATH, Unsubscribing
from clawfeed.storage.channels.channels import ChannelStore
from clawfeed.web.frame.page_rendering import Site

# The address is as good as a key: nobody lists it, and no other site is told it.
HEADERS = {"X-Robots-Tag": "noindex", "Referrer-Policy": "no-referrer"}


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsubscribePages:
    """What the pages need."""

    site: Site
    unsubscribing: Unsubscribing
    channels: ChannelStore
    clock: Callable[[], datetime]


def unsubscribe_routes(pages: UnsubscribePages) -> APIRouter:
    router = guarded_router(tag="pages", in_schema=False)

    def page(request: Request, step: str, status: int = 200) -> Response:
        view, values = pages.site.unasked_page(request), {"step": step}
        return pages.site.render(
            view, "sign_in/unsubscribe.html", values, status=status, headers=HEADERS
        )

    @router.get(f"{PATH}{{token}}")
    @open_to(Access.UNASKED)
    async def ask(request: Request, token: str) -> Response:
        """Changes nothing: programs that look for bad links follow every one in an e-mail."""
        is_ours = pages.unsubscribing.channel_in(token) is not None
        return page(request, "ask") if is_ours else page(request, "unknown", 404)

    @router.post(f"{PATH}{{token}}")
    @open_to(Access.UNASKED)
    async def unsubscribe(request: Request, token: str) -> Response:
        """Pause the channel, once or many times.

        Posted by the button, or by a mailbox's own with `List-Unsubscribe=One-Click` as a form of
        either type: what else the body says, or where it was sent from, makes no difference.
        """
        channel = pages.unsubscribing.channel_in(token)
        if channel is None:
            return page(request, "unknown", 404)
        with suppress(NotFoundError):  # it was removed: nothing will come any more
            await pages.channels.pause(channel, now=pages.clock())
        return page(request, "done")

    return router
