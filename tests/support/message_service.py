"""A service that takes messages over real HTTP, and one kind of channel to it per `Recovery`.

Every effect is noted when it happens, before the answer leaves (I7). `resend` recognises keys,
`read_back` has files that can be looked at, `ask` takes whatever comes.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from clawfeed.domain.channels.channel import ChannelDraft
from clawfeed.domain.editions.delivery import Recovery
from clawfeed.domain.errors import EgressError, InvalidInputError, Reason
from clawfeed.egress.client import Egress
from clawfeed.egress.politeness import Manners
from clawfeed.egress.request_and_response import Request as Asked
from clawfeed.publish.channel_type import (
    ChannelType,
    ChannelTypes,
    Notice,
    OutgoingEdition,
    SendingTools,
)
from clawfeed.publish.message import Message, Receipt, RetryVerdict, SendError, Target, lost
from clawfeed.simulator.serving.http import Connection, Exchange, Request, Response, Wire
from clawfeed.simulator.side_effects import Effect, Effects

Config = Mapping[str, Any]


@dataclass(slots=True)
class MessageService:
    """*answers* of a place are given first, each once: a status, or what happens to the wire.

    `held` keeps the answer back after the effect; `dropped` resets the connection after it.
    """

    effects: Effects = field(default_factory=Effects)
    url: str = ""
    answers: dict[str, deque[int | str]] = field(default_factory=dict)
    headers: tuple[tuple[str, str], ...] = ()
    held: asyncio.Event = field(default_factory=asyncio.Event)
    under_way: dict[str, int] = field(default_factory=dict)
    most_under_way: dict[str, int] = field(default_factory=dict)
    _keys: set[str] = field(default_factory=set)

    def answer(self, place: str, *answers: int | str) -> None:
        self.answers.setdefault(place, deque()).extend(answers)

    def arrived(self, place: str | None = None) -> list[str]:
        """What is there, in the order it came."""
        found = [each for name in Recovery for each in self.effects.of(name, place)]
        order = {id(each): number for number, each in enumerate(self.effects._all)}
        return [each.content for each in sorted(found, key=lambda each: order[id(each)])]

    def handle(self, request: Request) -> Exchange:
        _, kind, place = request.path.split("/", 2)
        planned = self.answers.get(place)
        now = planned.popleft() if planned else 200
        self.under_way[place] = self.under_way.get(place, 0) + 1
        most = self.most_under_way.get(place, 0)
        self.most_under_way[place] = max(most, self.under_way[place])
        if isinstance(now, int) and now >= 300:
            return self._exchange(place, Response(status=now, headers=self._head()))
        if request.method == "GET":
            found = any(each.key == request.query for each in self.effects.of(kind, place))
            return self._exchange(place, Response(status=200 if found else 404, headers=_EMPTY))
        key = request.headers.get("idempotency-key", "")
        if kind != Recovery.RESEND or key not in self._keys:
            content = request.body.decode()
            self.effects.add(Effect(service=kind, place=place, content=content, key=key))
        self._keys.add(key)
        response = Response(headers=_EMPTY)
        if now == "held":
            return self._exchange(place, response, self._hold)
        if now == "dropped":
            return self._exchange(place, response, _drop)
        return self._exchange(place, response)

    def _head(self) -> tuple[tuple[str, str], ...]:
        return (*_EMPTY, *self.headers)

    def _exchange(self, place: str, response: Response, perform: Any = None) -> Exchange:
        def done() -> None:
            self.under_way[place] -= 1

        return Exchange(response=response, done=done, perform=perform)

    async def _hold(self, wire: Wire) -> None:
        await self.held.wait()
        await wire.send(Response(headers=_EMPTY).encode())


_EMPTY = (("Content-Length", "0"),)


async def _drop(wire: Wire) -> None:
    wire.reset()


@asynccontextmanager
async def open_message_service() -> AsyncIterator[MessageService]:
    box, connections = MessageService(), set[Connection]()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(box.handle, connections), "127.0.0.1", 0)
    box.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield box
    finally:
        server.close()
        for each in tuple(connections):
            each.abort()


# Rests are kept by the outbox, for a place; the host is everybody's.
_MANNERS = Manners(at_once=50, spacing=timedelta(0), obeys_cooldown=False, notes_cooldown=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class PostboxSender:
    """Sends to `/{kind}/{address}` of the box whose address is in the channel's config."""

    egress: Egress
    recovery: Recovery

    async def send(self, target: Target, message: Message) -> Receipt:
        if target.config.get("bug"):
            raise RuntimeError("a bug")
        url = f"{target.config['url']}/{self.recovery}/{target.address}"
        looks = self.recovery is Recovery.READ_BACK and message.may_have_arrived
        if looks and await self._ask("GET", f"{url}?{message.idempotency_key}", message) < 300:
            return Receipt(remote_id="found")
        status = await self._ask("POST", url, message)
        if status < 300:
            moved = target.config.get("moved_to")
            return Receipt(remote_id=f"r{message.id}", moved_to=str(moved) if moved else None)
        raise _refused(status, target.config)

    async def _ask(self, method: str, url: str, message: Message) -> int:
        headers = {"Idempotency-Key": message.idempotency_key}
        body = message.payload.encode() if method == "POST" else None
        try:
            answer = await self.egress.request(
                Asked(url=url, method=method, headers=headers, body=body, manners=_MANNERS)
            )
        except EgressError as error:
            raise lost(error) from error
        return answer.status


def _refused(status: int, config: Config) -> SendError:
    wait = timedelta(seconds=float(config.get("rest", 7)))
    match status:
        case 429:
            return SendError(
                Reason.BUSY, "too many", status=status, wait=wait, is_place_resting=True
            )
        case 403:
            return SendError(Reason.REFUSED, "blocked", status=status, verdict=RetryVerdict.PAUSE)
        case 400:
            return SendError(Reason.UNREADABLE, "bad", status=status, verdict=RetryVerdict.GIVE_UP)
    return SendError(Reason.BROKEN, f"answered {status}", status=status)


def _messages(edition: OutgoingEdition, config: Config) -> Sequence[str]:
    if config.get("is_broken"):
        raise InvalidInputError("parts must be a number: set it to 1")
    title = edition.content.title
    parts = int(config.get("parts", 1))
    return [f"{title} {part}/{parts} in {edition.content.language}" for part in range(1, parts + 1)]


def _notice(notice: Notice, _config: Config) -> str:
    return notice.title


def _same(draft: ChannelDraft) -> ChannelDraft:
    return draft


def _sender(recovery: Recovery) -> Callable[[SendingTools], PostboxSender]:
    return lambda tools: PostboxSender(egress=tools.egress, recovery=recovery)


def kind_of(recovery: Recovery, **values: Any) -> ChannelType:
    return ChannelType(
        kind=f"box_{recovery}",
        label="A test's own",
        recovery=recovery,
        check=_same,
        messages=_messages,
        notice=_notice,
        sender=_sender(recovery),
        place=lambda address, _config: f"box {address}",
        **values,
    )


ASK, RESEND, READ_BACK = (
    kind_of(each) for each in (Recovery.ASK, Recovery.RESEND, Recovery.READ_BACK)
)
KINDS = ChannelTypes([ASK, RESEND, READ_BACK])
