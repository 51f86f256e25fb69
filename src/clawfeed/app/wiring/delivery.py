"""Leaving the house, wired: who makes messages, who sends them, and the house's own channels."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from clawfeed.app.clock import system_clock, system_dice
from clawfeed.app.processes.worker_names import is_dead, worker_name
from clawfeed.app.settings.config import Config
from clawfeed.domain.errors import ConfigError, InvalidInputError
from clawfeed.domain.ids import TaskId
from clawfeed.publish.edition_messages import OutgoingEditions
from clawfeed.storage.channels.environment_channels import has_environment_channels
from clawfeed.storage.database import Database

if TYPE_CHECKING:
    from clawfeed.egress.client import Egress
    from clawfeed.publish.channel_type import ChannelTypes
    from clawfeed.publish.delivery_worker import DeliveryWorker

# Brings an edition on, whose messages are all settled.
Publish = Callable[[TaskId], Awaitable[object]]


def built_in_types() -> ChannelTypes:
    """Imported when there is a channel: each kind brings its own library along."""
    from clawfeed.publish.channel_types.built_in import BUILT_IN

    return BUILT_IN


def dispatch_of(config: Config, database: Database) -> OutgoingEditions:
    """Who puts editions into the outbox."""
    return OutgoingEditions(database, built_in_types, system_clock, base_url=config.server.base_url)


async def sync_house_channels(config: Config, database: Database) -> None:
    """Make the house's channels what the settings say (S002-7); `ConfigError` if they cannot be."""
    if not _names_channels(config) and not await has_environment_channels(database):
        return
    from clawfeed.app.wiring.channels import publish_config
    from clawfeed.publish.channel_targets import channels_of_the_house
    from clawfeed.storage.channels.channels import ChannelStore

    try:
        drafts = channels_of_the_house(built_in_types(), publish_config(config))
    except InvalidInputError as error:
        raise ConfigError(str(error)) from error
    await ChannelStore(database).sync_environment(drafts, now=system_clock())


def _names_channels(config: Config) -> bool:
    """Whether the settings may make a channel: without, no kind of channel is looked at."""
    given = config.publish
    of_editions = given.telegram_channel_id, given.target_repo, given.slack_webhook_url
    return any((*of_editions, *given.email_to, *given.alarm_email_to, given.alarm_telegram_chat_id))


async def opened_delivery_worker(
    config: Config, database: Database, publish: Publish, opened: AsyncExitStack
) -> DeliveryWorker:
    """What empties the outbox, with a door out of its own."""
    from clawfeed.app.wiring.fetching import open_egress

    egress = await opened.enter_async_context(open_egress(config))
    return delivery_worker(config, database, publish, egress)


def delivery_worker(
    config: Config, database: Database, publish: Publish, egress: Egress
) -> DeliveryWorker:
    """The same through a door that is open; *publish* finishes an edition."""
    from clawfeed.app.wiring.channels import channels_of
    from clawfeed.publish.delivery_worker import DeliveryParts, DeliveryWorker
    from clawfeed.publish.message_sending import MessageSending, SendingParts
    from clawfeed.storage.outbox.outbox import Outbox
    from clawfeed.storage.outbox.outbox_results import OutboxResults

    channels, results = channels_of(config, database), OutboxResults(database)
    sending = SendingParts(
        types=channels.types,
        tools=channels.sending_tools(egress),
        results=results,
        target_of=channels.targets.of,
        clock=system_clock,
        dice=system_dice,
    )
    parts = DeliveryParts(
        outbox=Outbox(database),
        results=results,
        send=MessageSending(sending),
        types=channels.types,
        publish=publish,
        clock=system_clock,
        is_dead=is_dead,
        worker=worker_name(),
    )
    return DeliveryWorker(parts)


async def drain_once(config: Config, database: Database, publish: Publish) -> None:
    """Send what is due now and then end; with nothing to send, after one look and no import."""
    from clawfeed.storage.outbox.outbox import Outbox

    look = await Outbox(database).look(now=system_clock())
    if not look.is_work and not look.holders:
        return
    async with AsyncExitStack() as opened:
        worker = await opened_delivery_worker(config, database, publish, opened)
        await worker.drain()
