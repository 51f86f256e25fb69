"""The API and the pages, wired: who is handed what."""

from __future__ import annotations

import logging
from functools import partial

from fastapi import APIRouter

from clawfeed import __version__
from clawfeed.api.admin_config import ConfigurationApi, configuration_routes
from clawfeed.api.alarms import AlarmsApi, alarm_routes
from clawfeed.api.application import RequestGuards, build_application
from clawfeed.api.editions import EditionsApi, edition_routes
from clawfeed.api.health import Health, health_routes
from clawfeed.api.idempotency import StoredReplays
from clawfeed.api.items import ItemsApi, item_routes
from clawfeed.api.marks import MarksApi, mark_routes
from clawfeed.api.model_spend import ModelSpendApi, model_spend_routes
from clawfeed.api.operations import Operations, operation_routes
from clawfeed.api.outbox import OutboxApi, outbox_routes
from clawfeed.api.packs import PacksApi, pack_routes
from clawfeed.api.source_faults import FaultsApi, fault_routes
from clawfeed.api.source_service import SourcesApi
from clawfeed.api.sources import source_routes
from clawfeed.api.subscriptions import SubscriptionsApi, subscription_routes
from clawfeed.app.channel_routers import channel_routers
from clawfeed.app.clock import system_clock
from clawfeed.app.collector_status import current_status
from clawfeed.app.config import Config
from clawfeed.app.digest_wiring import digest_making_of, digest_routers
from clawfeed.app.edition_wiring import Editions, editions_of
from clawfeed.app.http_server import HttpServer
from clawfeed.app.intervals import intervals_with
from clawfeed.app.model_settings import spend_cap
from clawfeed.app.my_edition_wiring import my_edition_pages_of, my_edition_routers
from clawfeed.app.operations_admin_wiring import operations_admin_routers
from clawfeed.app.operations_wiring import operations_pages_of
from clawfeed.app.page_wiring import (
    first_run_routers,
    item_routers,
    page_routers,
    site_of,
    source_pages_of,
    source_routers,
)
from clawfeed.app.people_wiring import (
    door_of,
    people_routers,
    proxies_of,
    signing_in_of,
    x_routers,
)
from clawfeed.app.readiness import Greet
from clawfeed.app.source_forecasts import outlook_of
from clawfeed.app.source_tools import SourceTools, repairs_with
from clawfeed.app.timezone import timezone_of
from clawfeed.app.trouble_rules import trouble_rules
from clawfeed.auth.rate_limits import SourceLimits
from clawfeed.auth.sign_in import SignIn
from clawfeed.publish.alarm_watcher import DatabaseOutage
from clawfeed.publish.channel_type import ChannelTypes
from clawfeed.publish.channel_types.built_in import BUILT_IN
from clawfeed.runtime.stop import Stop
from clawfeed.storage.alarms import AlarmStore
from clawfeed.storage.audit import AuditLog
from clawfeed.storage.database import Database
from clawfeed.storage.editions import EditionStore
from clawfeed.storage.idempotency import IdempotencyStore
from clawfeed.storage.live_settings import LiveSettings
from clawfeed.storage.marks import MarkStore
from clawfeed.storage.outbox_admin import OutboxAdmin
from clawfeed.storage.packs import PackStore
from clawfeed.storage.subscriptions import SubscriptionStore
from clawfeed.storage.visible_sources import VisibleSources
from clawfeed.web.frame.error_pages import ErrorPages
from clawfeed.web.frame.site import Site
from clawfeed.web.items.item_pages import ItemPages
from clawfeed.web.operations.overview import overview_routes

log = logging.getLogger(__name__)


async def http_server(
    config: Config,
    database: Database,
    tools: SourceTools,
    greet: Greet | None = None,
    *,
    outage: DatabaseOutage | None = None,
) -> HttpServer:
    """The API and the pages, ready to listen.

    Whoever can be greeted is told the address and the first admin's link; else it is in the log.
    *outage* is what this process's watcher knows of its database.
    """
    signing_in = signing_in_of(config, database)
    guards = RequestGuards(
        door=door_of(config, database),
        replays=StoredReplays(IdempotencyStore(database), system_clock),
    )
    site = site_of(config, database)
    closing = Stop()
    routes = routers(config, database, tools, signing_in, site, outage=outage, closing=closing)
    server = config.server
    worker = HttpServer(
        build_application(
            __version__,
            routes,
            guards,
            is_https=server.base_url.startswith("https://"),
            error_page=ErrorPages(site),
        ),
        host=server.host,
        port=server.port,
        base_url=server.base_url,
        closing=closing,
    )
    # Only once the port is ours: a new link replaces the one that another server has shown.
    link = await signing_in.first_admin_link()
    if greet:
        worker.greet = partial(greet, server.base_url, link)
    elif link:
        # The one secret that belongs into the log: it works once, for a day, and only until an
        # admin has a password.
        log.warning("nobody can sign in yet; set the admin's password here", extra={"link": link})
    return worker


