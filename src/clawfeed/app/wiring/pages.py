"""The pages, wired: one frame for all of them, and a line for each."""

from __future__ import annotations

from fastapi import APIRouter

from clawfeed import __version__
from clawfeed.app.clock import system_clock
from clawfeed.app.settings.config import Config
from clawfeed.app.status.source_forecasts import outlook_of
from clawfeed.app.wiring.editions import Editions, edition_config
from clawfeed.app.wiring.fetching import SourceTools, repairs_with
from clawfeed.auth.client_address import TrustedProxies
from clawfeed.auth.limits.action_rate_limits import SourceLimits
from clawfeed.storage.database import Database
from clawfeed.web.account.account_context import AccountPages
from clawfeed.web.account.account_page import account_page_routes
from clawfeed.web.account.keys_and_tokens import account_secret_routes
from clawfeed.web.first_run.welcome import FirstRunPages, welcome_routes
from clawfeed.web.frame.api_reference import reference_routes
from clawfeed.web.frame.page_rendering import Site, SiteConfig
from clawfeed.web.frame.preference_actions import preference_routes
from clawfeed.web.frame.static_files import static_routes
from clawfeed.web.items.item_context import ItemPages
from clawfeed.web.items.item_list import item_list_routes
from clawfeed.web.items.item_saving import item_saving_routes
from clawfeed.web.reading.edition_page import ReadingPages
from clawfeed.web.reading.editions import edition_routes
from clawfeed.web.reading.saved import saved_routes
from clawfeed.web.reading.stories import story_routes
from clawfeed.web.reading.story_actions import story_action_routes
from clawfeed.web.reading.today import today_routes
from clawfeed.web.sources.pack_editing import pack_editing_routes
from clawfeed.web.sources.pack_list import pack_list_routes
from clawfeed.web.sources.source_actions import source_action_routes
from clawfeed.web.sources.source_adding import source_adding_routes
from clawfeed.web.sources.source_context import SourcePages
from clawfeed.web.sources.source_editing import source_editing_routes
from clawfeed.web.sources.source_faults import source_fault_routes
from clawfeed.web.sources.source_lists import source_list_routes
from clawfeed.web.sources.source_opml import source_opml_routes
from clawfeed.web.sources.source_page import source_page_routes


def site_of(config: Config, database: Database) -> Site:
    settings = SiteConfig(
        version=__version__,
        base_url=config.server.base_url,
        defaults=edition_config(config).defaults,
    )
    return Site(settings, database, system_clock)


def page_routers(site: Site, database: Database) -> list[APIRouter]:
    """What belongs to no area, and the pages of readers."""
    return [
        static_routes(site.static),
        preference_routes(site),
        reference_routes(site),
        *reading_routers(ReadingPages(site=site, database=database)),
    ]


def reading_routers(pages: ReadingPages) -> list[APIRouter]:
    return [
        today_routes(pages),
        edition_routes(pages),
        story_action_routes(pages),
        story_routes(pages),
        saved_routes(pages),
    ]


def account_routers(pages: AccountPages) -> list[APIRouter]:
    return [account_page_routes(pages), account_secret_routes(pages)]


def first_run_routers(
    config: Config, database: Database, site: Site, editions: Editions
) -> list[APIRouter]:
    pages = FirstRunPages(
        site=site,
        database=database,
        ask=editions.triggers.want_now,
        trigger_every=config.editions.interval,
    )
    return [welcome_routes(pages)]


def source_pages_of(
    config: Config,
    database: Database,
    tools: SourceTools,
    site: Site,
    limits: SourceLimits,
    *,
    proxies: TrustedProxies = (),
) -> SourcePages:
    return SourcePages(
        site=site,
        database=database,
        fetchers=tools.fetchers,
        discoverer=tools.discoverer,
        parse=tools.parse,
        limits=limits,
        outlook=lambda source_id, zone: outlook_of(
            config, database, source_id, now=system_clock(), zone=zone
        ),
        repairs=repairs_with(tools, database),
        trusted_proxies=proxies,
    )


def source_routers(pages: SourcePages) -> list[APIRouter]:
    """The page of one source comes last: any word could be its id."""
    return [
        source_list_routes(pages),
        pack_list_routes(pages),
        pack_editing_routes(pages),
        source_adding_routes(pages),
        source_opml_routes(pages),
        source_action_routes(pages),
        source_editing_routes(pages),
        source_fault_routes(pages),
        source_page_routes(pages),
    ]


def item_routers(pages: ItemPages) -> list[APIRouter]:
    return [item_list_routes(pages), item_saving_routes(pages)]
