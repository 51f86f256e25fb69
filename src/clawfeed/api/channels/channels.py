"""Channels over HTTP: where one's editions go. Secrets are set here and never shown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from fastapi import APIRouter, Request, Response

from clawfeed.api.channels.channel_json import (
    ChannelKindList,
    ChannelList,
    ChannelSchema,
    DeliveryList,
    TrialSchema,
    channel_as_json,
    delivery_as_json,
    kind_as_json,
    trial_as_json,
)
from clawfeed.api.channels.channel_requests import ChannelChange, NewChannel
from clawfeed.api.channels.outbox import MessageSchema
from clawfeed.api.channels.outbox_json import message_as_json
from clawfeed.api.http.request_fields import Cursor, Limit, PathId
from clawfeed.api.http.responses import (
    CONFLICT_RESPONSE,
    MISSING_RESPONSE,
    NOT_MODIFIED,
    REFUSALS,
    json_answer,
    listed,
)
from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.auth.client_address import TrustedProxies
from clawfeed.auth.limits.action_rate_limits import ChannelLimits
from clawfeed.auth.request_actor import Doorkeeper
from clawfeed.domain.channels.channel import Channel
from clawfeed.domain.editions.delivery import MessageMove
from clawfeed.domain.errors import NotAllowedError
from clawfeed.domain.ids import ChannelId, MessageId
from clawfeed.domain.pagination import id_in, page_of
from clawfeed.domain.people.users import Caller
from clawfeed.publish.channel_admin import ChannelAdmin, Viewer
from clawfeed.publish.channel_trial import ChannelTrial
from clawfeed.publish.channel_validation import ChannelRules, draft_of
from clawfeed.storage.database import Database
from clawfeed.storage.outbox.delivery_states import deliveries_to
from clawfeed.storage.outbox.outbox_admin import OutboxAdmin


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelsApi(Doorkeeper):
    """What these endpoints need."""

    database: Database
    admin: ChannelAdmin
    trial: ChannelTrial
    limits: ChannelLimits
    outbox: OutboxAdmin
    clock: Callable[[], datetime]
    trusted_proxies: TrustedProxies = ()

    async def found(self, channel_id: int, caller: Caller) -> Channel:
        return await self.admin.get(ChannelId(channel_id), viewer(caller))

    async def answer(self, channel: Channel, status: int = 200) -> Response:
        [shown] = await self.admin.show([channel])
        place = {"Location": f"/api/channels/{channel.id}"} if status == 201 else None
        return json_answer(channel_as_json(shown), status, place)


def viewer(caller: Caller) -> Viewer:
    return Viewer(user_id=caller.user.id, is_admin=caller.is_admin)


def channel_routes(api: ChannelsApi) -> list[APIRouter]:
    router = guarded_router("/api/channels", tag="channels")
    _add_list(router, api)
    _add_single(router, api)
    _add_pausing(router, api)
    _add_sending(router, api)
    _add_resending(router, api)
    return [router, _kinds(api)]


def _add_list(router: APIRouter, api: ChannelsApi) -> None:
    @router.get(
        "",
        summary="Your channels; for admins also those of the house",
        response_model=ChannelList,
        responses={**REFUSALS, **NOT_MODIFIED},
    )
    @open_to(Access.READ)
    async def channels(
        request: Request, caller: SignedIn, limit: Limit = 50, cursor: Cursor = ""
    ) -> Response:
        found = await api.admin.store.list(
            caller.user.id,
            with_house=caller.is_admin,
            after=id_in(cursor) or 0,
            limit=limit + 1,
        )
        page, more = page_of(found, limit, lambda channel: (channel.id,))
        shown = [channel_as_json(each) for each in await api.admin.show(list(page))]
        return listed(request, {"channels": shown, "next_cursor": more})

    @router.post(
        "",
        summary="Add a channel",
        status_code=201,
        response_model=ChannelSchema,
        responses={**REFUSALS, **CONFLICT_RESPONSE},
    )
    @open_to(Access.WRITE)
    async def add(caller: SignedIn, new: NewChannel) -> Response:
        if new.for_everybody and not caller.is_admin:
            raise NotAllowedError("for_everybody: only admins add channels of the house")
        owner = None if new.for_everybody else caller.user
        added = await api.admin.add(
            owner,
            new.draft(await api.admin.default_draft(owner)),
            may_get_alarms=caller.is_admin,
            now=api.clock(),
        )
        return await api.answer(added, 201)


def _add_single(router: APIRouter, api: ChannelsApi) -> None:
    @router.get(
        "/{channel_id}",
        summary="One channel",
        response_model=ChannelSchema,
        responses={**REFUSALS, **MISSING_RESPONSE, **NOT_MODIFIED},
    )
    @open_to(Access.READ)
    async def channel(request: Request, caller: SignedIn, channel_id: PathId) -> Response:
        [shown] = await api.admin.show([await api.found(channel_id, caller)])
        return listed(request, channel_as_json(shown))

    @router.put(
        "/{channel_id}",
        summary="Change a channel; what is not sent stays",
        response_model=ChannelSchema,
        responses={**REFUSALS, **MISSING_RESPONSE, **CONFLICT_RESPONSE},
    )
    @open_to(Access.WRITE)
    async def change(caller: SignedIn, channel_id: PathId, change: ChannelChange) -> Response:
        channel = await api.found(channel_id, caller)
        changed = await api.admin.change(
            channel,
            change.draft(draft_of(channel)),
            ChannelRules(
                owner=None if channel.owner_id is None else caller.user,
                may_get_alarms=caller.is_admin,
            ),
            forget=change.forgotten,
            now=api.clock(),
        )
        return await api.answer(changed)

    @router.delete(
        "/{channel_id}",
        summary="Remove a channel, with its secrets and its history",
        status_code=204,
        responses={**REFUSALS, **MISSING_RESPONSE},
    )
    @open_to(Access.WRITE)
    async def remove(caller: SignedIn, channel_id: PathId) -> Response:
        await api.admin.remove(await api.found(channel_id, caller))
        return Response(status_code=204)


def _add_pausing(router: APIRouter, api: ChannelsApi) -> None:
    @router.post(
        "/{channel_id}/pause",
        summary="Send nothing there, until somebody resumes it",
        response_model=ChannelSchema,
        responses={**REFUSALS, **MISSING_RESPONSE},
    )
    @open_to(Access.WRITE)
    async def pause(caller: SignedIn, channel_id: PathId) -> Response:
        channel = await api.found(channel_id, caller)
        return await api.answer(await api.admin.pause(channel, now=api.clock()))

    @router.post(
        "/{channel_id}/resume",
        summary="Send there again, and forget what was wrong",
        response_model=ChannelSchema,
        responses={**REFUSALS, **MISSING_RESPONSE},
    )
    @open_to(Access.WRITE)
    async def resume(caller: SignedIn, channel_id: PathId) -> Response:
        channel = await api.found(channel_id, caller)
        return await api.answer(await api.admin.resume(channel, now=api.clock()))


def _add_sending(router: APIRouter, api: ChannelsApi) -> None:
    @router.post(
        "/{channel_id}/test",
        summary="Send a test there now, and tell what came of it",
        response_model=TrialSchema,
        responses={**REFUSALS, **MISSING_RESPONSE},
    )
    @open_to(Access.WRITE)
    async def test(caller: SignedIn, channel_id: PathId) -> Response:
        channel = await api.found(channel_id, caller)
        api.limits.tests.take(caller.user.id)
        with api.limits.testing_now.held(caller.user.id):
            result = await api.trial.send(channel, knows_network=caller.is_admin)
        return json_answer(trial_as_json(result))

    @router.get(
        "/{channel_id}/deliveries",
        summary="What came of the editions that were to go there, newest first",
        response_model=DeliveryList,
        responses={**REFUSALS, **MISSING_RESPONSE, **NOT_MODIFIED},
    )
    @open_to(Access.READ)
    async def deliveries(
        request: Request,
        caller: SignedIn,
        channel_id: PathId,
        limit: Limit = 50,
        cursor: Cursor = "",
    ) -> Response:
        channel = await api.found(channel_id, caller)
        found = await deliveries_to(api.database, channel.id, before=id_in(cursor), limit=limit + 1)
        page, more = page_of(found, limit, lambda each: (each.digest_id,))
        shown = [delivery_as_json(each) for each in page]
        return listed(request, {"deliveries": shown, "next_cursor": more})


def _add_resending(router: APIRouter, api: ChannelsApi) -> None:
    @router.post(
        "/{channel_id}/messages/{message_id}/resend",
        summary="Send there again what may not have arrived",
        response_model=MessageSchema,
        responses={**REFUSALS, **MISSING_RESPONSE},
    )
    @open_to(Access.WRITE)
    async def resend(
        request: Request, caller: SignedIn, channel_id: PathId, message_id: PathId
    ) -> Response:
        """Of one's own channel the owner decides: nobody else can look whether it arrived."""
        channel = await api.found(channel_id, caller)
        hand = api.hand(request, caller, api.clock())
        again = await api.outbox.move(
            MessageId(message_id), MessageMove.RESEND, hand, of=channel.id
        )
        return json_answer(message_as_json(again))


def _kinds(api: ChannelsApi) -> APIRouter:
    router = guarded_router("/api/channel-kinds", tag="channels")

    @router.get(
        "",
        summary="The kinds of channel there are, and what each wants to know",
        response_model=ChannelKindList,
        responses={**REFUSALS, **NOT_MODIFIED},
    )
    @open_to(Access.READ)
    async def kinds(request: Request, caller: SignedIn) -> Response:
        del caller
        shown = [kind_as_json(each, api.admin.config) for each in api.admin.types]
        return listed(request, {"kinds": shown})

    return router
