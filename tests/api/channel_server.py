"""The channels endpoints behind a socket, with three people and kinds of the tests' own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta

from clawfeed.api.channels.channels import ChannelsApi, channel_routes
from clawfeed.api.http.application import build_application
from clawfeed.auth.limits.action_rate_limits import ChannelLimits
from clawfeed.domain.editions.edition_scope import ReaderSettings
from clawfeed.domain.ids import ChannelId
from clawfeed.domain.secret import Secret
from clawfeed.egress.client import Egress, EgressConfig
from clawfeed.publish.channel_admin import ChannelAdmin
from clawfeed.publish.channel_targets import Targets
from clawfeed.publish.channel_trial import ChannelTrial
from clawfeed.publish.channel_type import PublishConfig, SendingTools
from clawfeed.publish.mail.unsubscribe import Unsubscribing
from clawfeed.publish.secrets.secret_box import SecretBox
from clawfeed.publish.secrets.secret_key import SetKey
from clawfeed.storage.channels.channel_secrets import ChannelSecrets
from clawfeed.storage.channels.channels import ChannelStore
from clawfeed.storage.database import Database
from clawfeed.storage.outbox.outbox_admin import OutboxAdmin
from clawfeed.storage.readers.reader_settings import ReaderSettingsStore
from clawfeed.web.sign_in.unsubscribe import UnsubscribePages, unsubscribe_routes
from tests.support.api_callers import NAME_TAGS, add_people
from tests.support.channel_kinds import Loft, kinds_sending_to
from tests.support.clocks import FakeClock
from tests.support.pages import a_site
from tests.support.socket_server import Answer, Client, served

KEY = Secret("a-key-that-nobody-guesses-0123456789")
BASE = "https://feeds.example"
MINUTE = timedelta(minutes=1)
LOFT = {"kind": "pigeon", "address": "Loft 7", "secrets": {"token": "t0ken"}}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelServer:
    client: Client
    admin: ChannelAdmin
    store: ChannelStore
    secrets: ChannelSecrets
    box: SecretBox
    unsubscribing: Unsubscribing
    loft: Loft = field(default_factory=Loft)
    clock: FakeClock = field(default_factory=FakeClock)

    async def secrets_of(self, channel: int) -> dict[str, str]:
        """What would be sent with."""
        sealed = await self.secrets.get(ChannelId(channel))
        opened = self.box.open(ChannelId(channel), sealed)
        return {name: each.reveal() for name, each in opened.items()}

    async def add(self, who: dict[str, str], **fields: object) -> Answer:
        return await self.client.post("/api/channels", who, {**LOFT, **fields})


@asynccontextmanager
async def opened(
    database: Database, *, key: Secret | None = KEY, email_from: str | None = "us@example.org"
) -> AsyncIterator[ChannelServer]:
    await add_people(database)
    loft, clock, keys = Loft(), FakeClock(), SetKey(key)
    box, secrets, types = SecretBox(keys), ChannelSecrets(database), kinds_sending_to(loft)
    config = PublishConfig(base_url=BASE, email_from=email_from, zone="Asia/Tokyo")
    store, unsubscribing = ChannelStore(database), Unsubscribing(keys, BASE)
    egress = Egress(EgressConfig(), clock=clock, dice=lambda: 0.0)
    tools = SendingTools(
        egress=egress, config=config, clock=clock, unsubscribe_link=unsubscribing.link
    )
    api = ChannelsApi(
        database=database,
        admin=ChannelAdmin(
            types=types,
            config=config,
            store=store,
            secrets=secrets,
            box=box,
            readers=ReaderSettingsStore(
                database, ReaderSettings(zone="Europe/Berlin", language="zh")
            ),
        ),
        trial=ChannelTrial(types=types, targets=Targets(secrets, box, []), tools=lambda: tools),
        limits=ChannelLimits(clock),
        outbox=OutboxAdmin(database),
        clock=clock,
    )
    pages = UnsubscribePages(
        site=a_site(database), unsubscribing=unsubscribing, channels=store, clock=clock
    )
    app = build_application("9.9", [*channel_routes(api), unsubscribe_routes(pages)], NAME_TAGS)
    async with served(app) as client:
        yield ChannelServer(
            client=client,
            admin=api.admin,
            store=store,
            secrets=secrets,
            box=box,
            unsubscribing=unsubscribing,
            loft=loft,
            clock=clock,
        )
