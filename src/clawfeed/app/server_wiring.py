"""The API and the pages, wired: who is handed what."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from functools import partial
from ipaddress import ip_network

from fastapi import APIRouter

from clawfeed import __version__
from clawfeed.api.accounts import Accounts, account_routes
from clawfeed.api.admin_config import ConfigurationApi, configuration_routes
from clawfeed.api.alarms import AlarmsApi, alarm_routes
from clawfeed.api.application import RequestGuards, build_application
from clawfeed.api.editions import EditionsApi, edition_routes
from clawfeed.api.health import Health, health_routes
from clawfeed.api.idempotency import StoredReplays
from clawfeed.api.items import ItemsApi, item_routes
from clawfeed.api.keys import key_routes
from clawfeed.api.marks import MarksApi, mark_routes
from clawfeed.api.model_spend import ModelSpendApi, model_spend_routes
from clawfeed.api.operations import Operations, operation_routes
from clawfeed.api.outbox import OutboxApi, outbox_routes
from clawfeed.api.packs import PacksApi, pack_routes
from clawfeed.api.source_faults import FaultsApi, fault_routes
from clawfeed.api.source_service import SourcesApi
from clawfeed.api.sources import source_routes
from clawfeed.api.subscriptions import SubscriptionsApi, subscription_routes
from clawfeed.api.users import people_routes
from clawfeed.api.x_authorisation import XApi, x_routes
from clawfeed.app.channel_routers import channel_routers
from clawfeed.app.clock import system_clock
from clawfeed.app.collector_status import current_status
from clawfeed.app.config import Config
from clawfeed.app.digest_wiring import digest_making_of, digest_routers
from clawfeed.app.edition_wiring import Editions, editions_of
from clawfeed.app.feed_wiring import feed_routers
from clawfeed.app.http_server import HttpServer
from clawfeed.app.intervals import intervals_with
from clawfeed.app.model_settings import spend_cap
from clawfeed.app.my_edition_wiring import my_edition_pages_of, my_edition_routers
from clawfeed.app.operations_admin_wiring import operations_admin_routers
from clawfeed.app.operations_wiring import operations_pages_of
from clawfeed.app.page_wiring import (
    account_routers,
    first_run_routers,
    item_routers,
    page_routers,
    site_of,
    source_pages_of,
    source_routers,
)
from clawfeed.app.readiness import Greet
from clawfeed.app.source_forecasts import outlook_of
from clawfeed.app.source_tools import SourceTools, repairs_with, x_oauth
from clawfeed.app.timezone import timezone_of
from clawfeed.app.trouble_rules import trouble_rules
from clawfeed.auth.authentication import AccountAuthenticator, AuthenticatorConfig
from clawfeed.auth.client_address import TrustedProxies
from clawfeed.auth.cookies import BrowserCookies
from clawfeed.auth.oidc import OidcConfig, OidcSignIn
from clawfeed.auth.oidc_accounts import AccountPolicy
from clawfeed.auth.oidc_cookie import PendingCookie
from clawfeed.auth.oidc_provider import Provider, providers
from clawfeed.auth.password_hashing import Passwords
from clawfeed.auth.rate_limits import SourceLimits, x_beginnings
from clawfeed.auth.sign_in import SignIn, SignInConfig
from clawfeed.auth.x_authorisation import XAuthorising
from clawfeed.domain.errors import ConfigError
from clawfeed.domain.ids import SourceId
from clawfeed.domain.people import User
from clawfeed.publish.alarm_watcher import DatabaseOutage
from clawfeed.publish.channel_type import ChannelTypes
from clawfeed.publish.channel_types.built_in import BUILT_IN
from clawfeed.runtime.stop import Stop
from clawfeed.storage.alarms import AlarmStore
from clawfeed.storage.audit import AuditLog
from clawfeed.storage.config_table import ConfigTable
from clawfeed.storage.database import Database
from clawfeed.storage.editions import EditionStore
from clawfeed.storage.idempotency import IdempotencyStore
from clawfeed.storage.live_settings import DEFAULT_PACK, LiveSettings
from clawfeed.storage.marks import MarkStore
from clawfeed.storage.outbox_admin import OutboxAdmin
from clawfeed.storage.packs import PackStore
from clawfeed.storage.subscriptions import DefaultContent, SubscriptionStore
from clawfeed.storage.visible_sources import VisibleSources
from clawfeed.web.account.account_pages import AccountPages
from clawfeed.web.entrance.oidc import OidcPages, oidc_routes
from clawfeed.web.entrance.sign_in import SignInPages, sign_in_routes
from clawfeed.web.entrance.x_callback import XPages, x_callback_routes
from clawfeed.web.frame.error_pages import ErrorPages
from clawfeed.web.frame.site import Site
from clawfeed.web.items.item_pages import ItemPages
from clawfeed.web.operations.overview import overview_routes
from clawfeed.web.own_x.account import XAccountPages, x_account_routes

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
            source_pages_of(config, database, tools, site, limits, proxies=_proxies(config))
        ),
        *first_run_routers(config, database, site, editions),
        *_for_people(config, database, signing_in, site),
        oidc_routes(_oidc_pages(config, database, tools, signing_in, site)),
        *_for_x(config, database, tools, site),
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
                trusted_proxies=_proxies(config),
            )
        ),
        *channel_routers(
            config,
            database,
            tools.egress,
            channel_types,
            site,
            trusted_proxies=_proxies(config),
        ),
    ]


def signing_in_of(config: Config, database: Database) -> SignIn:
    return SignIn(
        SignInConfig(base_url=config.server.base_url, may_register=config.people.registration),
        database,
        system_clock,
        Passwords(),
        on_first_login=_welcome(config, database),
    )


def _welcome(config: Config, database: Database) -> Callable[[User], Awaitable[None]]:
    """A new reader follows the default content (S001-15)."""

    async def welcome(user: User) -> None:
        people = config.people
        pack = people.default_pack or await ConfigTable(database).get(DEFAULT_PACK)
        source_id = people.default_source_id
        default = DefaultContent(
            pack=pack, source_id=None if source_id is None else SourceId(source_id)
        )
        await SubscriptionStore(database).follow_default(user.id, default, now=system_clock())

    return welcome


def door_of(config: Config, database: Database) -> AccountAuthenticator:
    settings = AuthenticatorConfig(
        base_url=config.server.base_url,
        api_key=config.server.api_key,
        requests_per_minute=config.people.api_requests_per_minute,
    )
    return AccountAuthenticator(settings, database, system_clock)


def _proxies(config: Config) -> TrustedProxies:
    return tuple(ip_network(network) for network in config.people.trusted_proxies)


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


def _for_people(
    config: Config, database: Database, signing_in: SignIn, site: Site
) -> list[APIRouter]:
    cookies = BrowserCookies.of(config.server.base_url)
    accounts = Accounts(
        database=database,
        clock=system_clock,
        signing_in=signing_in,
        cookies=cookies,
        trusted_proxies=_proxies(config),
    )
    pages = SignInPages(
        site=site,
        signing_in=signing_in,
        cookies=cookies,
        trusted_proxies=_proxies(config),
        providers=tuple((each.name, each.slug) for each in _providers(config)),
    )
    return [
        account_routes(accounts),
        key_routes(accounts),
        people_routes(accounts),
        sign_in_routes(pages),
        *account_routers(
            AccountPages(
                site=site,
                database=database,
                signing_in=signing_in,
                cookies=cookies,
                base_url=config.server.base_url,
                trusted_proxies=pages.trusted_proxies,
                providers=pages.providers,
            )
        ),
        *feed_routers(config, accounts),
    ]


def _providers(config: Config) -> tuple[Provider, ...]:
    people = config.people
    if people.registration and people.oidc_link_by_email:
        # Whoever registered with somebody else's address would keep a password to their account.
        raise ConfigError(
            "REGISTRATION and OIDC_LINK_BY_EMAIL cannot both be on: anybody could register with "
            "another person's address and share the account; turn one of them off."
        )
    return providers(
        google_client_id=people.google_client_id,
        google_client_secret=people.google_client_secret,
        issuer=people.oidc_issuer,
        name=people.oidc_name,
        client_id=people.oidc_client_id,
        client_secret=people.oidc_client_secret,
    )


def _oidc_pages(
    config: Config, database: Database, tools: SourceTools, signing_in: SignIn, site: Site
) -> OidcPages:
    base_url, people = config.server.base_url, config.people
    settings = OidcConfig(
        base_url=base_url,
        providers=_providers(config),
        policy=AccountPolicy(may_sign_up=people.oidc_sign_up, may_link=people.oidc_link_by_email),
    )
    return OidcPages(
        site=site,
        sign_in=OidcSignIn(settings, database, system_clock, tools.egress, signing_in),
        cookies=BrowserCookies.of(base_url),
        pending=PendingCookie.of(base_url),
        trusted_proxies=_proxies(config),
    )


def _for_x(config: Config, database: Database, tools: SourceTools, site: Site) -> list[APIRouter]:
    """One's own X (S001-20): to begin, look and take back; and the way back from X."""
    authorising = x_authorising(config, database, tools)
    proxies, beginnings = _proxies(config), x_beginnings(system_clock)
    return [
        x_routes(XApi(authorising=authorising, beginnings=beginnings, trusted_proxies=proxies)),
        x_callback_routes(XPages(site=site, authorising=authorising, trusted_proxies=proxies)),
        x_account_routes(
            XAccountPages(
                site=site,
                authorising=authorising,
                database=database,
                fetchers=tools.fetchers,
                beginnings=beginnings,
                trusted_proxies=proxies,
            )
        ),
    ]


def x_authorising(config: Config, database: Database, tools: SourceTools) -> XAuthorising:
    return XAuthorising(database, system_clock, x_oauth(config, tools.egress), tools.types)


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
                trusted_proxies=_proxies(config),
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
                trusted_proxies=_proxies(config),
            )
        ),
    ]


def _for_editions(config: Config, database: Database, editions: Editions) -> list[APIRouter]:
    api = EditionsApi(
        admin=editions.admin,
        store=EditionStore(database),
        audit=AuditLog(database),
        clock=system_clock,
        trusted_proxies=_proxies(config),
    )
    return edition_routes(api)
