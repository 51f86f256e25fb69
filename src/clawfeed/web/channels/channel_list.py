"""`/channels`: where somebody's editions go, and for admins where everybody's do."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Request, Response

from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.storage.outbox.delivery_states import newest_deliveries
from clawfeed.web.channels.channel_context import ChannelPages, line_of


def channel_list_routes(pages: ChannelPages) -> APIRouter:
    router = guarded_router("/channels", tag="pages", in_schema=False)
    site = pages.site

    @router.get("")
    @open_to(Access.READ)
    async def channels(request: Request, caller: SignedIn) -> Response:
        page, found = await asyncio.gather(
            site.page(request, caller),
            pages.admin.store.list(caller.user.id, with_house=caller.is_admin),
        )
        shown, newest = await asyncio.gather(
            pages.admin.show(found),
            newest_deliveries(pages.database, [each.id for each in found]),
        )
        lines = [
            line_of(page, pages.admin.types, each, newest.get(each.channel.id)) for each in shown
        ]
        values = {
            "mine": [each for each in lines if not each["is_house"]],
            "house": [each for each in lines if each["is_house"]],
            "is_admin": caller.is_admin,
        }
        return site.render(page, "channels/channels.html", values)

    return router
