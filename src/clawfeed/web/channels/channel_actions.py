"""What people do with a channel: test it, pause and resume it, remove it, send again.

Who may is decided by the same rules as for the API; what is not theirs to see is not there.
"""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, HTTPException, Request, Response

from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.domain.channels.channel import Channel
from clawfeed.domain.editions.delivery import MessageMove
from clawfeed.domain.errors import InvalidInputError
from clawfeed.domain.ids import MessageId
from clawfeed.domain.people.users import Caller
from clawfeed.publish.channel_trial import TrialResult
from clawfeed.rendering.safe_text import one_line
from clawfeed.storage.outbox.outbox_admin import OutboxAdmin
from clawfeed.web.channels.channel_context import ChannelPages
from clawfeed.web.channels.channel_page import page_of_channel
from clawfeed.web.channels.delivery_lines import advice_of, cause_of
from clawfeed.web.frame.address_numbers import number_in
from clawfeed.web.frame.flash import Done, Flash
from clawfeed.web.frame.form_errors import refusal
from clawfeed.web.frame.page_rendering import wants_fragment

# What an outcome says besides, where nothing is to be done.
_NOTHING: Final = {"cause": None, "advice": None, "said": ""}


def channel_action_routes(pages: ChannelPages) -> APIRouter:
    router = guarded_router("/channels", tag="pages", in_schema=False)
    _add_test(router, pages)
    _add_pausing(router, pages)
    _add_resending(router, pages)
    return router


def _add_test(router: APIRouter, pages: ChannelPages) -> None:
    site = pages.site

    @router.post("/{channel_id}/test")
    @open_to(Access.WRITE)
    async def test(request: Request, caller: SignedIn, channel_id: str) -> Response:
        """What came of it is told here and nowhere kept: sending it is all that changes."""
        await site.form(request)
        channel = await pages.found(channel_id, caller)
        outcome = await _outcome(pages, channel, caller)
        page = await site.page(request, caller)
        if wants_fragment(request):
            values = {"channel": {"id": channel.id}, "outcome": outcome}
            return site.fragment(page, "channels/channel_test.html", values)
        values = await page_of_channel(pages, page, channel)
        return site.render(page, "channels/channel.html", {**values, "outcome": outcome})


async def _outcome(pages: ChannelPages, channel: Channel, caller: Caller) -> dict[str, object]:
    try:
        pages.limits.tests.take(caller.user.id)
        with pages.limits.testing_now.held(caller.user.id):
            return _told(await pages.trial.send(channel, knows_network=caller.is_admin))
    except HTTPException as error:
        if error.status_code != 429:
            raise
        return {**_NOTHING, "text": "test.too_often", "kind": "warn"}


def _told(result: TrialResult) -> dict[str, object]:
    if result.has_arrived:
        return {**_NOTHING, "text": "test.arrived", "kind": "good"}
    is_unknown = result.may_have_arrived
    return {
        "text": "test.unknown" if is_unknown else "test.failed",
        "kind": "warn" if is_unknown else "bad",
        "cause": cause_of(result.reason),
        "advice": advice_of(result.reason),
        "said": one_line(result.told),
    }


def _add_pausing(router: APIRouter, pages: ChannelPages) -> None:
    site, admin = pages.site, pages.admin

    @router.post("/{channel_id}/pause")
    @open_to(Access.WRITE)
    async def pause(request: Request, caller: SignedIn, channel_id: str) -> Response:
        await site.form(request)
        paused = await admin.pause(await pages.found(channel_id, caller), now=site.now())
        return site.go(f"/channels/{paused.id}", Flash(done=Done.CHANNEL_PAUSED))

    @router.post("/{channel_id}/resume")
    @open_to(Access.WRITE)
    async def resume(request: Request, caller: SignedIn, channel_id: str) -> Response:
        await site.form(request)
        resumed = await admin.resume(await pages.found(channel_id, caller), now=site.now())
        return site.go(f"/channels/{resumed.id}", Flash(done=Done.CHANNEL_RESUMED))

    @router.post("/{channel_id}/remove")
    @open_to(Access.WRITE)
    async def remove(request: Request, caller: SignedIn, channel_id: str) -> Response:
        await site.form(request)
        await admin.remove(await pages.found(channel_id, caller))
        return site.go("/channels", Flash(done=Done.CHANNEL_REMOVED))


def _add_resending(router: APIRouter, pages: ChannelPages) -> None:
    site, outbox = pages.site, OutboxAdmin(pages.database)

    @router.post("/{channel_id}/resend")
    @open_to(Access.WRITE)
    async def resend(request: Request, caller: SignedIn, channel_id: str) -> Response:
        """Of one's own channel the owner decides: nobody else can look whether it arrived."""
        given = await site.form(request)
        channel = await pages.found(channel_id, caller)
        message = MessageId(number_in(given.get("message", ""), "message"))
        hand = pages.hand(request, caller, site.now())
        try:
            await outbox.move(message, MessageMove.RESEND, hand, of=channel.id)
        except InvalidInputError as error:
            page = await site.page(request, caller)
            values = await page_of_channel(pages, page, channel)
            values["mistake"] = refusal(page, error)
            return site.render(page, "channels/channel.html", values, status=422)
        return site.go(f"/channels/{channel.id}#history", Flash(done=Done.RESENT))
