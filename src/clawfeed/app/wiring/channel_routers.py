"""Channels for their owners, wired: the API, the pages, and the way out of an e-mail."""

from __future__ import annotations

from fastapi import APIRouter

from clawfeed.api.channels.channels import ChannelsApi, channel_routes
from clawfeed.app.clock import system_clock
from clawfeed.app.settings.config import Config
from clawfeed.app.wiring.channels import channels_of
from clawfeed.auth.client_address import TrustedProxies
from clawfeed.auth.limits.action_rate_limits import ChannelLimits
from clawfeed.egress.client import Egress
from clawfeed.publish.channel_type import ChannelTypes
from clawfeed.storage.database import Database
from clawfeed.storage.outbox.outbox_admin import OutboxAdmin
from clawfeed.web.channels.channel_actions import channel_action_routes
from clawfeed.web.channels.channel_adding import channel_adding_routes
from clawfeed.web.channels.channel_context import ChannelPages
from clawfeed.web.channels.channel_list import channel_list_routes
from clawfeed.web.channels.channel_page import channel_page_routes
from clawfeed.web.frame.page_rendering import Site
from clawfeed.web.sign_in.unsubscribe import UnsubscribePages, unsubscribe_routes


def channel_routers(
    config: Config,
    database: Database,
    egress: Egress,
    types: ChannelTypes,
    site: Site,
    *,
    trusted_proxies: TrustedProxies = (),
) -> list[APIRouter]:
    """Everything people may ask of channels."""
    channels = channels_of(config, database, types)
    api = ChannelsApi(
        database=database,
        admin=channels.admin,
        trial=channels.trial(egress),
        limits=ChannelLimits(system_clock),
        outbox=OutboxAdmin(database),
        clock=system_clock,
        trusted_proxies=trusted_proxies,
    )
    pages = UnsubscribePages(
        site=site,
        unsubscribing=channels.unsubscribing,
        channels=channels.admin.store,
        clock=system_clock,
    )
    own = ChannelPages(
        site=site,
        database=database,
        admin=api.admin,
        trial=api.trial,
        limits=api.limits,
        trusted_proxies=trusted_proxies,
    )
    return [*channel_routes(api), *channel_page_routers(own), unsubscribe_routes(pages)]


def channel_page_routers(pages: ChannelPages) -> list[APIRouter]:
    """The page of one channel comes last: any word could be its id."""
    return [
        channel_list_routes(pages),
        channel_adding_routes(pages),
        channel_action_routes(pages),
        channel_page_routes(pages),
    ]