def routers(
    config: Config,
    database: Database,
    tools: SourceTools,
    signing_in: SignIn,
    site: Site,
    *,
    channel_types: ChannelTypes = BUILT_IN,
    outage: DatabaseOutage | None = None,
    closing: Stop | None = None,
) -> list[APIRouter]:
    """Everything that is served; a test walks all of it. *closing* ends answers that last."""
    editions = editions_of(config, database, tools)
    limits = SourceLimits(system_clock)
    making = digest_making_of(database, editions)
    known = outage or DatabaseOutage()
    return [
        health_routes(_health(config, database, known)),
        overview_routes(operations_pages_of(config, database, site, known, closing or Stop())),
        *page_routers(site, database),
        *item_routers(ItemPages(site=site, database=database, types=tools.fetchers.types)),
        *source_routers(
            source_pages_of(config, database, tools, site, limits, proxies=proxies_of(config))
        ),
        *first_run_routers(config, database, site, editions),
        *people_routers(config, database, tools, signing_in, site),
        *x_routers(config, database, tools, site),
        *_for_readers(config, database, tools, limits),
        *digest_routers(database, editions.config, making),
        *my_edition_routers(my_edition_pages_of(database, editions, making, site)),
        *_for_editions(config, database, editions),
        *operations_admin_routers(
            config, database, tools, editions, signing_in=signing_in, site=site
        ),
        outbox_routes(
            OutboxApi(
                outbox=OutboxAdmin(database),
                clock=system_clock,
                trusted_proxies=proxies_of(config),
            )
        ),
        *channel_routers(
            config,
            database,
            tools.egress,
            channel_types,
            site,
            trusted_proxies=proxies_of(config),
        ),
    ]


def _health(config: Config, database: Database, outage: DatabaseOutage) -> Health:
    return Health(
        database=database,
        clock=system_clock,
        version=__version__,
        metrics_token=config.server.metrics_token,
        rules=trouble_rules(config),
        timezone=timezone_of(config),
        outage=lambda: outage.trouble,
    )


def _for_readers(
    config: Config, database: Database, tools: SourceTools, limits: SourceLimits
) -> list[APIRouter]:
    packs = PackStore(database)
    subscriptions = SubscriptionStore(database)
    sources = SourcesApi(
        database=database,
        clock=system_clock,
        fetchers=tools.fetchers,
        discoverer=tools.discoverer,
        intervals=partial(intervals_with, config),
        limits=limits,
    )
    operations = Operations(
        database=database,
        sources=VisibleSources(database, tools.types),
        clock=system_clock,
        status=lambda: current_status(config, database, now=system_clock()),
        outlook=lambda source_id: outlook_of(config, database, source_id, now=system_clock()),
    )
    return [
        operation_routes(operations),
        alarm_routes(AlarmsApi(store=AlarmStore(database))),
        model_spend_routes(
            ModelSpendApi(
                database=database,
                clock=system_clock,
                model=config.model.name,
                cap=spend_cap(config),
            )
        ),
        fault_routes(
            FaultsApi(
                repairs=repairs_with(tools, database),
                clock=system_clock,
                trusted_proxies=proxies_of(config),
            )
        ),
        source_routes(sources),
        item_routes(ItemsApi(database=database, clock=system_clock)),
        subscription_routes(SubscriptionsApi(store=subscriptions, clock=system_clock)),
        pack_routes(PacksApi(store=packs, clock=system_clock)),
        mark_routes(MarksApi(store=MarkStore(database), clock=system_clock)),
        configuration_routes(
            ConfigurationApi(
                settings=LiveSettings(database),
                clock=system_clock,
                trusted_proxies=proxies_of(config),
            )
        ),
    ]


def _for_editions(config: Config, database: Database, editions: Editions) -> list[APIRouter]:
    api = EditionsApi(
        admin=editions.admin,
        store=EditionStore(database),
        audit=AuditLog(database),
        clock=system_clock,
        trusted_proxies=proxies_of(config),
    )
    return edition_routes(api)
