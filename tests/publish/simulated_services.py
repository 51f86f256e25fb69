"""The simulated services on loopback, and what a sender needs to reach them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from clawfeed.domain.editions.digest import DigestContent
from clawfeed.domain.errors import InvalidInputError
from clawfeed.domain.ids import ChannelId, DigestId, JsonValue, MessageId
from clawfeed.domain.secret import Secret
from clawfeed.publish.channel_type import (
    ChannelType,
    OutgoingEdition,
    PublishConfig,
    SendingTools,
)
from clawfeed.publish.message import Message, Receipt, Sender, SendError, Target
from clawfeed.simulator import Fault, Misbehaviour, World, read_journal
from clawfeed.simulator.side_effects import Effect
from tests.support.clocks import FakeClock
from tests.support.origin import door, on_stage

PAGE = "https://clawfeed.example/digests/7"


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """One kind of channel with its simulated service."""

    type: ChannelType
    world: World
    sender: Sender
    target: Target
    journal: Path

    def asked(self) -> list[str]:
        """The methods of all requests, in their order."""
        return [each.method for each in read_journal(self.journal)]

    def to(self, address: str, **config: JsonValue) -> Target:
        return replace(self.target, address=address, config=config or self.target.config)

    async def send(self, message: Message, target: Target | None = None) -> Receipt:
        return await self.sender.send(target or self.target, message)

    async def fails(self, message: Message, target: Target | None = None) -> SendError:
        """Why it was not taken. Nobody who reads of it learns a secret."""
        with pytest.raises(SendError) as caught:
            await self.send(message, target)
        shown = f"{caught.value!r} {caught.value} {caught.value.__cause__!r}"
        for secret in (target or self.target).secrets.values():
            assert secret.reveal() not in shown
        return caught.value

    def effects(self, place: str | None = None) -> list[Effect]:
        return self.world.effects.of(self.type.kind, place)


@asynccontextmanager
async def staged(
    kind: ChannelType, folder: Path, *, address: str, secrets: Mapping[str, str]
) -> AsyncIterator[Service]:
    clock = FakeClock()
    world = World([], seed=1, clock=clock)
    journal = folder / "journal"
    async with on_stage(world, journal) as stage, door(stage.url, clock=clock) as egress:
        config = PublishConfig(
            base_url="https://clawfeed.example",
            telegram_api_base_url=f"{stage.url}/telegram",
            github_api_base_url=f"{stage.url}/github/",
        )
        tools = SendingTools(
            egress=egress, config=config, clock=clock, unsubscribe_link=lambda _: ""
        )
        hidden = {name: Secret(text) for name, text in secrets.items()}
        target = Target(channel_id=ChannelId(1), address=address, secrets=hidden)
        sender = kind.sender(tools)
        yield Service(type=kind, world=world, sender=sender, target=target, journal=journal)


def payloads_of(kind: ChannelType, content: DigestContent) -> list[str]:
    edition = OutgoingEdition(digest_id=DigestId(7), content=content, link=PAGE)
    return list(kind.messages(edition, {}))


def a_message(payload: str, *, may_have_arrived: bool = False) -> Message:
    return Message(
        id=MessageId(1),
        idempotency_key="key-1",
        payload=payload,
        may_have_arrived=may_have_arrived,
    )


def says(status: int, body: object = "", *, retry_after: str = "") -> Misbehaviour:
    """An answer instead of doing what was asked."""
    text = body if isinstance(body, str) else json.dumps(body)
    return Misbehaviour(fault=Fault.STATUS, status=status, body=text, retry_after=retry_after)


def refused_text(check: object, *arguments: object) -> str:
    """The sentence that a person reads who gave us something wrong."""
    assert callable(check)
    with pytest.raises(InvalidInputError) as caught:
        check(*arguments)
    return str(caught.value)
