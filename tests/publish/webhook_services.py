"""A stage for hooks: the simulated services on loopback, and a door to them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from clawfeed.domain.editions.digest import DigestContent
from clawfeed.domain.ids import ChannelId, DigestId, MessageId
from clawfeed.domain.secret import Secret
from clawfeed.egress.client import Egress, EgressConfig
from clawfeed.egress.politeness import Manners
from clawfeed.publish.channel_type import Notice, OutgoingEdition, PublishConfig, SendingTools
from clawfeed.publish.channel_types.built_in import BUILT_IN
from clawfeed.publish.message import Message, Receipt, Target
from clawfeed.simulator import World, demo_world, serve
from clawfeed.simulator.side_effects import Effect
from tests.support.clocks import NOON, FakeClock

# A part of every address, and of nothing else: it must never be told.
TOKEN = "T0KEN-that-nobody-may-see"  # noqa: S105
KINDS = ("slack", "discord", "feishu", "dingtalk", "wecom", "ntfy", "webhook")
# Those that tell an edition in words for people.
WORDED = KINDS[:-1]
PAGE = "https://feeds.example/digests/7"


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookStage:
    """Served hooks. *url* is the world's own."""

    world: World
    url: str
    tools: SendingTools

    def target(self, kind: str, token: str = TOKEN, /, **secrets: str) -> Target:
        """A channel at the service's own place for *token*."""
        hidden = {"url": webhook_url(self.url, kind, token), **secrets}
        return Target(
            channel_id=ChannelId(1),
            address=f"{kind} #00000000",
            secrets={name: Secret(value) for name, value in hidden.items()},
        )

    async def send(self, target: Target, kind: str, payload: str, key: str = "1-1-1") -> Receipt:
        return await BUILT_IN[kind].sender(self.tools).send(target, message(payload, key))

    def effects(self, kind: str, token: str = TOKEN) -> list[Effect]:
        return self.world.effects.of(kind, token)


def webhook_url(base: str, kind: str, token: str = TOKEN) -> str:
    return f"{base}/hooks/{kind}/{token}"


def fault_path(kind: str, token: str = TOKEN) -> str:
    """Where the request for it arrives."""
    return "/hooks/ntfy/" if kind == "ntfy" else f"/hooks/{kind}/{token}"


def message(payload: str, key: str = "1-1-1") -> Message:
    return Message(id=MessageId(1), idempotency_key=key, payload=payload)


def payloads(kind: str, content: DigestContent, **config: Any) -> Sequence[str]:
    edition = OutgoingEdition(digest_id=DigestId(7), content=content, link=PAGE)
    return BUILT_IN[kind].messages(edition, config)


def notice(kind: str, title: str, *lines: str, **config: Any) -> str:
    return BUILT_IN[kind].notice(Notice(title=title, lines=lines, link=PAGE), config)


@asynccontextmanager
async def webhooks(*, allow: str | None = None) -> AsyncIterator[WebhookStage]:
    """The services, reachable unless *allow* says otherwise."""
    clock = FakeClock(NOON)
    world = demo_world(seed=7, clock=clock)
    async with serve(world) as origin:
        place = origin.url.removeprefix("http://") if allow is None else allow
        config = EgressConfig(allow=place, manners=Manners(spacing=timedelta(0)))
        async with Egress(config, clock=clock, dice=lambda: 0.5) as egress:
            tools = SendingTools(
                egress=egress,
                config=PublishConfig(base_url="https://feeds.example"),
                clock=clock,
                unsubscribe_link=lambda _: "",
            )
            yield WebhookStage(world=world, url=origin.url, tools=tools)
