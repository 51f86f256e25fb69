"""Channels for their owners, wired: the API, and the way out of a letter."""

from __future__ import annotations

from fastapi import APIRouter

from clawfeed.api.channels import ChannelsApi, channel_routes
from clawfeed.app.channel_wiring import channels_of
from clawfeed.app.clock import system_clock
from clawfeed.app.config import Config
from clawfeed.egress.client import Egress
from clawfeed.publish.channel_type import ChannelTypes
from clawfeed.storage.database import Database
from clawfeed.web.entrance.unsubscribe import UnsubscribePages, unsubscribe_routes
from clawfeed.web.frame.site import Site


def channel_routers(
    config: Config,
    database: Database,
    egress: Egress,
    types: ChannelTypes,
    site: Site,
) -> list[APIRouter]:
    """Everything people may ask of channels."""
    channels = channels_of(config, database, types)
    api = ChannelsApi(
        database=database,
        admin=channels.admin,
        trial=channels.trial(egress),
        clock=system_clock,
    )
    pages = UnsubscribePages(
        site=site,
        unsubscribing=channels.unsubscribing,
        channels=channels.admin.store,
        clock=system_clock,
    )
    return [*channel_routes(api), unsubscribe_routes(pages)]
