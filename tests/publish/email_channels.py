"""E-mail channels in front of a simulated mail server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from typing import Any

from clawfeed.domain.editions.digest import DigestContent
from clawfeed.domain.ids import ChannelId, DigestId, MessageId
from clawfeed.domain.secret import Secret
from clawfeed.egress.client import Egress
from clawfeed.publish.channel_type import OutgoingEdition, PublishConfig, SendingTools
from clawfeed.publish.channel_types.email import TYPE
from clawfeed.publish.message import Message, Receipt, SendError, Target
from clawfeed.simulator.services.mail_server import Mailboxes, MailOptions, serve_mail
from clawfeed.simulator.world import World
from tests.egress.loopback_servers import Exchange, RawServer, StubResolver, answering, new_egress
from tests.support.clocks import FakeClock
from tests.support.digests import an_edition

BASE_URL = "https://feeds.example"
ANNA = "anna@example.org"


def payload(content: DigestContent | None = None) -> str:
    """The one part of an edition."""
    link = f"{BASE_URL}/digests/1"
    edition = OutgoingEdition(digest_id=DigestId(1), content=content or an_edition(), link=link)
    [part] = TYPE.messages(edition, {})
    return part


@dataclass
class Mailing:
    """A sender, and the mailboxes that it writes to."""

    mail: Mailboxes
    egress: Egress
    config: PublishConfig

    async def send(
        self, content: DigestContent | None = None, *, to: str = ANNA, key: str = "1-1-1"
    ) -> Receipt:
        tools = SendingTools(
            egress=self.egress,
            config=self.config,
            clock=FakeClock(),
            unsubscribe_link=lambda channel: f"{self.config.base_url}/unsubscribe/{channel}-signed",
        )
        message = Message(id=MessageId(1), idempotency_key=key, payload=payload(content))
        target = Target(channel_id=ChannelId(7), address=to)
        return await TYPE.sender(tools).send(target, message)

    async def failure(self, **options: Any) -> SendError:
        """Why it was not taken; it must not be."""
        try:
            await self.send(**options)
        except SendError as error:
            return error
        raise AssertionError("it was taken")

    def arrived(self, to: str = ANNA) -> list[EmailMessage]:
        """What the mailbox shows, read by Python's own parser."""
        return [read(each.content) for each in self.mail.world.effects.of("mail", to)]


def read(content: str) -> EmailMessage:
    raw = content.encode("utf-8", "surrogateescape")
    return message_from_bytes(raw, policy=default)


@asynccontextmanager
async def mailing(
    options: MailOptions | None = None,
    *,
    url: str = "",
    is_far: bool = False,
    **settings: Any,
) -> AsyncIterator[Mailing]:
    """On loopback; *is_far*: as if the server were in the internet, called mail.example.

    *url* is SMTP_URL, with `{port}` in it.
    """
    world = World((), seed=1, clock=FakeClock())
    async with serve_mail(world, options) as mail:
        exchange = RawServer(answering())
        exchange.port = mail.port
        egress = (
            new_egress(dial=Exchange(exchange), resolver=StubResolver())
            if is_far
            else new_egress(allow=f"127.0.0.1:{mail.port}")
        )
        address = url.format(port=mail.port) if url else mail.url
        values = {"base_url": BASE_URL, "email_from": "ClawFeed <news@example.com>"} | settings
        config = PublishConfig(smtp_url=Secret(address), **values)
        async with egress:
            yield Mailing(mail=mail, egress=egress, config=config)
