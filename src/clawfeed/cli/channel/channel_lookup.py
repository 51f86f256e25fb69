"""Channels for the commands: opened, named and shown."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import click

from clawfeed.app.settings.config import Config

if TYPE_CHECKING:
    from clawfeed.app.wiring.channels import Channels
    from clawfeed.domain.channels.channel import Channel
    from clawfeed.domain.people.users import User
    from clawfeed.publish.channel_type import ChannelTypes
    from clawfeed.storage.database import Database


def kinds() -> ChannelTypes:
    """The kinds there are; whoever calls the command may bring others."""
    from clawfeed.publish.channel_type import ChannelTypes
    from clawfeed.publish.channel_types.built_in import BUILT_IN

    return click.get_current_context().find_object(ChannelTypes) or BUILT_IN


@asynccontextmanager
async def opened_channels(
    config: Config, types: ChannelTypes, *, may_create: bool = False
) -> AsyncIterator[tuple[Database, Channels]]:
    """The channels of the configured database, which is there already unless it *may create* it."""
    from clawfeed.app.wiring.channels import channels_of
    from clawfeed.app.wiring.entry_points import existing_database, opened_database

    opened = opened_database if may_create else existing_database
    async with opened(config) as database:
        yield database, channels_of(config, database, types)


async def owner_of(database: Database, channel: Channel) -> User | None:
    from clawfeed.storage.people.users import UserStore

    if channel.owner_id is None:
        return None
    return (await UserStore(database).get(channel.owner_id)).user


async def shown_as_json(channels: Channels, channel: Channel) -> dict[str, object]:
    """A channel for programs, as the API shows it: without its secrets."""
    from clawfeed.api.channels.channel_json import channel_as_json

    [shown] = await channels.admin.show([channel])
    return channel_as_json(shown)


def label(shown: dict[str, object]) -> str:
    """`pigeon channel 3 "My loft" loft 7`: a channel in one line."""
    from clawfeed.app.processes.logging_setup import one_line

    return one_line(f'{shown["kind"]} channel {shown["id"]} "{shown["name"]}" {shown["address"]}')
