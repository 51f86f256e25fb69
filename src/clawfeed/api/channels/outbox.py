"""Messages on their way out, for operators: see what waits, send again, or drop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel

from clawfeed.api.channels.outbox_json import message_as_json
from clawfeed.api.http.request_fields import Cursor, Limit, PathId
from clawfeed.api.http.responses import (
    MISSING_RESPONSE,
    NOT_MODIFIED,
    REFUSALS,
    json_answer,
    listed,
)
from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.auth.client_address import TrustedProxies
from clawfeed.auth.request_actor import Doorkeeper
from clawfeed.domain.editions.delivery import ChannelState, MessageMove, MessageState
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.ids import ChannelId, DigestId, MessageId
from clawfeed.domain.pagination import id_in, page_of
from clawfeed.domain.people.users import Caller
from clawfeed.storage.outbox.outbox_admin import MessageFilter, OutboxAdmin

Number = Annotated[int | None, Query(ge=1, le=2**53)]


class MessageSchema(BaseModel):
    """A message without what it says: which part of what, to which channel, and how far it is."""

    id: int
    channel_id: int
    kind: str
    channel_name: str
    channel_state: ChannelState
    digest_id: int | None
    edition_type: EditionType | None
    period: str | None
    alarm_id: int | None
    notice: str | None
    part: int
    parts: int
    state: MessageState
    attempts: int
    may_have_arrived: bool
    not_before: datetime
    remote_id: str | None
    last_error_code: str | None
    last_error: str | None
    created_at: datetime
    updated_at: datetime
    sent_at: datetime | None


class MessageListSchema(BaseModel):
    messages: list[MessageSchema]
    next_cursor: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxApi(Doorkeeper):
    """What these endpoints need."""

    outbox: OutboxAdmin
    clock: Callable[[], datetime]
    trusted_proxies: TrustedProxies = ()


def outbox_routes(api: OutboxApi) -> APIRouter:
    router = guarded_router("/api/outbox", tag="outbox")
    moved: dict[str, Any] = {
        "response_model": MessageSchema,
        "responses": {**REFUSALS, **MISSING_RESPONSE},
    }

    @router.get(
        "",
        summary="Messages on their way out, and those that arrived, the newest first",
        response_model=MessageListSchema,
        responses={**REFUSALS, **NOT_MODIFIED},
    )
    @open_to(Access.ADMIN)
    async def messages(
        request: Request,
        *,
        state: MessageState | None = None,
        channel: Number = None,
        digest: Number = None,
        limit: Limit = 50,
        cursor: Cursor = "",
    ) -> Response:
        wanted = MessageFilter(
            state=state,
            channel=None if channel is None else ChannelId(channel),
            digest=None if digest is None else DigestId(digest),
        )
        found = await api.outbox.list(wanted, limit=limit + 1, before=id_in(cursor))
        page, more = page_of(found, limit, lambda message: (message.id,))
        return listed(
            request, {"messages": [message_as_json(each) for each in page], "next_cursor": more}
        )

    @router.post("/{message_id:number}/resend", summary="Send a message again", **moved)
    @open_to(Access.ADMIN)
    async def resend(request: Request, caller: SignedIn, message_id: PathId) -> Response:
        return await _moved(api, request, caller, MessageId(message_id), MessageMove.RESEND)

    @router.post("/{message_id:number}/drop", summary="Give a message up", **moved)
    @open_to(Access.ADMIN)
    async def drop(request: Request, caller: SignedIn, message_id: PathId) -> Response:
        return await _moved(api, request, caller, MessageId(message_id), MessageMove.DROP)

    return router


async def _moved(
    api: OutboxApi, request: Request, caller: Caller, message: MessageId, move: MessageMove
) -> Response:
    hand = api.hand(request, caller, api.clock())
    return json_answer(message_as_json(await api.outbox.move(message, move, hand)))
