"""Leaving the house, wired: who makes messages, who sends them, and the house's own channels."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from clawfeed.app.clock import system_clock, system_dice
from clawfeed.app.config import Config
from clawfeed.app.publish_settings import names_channels, publish_config
from clawfeed.app.worker_names import is_dead, worker_name
from clawfeed.domain.errors import ConfigError, InvalidInputError
from clawfeed.publish.outgoing import OutgoingEditions
from clawfeed.storage.database import Database
from clawfeed.storage.house_channels import has_environment_channels

if TYPE_CHECKING:
    from clawfeed.domain.channel import ChannelDraft
    from clawfeed.domain.ids import TaskId
    from clawfeed.egress.client import Egress
    from clawfeed.publish.channel_type import ChannelTypes
    from clawfeed.publish.delivery_worker import DeliveryWorker

Publish = Callable[["TaskId"], Awaitable[object]]


def built_in_types() -> ChannelTypes:
    """Imported when there is a channel: each kind brings its own library along."""
    from clawfeed.publish.channel_types.built_in import BUILT_IN

    return BUILT_IN


def dispatch_of(config: Config, database: Database) -> OutgoingEditions:
    """Who puts editions into the outbox."""
    return OutgoingEditions(database, built_in_types, system_clock, base_url=config.server.base_url)


async def sync_house_channels(config: Config, database: Database) -> None:
    """Make the house's channels what the settings say (S002-7); `ConfigError` if they cannot be."""
    if not names_channels(config) and not await has_environment_channels(database):
        return
    from clawfeed.storage.channels import ChannelStore

    drafts = house_drafts(config, built_in_types())
    await ChannelStore(database).sync_environment(drafts, now=system_clock())


def house_drafts(config: Config, types: ChannelTypes) -> list[ChannelDraft]:
    """The channels that the settings make, with their secrets, which are never stored."""
    from clawfeed.publish.targets import channels_of_the_house

    try:
        return channels_of_the_house(types, publish_config(config))
    except InvalidInputError as error:
        raise ConfigError(str(error)) from error


async def delivery_worker(
    config: Config, database: Database, publish: Publish, opened: AsyncExitStack
) -> DeliveryWorker:
    """What empties the outbox, with a door out of its own; *publish* finishes an edition."""
    from clawfeed.app.source_tools import egress_config
    from clawfeed.egress.client import Egress

    egress = await opened.enter_async_context(
        Egress(egress_config(config), clock=system_clock, dice=system_dice)
    )
    return delivery_worker_with(config, database, publish, egress)


def delivery_worker_with(
    config: Config,
    database: Database,
    publish: Publish,
    egress: Egress,
    types: ChannelTypes | None = None,
) -> DeliveryWorker:
    """The same through a door that is open."""
    from clawfeed.publish.channel_type import SendingTools
    from clawfeed.publish.delivery_worker import DeliveryParts, DeliveryWorker
    from clawfeed.publish.secret_box import SecretBox
    from clawfeed.publish.secret_key import key_holder
    from clawfeed.publish.sending import MessageSending, SendingParts
    from clawfeed.publish.targets import Targets
    from clawfeed.storage.channel_secrets import ChannelSecrets
    from clawfeed.storage.outbox import Outbox
    from clawfeed.storage.outbox_results import OutboxResults

    types = types or built_in_types()
    box = SecretBox(key_holder(config.publish.secrets_key, config.storage.sqlite_path))
    targets = Targets(ChannelSecrets(database), box, house_drafts(config, types))
    results = OutboxResults(database)
    sending = SendingParts(
        types=types,
        tools=SendingTools(
            egress=egress,
            config=publish_config(config),
            clock=system_clock,
            unsubscribe_link=lambda _channel: "",
        ),
        results=results,
        target_of=targets.of,
        clock=system_clock,
        dice=system_dice,
    )
    parts = DeliveryParts(
        outbox=Outbox(database),
        results=results,
        send=MessageSending(sending),
        types=types,
        publish=publish,
        clock=system_clock,
        is_dead=is_dead,
        worker=worker_name(),
    )
    return DeliveryWorker(parts)


async def drain_once(config: Config, database: Database, publish: Publish) -> None:
    """Send what is due now and then end; with nothing to send, after one read and no import."""
    from clawfeed.storage.outbox import Outbox

    look = await Outbox(database).look(now=system_clock())
    if not look.is_work and not look.holders:
        return
    async with AsyncExitStack() as opened:
        worker = await delivery_worker(config, database, publish, opened)
        await worker.drain()
