"""`/channels/{id}`: one channel, its test, what became of each edition; and its form."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Final

from fastapi import APIRouter, Request, Response

from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.domain.channels.channel import Channel, ChannelOrigin
from clawfeed.domain.errors import NotAllowedError, NotFoundError, RefusalCode, UserError
from clawfeed.domain.people.users import Caller
from clawfeed.publish.channel_admin import ShownChannel
from clawfeed.publish.channel_validation import ChannelRules, draft_of
from clawfeed.storage.outbox.delivery_states import deliveries_to
from clawfeed.web.channels.channel_context import ChannelPages, line_of
from clawfeed.web.channels.channel_form import (
    ChannelForm,
    forgotten,
    form_of,
    labels_of,
    read_draft,
    values_of,
)
from clawfeed.web.channels.delivery_lines import delivery_line
from clawfeed.web.frame.address_numbers import number_or_none
from clawfeed.web.frame.flash import Done, Flash
from clawfeed.web.frame.form_errors import refusal
from clawfeed.web.frame.page_rendering import PageView

HISTORY: Final = 20


def channel_page_routes(pages: ChannelPages) -> APIRouter:
    router = guarded_router("/channels", tag="pages", in_schema=False)
    site = pages.site

    @router.get("/{channel_id}")
    @open_to(Access.READ)
    async def channel(
        request: Request, caller: SignedIn, channel_id: str, before: str = ""
    ) -> Response:
        page, found = await asyncio.gather(
            site.page(request, caller), pages.found(channel_id, caller)
        )
        values = await page_of_channel(pages, page, found, before=number_or_none(before))
        return site.render(page, "channels/channel.html", values)

    _add_form(router, pages)
    return router


async def page_of_channel(
    pages: ChannelPages, page: PageView, channel: Channel, *, before: int | None = None
) -> dict[str, object]:
    """What stands on the page, but for the outcome of a test."""
    [shown], found = await asyncio.gather(
        pages.admin.show([channel]),
        deliveries_to(pages.database, channel.id, before=before, limit=HISTORY + 1),
    )
    history = [delivery_line(page, each) for each in found[:HISTORY]]
    more = history[-1]["digest_id"] if len(found) > HISTORY else None
    here = f"/channels/{channel.id}"
    newest = found[0] if found and before is None else None
    return {
        "channel": line_of(page, pages.admin.types, shown, newest),
        "history": history,
        "older": (f"{here}?before={more}#history", page.say("channels.older")) if more else None,
        "newer": (f"{here}#history", page.say("channels.newest")) if before is not None else None,
        "outcome": None,
        "mistake": "",
    }


def _add_form(router: APIRouter, pages: ChannelPages) -> None:
    site, admin = pages.site, pages.admin

    async def ask(
        request: Request,
        caller: Caller,
        channel: Channel,
        given: Mapping[str, str] | None = None,
        error: UserError | None = None,
    ) -> Response:
        page, [shown] = await asyncio.gather(site.page(request, caller), admin.show([channel]))
        form = _form(pages, page, shown, given)
        values = {
            "channel": line_of(page, admin.types, shown, None),
            "form": form,
            "is_house": channel.owner_id is None,
            "is_admin": caller.is_admin,
            "own_address": caller.user.email,
            "mistake": refusal(page, error, labels_of(page, form)),
        }
        status = 422 if error else 200
        return site.render(page, "channels/channel_edit.html", values, status=status)

    @router.get("/{channel_id}/edit")
    @open_to(Access.READ)
    async def edit(request: Request, caller: SignedIn, channel_id: str) -> Response:
        return await ask(request, caller, await _changeable(pages, channel_id, caller))

    @router.post("/{channel_id}/edit")
    @open_to(Access.WRITE)
    async def change(request: Request, caller: SignedIn, channel_id: str) -> Response:
        given = await site.form(request)
        channel = await _changeable(pages, channel_id, caller)
        kind = admin.types[channel.kind]
        owner = None if channel.owner_id is None else caller.user
        try:
            draft = read_draft(kind, given, draft_of(channel), owner)
            await admin.change(
                channel,
                draft,
                ChannelRules(owner=owner, may_get_alarms=caller.is_admin),
                forget=forgotten(kind, given),
                now=site.now(),
            )
        except NotFoundError:
            raise
        except UserError as error:
            return await ask(request, caller, channel, given, error)
        return site.go(f"/channels/{channel.id}", Flash(done=Done.CHANNEL_CHANGED))


async def _changeable(pages: ChannelPages, channel_id: str, caller: Caller) -> Channel:
    channel = await pages.found(channel_id, caller)
    if channel.origin is ChannelOrigin.ENVIRONMENT:
        raise NotAllowedError(
            "this channel is set in the server's settings: change it there",
            RefusalCode.CHANNEL_ELSEWHERE,
        )
    if channel.kind not in pages.admin.types:
        raise NotAllowedError(
            f"nothing here knows channels of the kind {channel.kind}",
            RefusalCode.CHANNEL_KIND,
            kind=channel.kind,
        )
    return channel


def _form(
    pages: ChannelPages, page: PageView, shown: ShownChannel, given: Mapping[str, str] | None
) -> ChannelForm:
    channel = shown.channel
    return form_of(
        page,
        pages.admin.types[channel.kind],
        values_of(draft_of(channel)) if given is None else given,
        may_be_house=channel.owner_id is None,
        set_secrets=shown.has_secrets,
    )
