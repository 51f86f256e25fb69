"""The API and the pages, wired: who is handed what."""

from __future__ import annotations

import logging
from functools import partial

from fastapi import APIRouter

from clawfeed import __version__
from clawfeed.api.channels.outbox import OutboxApi, outbox_routes
from clawfeed.api.editions.editions import EditionsApi, edition_routes
from clawfeed.api.http.application import RequestGuards, build_application
from clawfeed.api.http.idempotency import StoredReplays
from clawfeed.api.items.items import ItemsApi, item_routes
from clawfeed.api.items.marks import MarksApi, mark_routes
from clawfeed.api.operations.admin_config import ConfigurationApi, configuration_routes
from clawfeed.api.operations.alarms import AlarmsApi, alarm_routes
from clawfeed.api.operations.collector_status import Operations, operation_routes
from clawfeed.api.operations.health import Health, health_routes
from clawfeed.api.operations.model_spend import ModelSpendApi, model_spend_routes
from clawfeed.api.sources.packs import PacksApi, pack_routes
from clawfeed.api.sources.source_context import SourcesApi
from clawfeed.api.sources.source_faults import FaultsApi, fault_routes
from clawfeed.api.sources.sources import source_routes
from clawfeed.api.sources.subscriptions import SubscriptionsApi, subscription_routes
from clawfeed.app.clock import system_clock
from clawfeed.app.processes.http_server import HttpServer
from clawfeed.app.processes.ready_signal import Greet
from clawfeed.app.processes.worker_names import is_dead, worker_name
from clawfeed.app.settings.config import Config
from clawfeed.app.settings.intervals import intervals_with
from clawfeed.app.settings.model_settings import spend_cap
from clawfeed.app.settings.timezone import timezone_of
from clawfeed.app.status.collector_status import current_status
from clawfeed.app.status.source_forecasts import outlook_of
from clawfeed.app.status.trouble_thresholds import trouble_thresholds
from clawfeed.app.wiring.channel_routers import channel_routers
from clawfeed.app.wiring.digests import digest_making_of, digest_routers
from clawfeed.app.wiring.editions import Editions, editions_of
from clawfeed.app.wiring.fetching import SourceTools, repairs_with
from clawfeed.app.wiring.my_edition import my_edition_pages_of, my_edition_routers
from clawfeed.app.wiring.operations import operations_pages_of
from clawfeed.app.wiring.operations_admin import operations_admin_routers
from clawfeed.app.wiring.pages import (
    first_run_routers,
    item_routers,
    page_routers,
    site_of,
    source_pages_of,
    source_routers,
)
from clawfeed.app.wiring.people import (
    authenticator_of,
    people_routers,
    proxies_of,
    signing_in_of,
    x_routers,
)
from clawfeed.auth.limits.action_rate_limits import SourceLimits
from clawfeed.auth.sign_in import SignIn
from clawfeed.publish.alarm_watcher import DatabaseOutage
from clawfeed.publish.channel_type import ChannelTypes
from clawfeed.publish.channel_types.built_in import BUILT_IN
from clawfeed.runtime.stop import Stop
from clawfeed.storage.database import Database
from clawfeed.storage.editions.editions import EditionStore
from clawfeed.storage.idempotency import LEASE, IdempotencyStore
from clawfeed.storage.leases import Holder
from clawfeed.storage.operations.alarms import AlarmStore
from clawfeed.storage.operations.runtime_settings import LiveSettings
from clawfeed.storage.outbox.outbox_admin import OutboxAdmin
from clawfeed.storage.readers.marks import MarkStore
from clawfeed.storage.sources.packs import PackStore
from clawfeed.storage.sources.subscriptions import SubscriptionStore
from clawfeed.storage.sources.visible_sources import VisibleSources
from clawfeed.web.frame.error_pages import ErrorPages
from clawfeed.web.frame.page_rendering import Site
from clawfeed.web.items.item_context import ItemPages
from clawfeed.web.operations.overview import overview_routes

log = logging.getLogger(__name__)


def replays_of(database: Database) -> StoredReplays:
    """What answers a repeated POST as its first was answered."""
    store = IdempotencyStore(database, Holder(worker=worker_name(), lease=LEASE))
    return StoredReplays(store, system_clock, is_dead)


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
        door=authenticator_of(config, database),
        replays=replays_of(database),
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
        rules=trouble_thresholds(config),
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
        clock=system_clock,
        trusted_proxies=proxies_of(config),
    )
    return edition_routes(api)
