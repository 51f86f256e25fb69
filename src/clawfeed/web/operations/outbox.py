"""`/operations/outbox`: what waits, what nobody knows, what was given up; sent again or dropped."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from urllib.parse import urlencode

from fastapi import APIRouter, Request, Response

from clawfeed.auth.authorization import Access, SignedIn, guarded_router, open_to
from clawfeed.domain.editions.delivery import ChannelState, MessageMove, MessageState
from clawfeed.domain.errors import InvalidInputError, Reason, UserError
from clawfeed.domain.ids import ChannelId, DigestId, MessageId
from clawfeed.domain.people.users import Caller
from clawfeed.rendering.dates import period_worded
from clawfeed.rendering.safe_text import one_line
from clawfeed.rendering.wording import wording_of
from clawfeed.storage.outbox.outbox_admin import ListedMessage, MessageFilter, OutboxAdmin
from clawfeed.storage.outbox.outbox_overview import OutboxOverview, outbox_overview
from clawfeed.web.frame.address_numbers import number_in, number_or_none
from clawfeed.web.frame.flash import Done, Flash
from clawfeed.web.frame.form_errors import refusal
from clawfeed.web.frame.page_rendering import PageView
from clawfeed.web.operations.admin_context import (
    PAGE,
    AdminPages,
    one_of,
    status_of,
)

PAGE_PATH: Final = "/operations/outbox"
_DONE: Final = {
    MessageMove.RESEND: Done.MESSAGE_RESENT,
    MessageMove.DROP: Done.MESSAGE_DROPPED,
}
_KINDS: Final = {
    MessageState.SENT: "good",
    MessageState.UNCERTAIN: "warn",
    MessageState.DEAD: "bad",
}


class Tab(StrEnum):
    """Which messages are looked at; *ALL* is every one."""

    ALL = "all"
    WAITING = "waiting"
    SENDING = "sending"
    UNCERTAIN = "uncertain"
    DEAD = "dead"
    SENT = "sent"


_STATES: Final[Mapping[Tab, tuple[MessageState, ...]]] = {
    Tab.ALL: (),
    Tab.WAITING: (MessageState.PENDING, MessageState.RETRY),
    Tab.SENDING: (MessageState.SENDING,),
    Tab.UNCERTAIN: (MessageState.UNCERTAIN,),
    Tab.DEAD: (MessageState.DEAD,),
    Tab.SENT: (MessageState.SENT,),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """Where somebody is in the outbox, to come back to after a move."""

    tab: Tab = Tab.ALL
    channel: int | None = None
    digest: int | None = None
    before: int | None = None

    @classmethod
    def of(cls, given: Mapping[str, str]) -> Position:
        """As an address or a form has it; nonsense counts as not said."""
        state = given.get("state", "")
        return cls(
            tab=Tab(state) if state in set(Tab) else Tab.ALL,
            channel=number_or_none(given.get("channel", "")),
            digest=number_or_none(given.get("digest", "")),
            before=number_or_none(given.get("before", "")),
        )

    @property
    def fields(self) -> dict[str, str]:
        known = {"channel": self.channel, "digest": self.digest, "before": self.before}
        chosen = {name: str(number) for name, number in known.items() if number}
        return ({} if self.tab is Tab.ALL else {"state": str(self.tab)}) | chosen

    @property
    def address(self) -> str:
        return f"{PAGE_PATH}?{urlencode(self.fields)}" if self.fields else PAGE_PATH

    def on(self, tab: Tab) -> Position:
        return Position(tab=tab, channel=self.channel, digest=self.digest)

    def after(self, last: MessageId | None) -> Position:
        return Position(tab=self.tab, channel=self.channel, digest=self.digest, before=last)

    @property
    def filter(self) -> MessageFilter:
        return MessageFilter(
            states=_STATES[self.tab],
            channel=None if self.channel is None else ChannelId(self.channel),
            digest=None if self.digest is None else DigestId(self.digest),
        )


def outbox_routes(pages: AdminPages) -> APIRouter:
    router = guarded_router(PAGE_PATH, tag="pages", in_schema=False)
    site, outbox = pages.site, OutboxAdmin(pages.database)

    async def listed(
        request: Request, caller: Caller, position: Position, mistake: UserError | None = None
    ) -> Response:
        page, found, overview = await asyncio.gather(
            site.page(request, caller),
            outbox.list(position.filter, limit=PAGE + 1, before=position.before),
            outbox_overview(pages.database, position.filter.channel),
        )
        older = position.after(found[PAGE - 1].id).address if len(found) > PAGE else None
        values = {
            "position": position,
            "tabs": _tabs(page, position, overview),
            "channels": [
                (number, one_line(name) or kind, kind) for number, kind, name in overview.channels
            ],
            "messages": [_line(page, each) for each in found[:PAGE]],
            "older": older,
            "newest": position.after(None).address if position.before else None,
            "mistake": refusal(page, mistake),
        }
        status = status_of(mistake) if mistake else 200
        return site.render(page, "operations/outbox.html", values, status=status)

    @router.get("")
    @open_to(Access.ADMIN)
    async def messages(request: Request, caller: SignedIn) -> Response:
        return await listed(request, caller, Position.of(request.query_params))

    @router.post("/{message_id}")
    @open_to(Access.ADMIN)
    async def move(request: Request, caller: SignedIn, message_id: str) -> Response:
        given = await site.form(request)
        position, wanted = Position.of(given), given.get("move", "")
        message = MessageId(number_in(message_id, "message"))
        try:
            wished = one_of(MessageMove, wanted)
            await outbox.move(message, wished, pages.hand(request, caller, pages.site.now()))
        except InvalidInputError as error:
            return await listed(request, caller, position, error)
        return site.go(f"{position.address}#message-{message}", Flash(done=_DONE[wished]))

    return router


def _tabs(
    page: PageView, position: Position, overview: OutboxOverview
) -> list[tuple[str, str, bool]]:
    def named(tab: Tab) -> str:
        states = _STATES[tab] or tuple(MessageState)
        count = sum(overview.counts.get(state, 0) for state in states)
        return page.say("outbox.tab", name=page.say(f"outbox_tab.{tab}"), count=count)

    return [(position.on(each).address, named(each), each is position.tab) for each in Tab]


def _line(page: PageView, message: ListedMessage) -> dict[str, object]:
    state = message.state
    is_waiting = state in _STATES[Tab.WAITING]
    code = message.last_error_code
    return {
        "id": message.id,
        "what": _what(page, message),
        "digest_id": message.digest_id,
        "part": message.part,
        "parts": message.parts,
        "channel": one_line(message.channel_name) or message.kind,
        "kind_of_channel": message.kind,
        "is_paused": message.channel_state is ChannelState.PAUSED,
        "state": state,
        "kind": _KINDS.get(state, ""),
        "attempts": message.attempts,
        "may_have_arrived": message.may_have_arrived,
        "next": page.when(message.not_before) if is_waiting else "",
        "made": page.when(message.created_at),
        "sent": page.when(message.sent_at) if message.sent_at else "",
        "cause": f"sending.{code}" if code in set(Reason) else "",
        "error": one_line(message.last_error or ""),
        "may_resend": state in {MessageState.UNCERTAIN, MessageState.DEAD},
        "may_drop": is_waiting or state is MessageState.UNCERTAIN,
    }


def _what(page: PageView, message: ListedMessage) -> str:
    """Which edition, or an alarm."""
    if message.edition_type is None or message.period is None:
        return str(page.say("outbox.alarm"))
    kind = wording_of(page.language).types[message.edition_type]
    return (
        f"{kind} · {one_line(period_worded(message.edition_type, message.period, page.language))}"
    )
