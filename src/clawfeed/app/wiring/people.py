"""People, wired: how they come in, their accounts and keys, and their own X."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from ipaddress import ip_network

from fastapi import APIRouter

from clawfeed.api.people.accounts import Accounts, account_routes
from clawfeed.api.people.keys import key_routes
from clawfeed.api.people.users import people_routes
from clawfeed.api.people.x_authorisation import XAuthorisationApi, x_routes
from clawfeed.app.clock import system_clock
from clawfeed.app.settings.config import Config
from clawfeed.app.wiring.feeds import feed_routers
from clawfeed.app.wiring.fetching import SourceTools
from clawfeed.app.wiring.pages import (
    account_routers,
)
from clawfeed.app.wiring.x import x_oauth
from clawfeed.auth.authentication import AccountAuthenticator, AuthenticatorConfig
from clawfeed.auth.client_address import TrustedProxies
from clawfeed.auth.cookies import BrowserCookies
from clawfeed.auth.limits.action_rate_limits import x_beginnings
from clawfeed.auth.oidc.accounts import AccountPolicy
from clawfeed.auth.oidc.cookie import PendingCookie
from clawfeed.auth.oidc.oidc import OidcConfig, OidcSignIn
from clawfeed.auth.oidc.provider import Provider, providers
from clawfeed.auth.password_hashing import Passwords
from clawfeed.auth.sign_in import SignIn, SignInConfig
from clawfeed.auth.x_authorisation import XAuthorisationFlow
from clawfeed.domain.errors import ConfigError
from clawfeed.domain.ids import SourceId
from clawfeed.domain.people.users import User
from clawfeed.storage.config_table import ConfigTable
from clawfeed.storage.database import Database
from clawfeed.storage.operations.runtime_settings import DEFAULT_PACK
from clawfeed.storage.sources.subscriptions import DefaultContent, SubscriptionStore
from clawfeed.web.account.account_context import AccountPages
from clawfeed.web.frame.page_rendering import Site
from clawfeed.web.sign_in.oidc import OidcPages, oidc_routes
from clawfeed.web.sign_in.sign_in import SignInPages, sign_in_routes
from clawfeed.web.sign_in.x_callback import XPages, x_callback_routes
from clawfeed.web.x_account.x_account import XAccountPages, x_account_routes


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


def authenticator_of(config: Config, database: Database) -> AccountAuthenticator:
    settings = AuthenticatorConfig(
        base_url=config.server.base_url,
        api_key=config.server.api_key,
        requests_per_minute=config.people.api_requests_per_minute,
    )
    return AccountAuthenticator(settings, database, system_clock)


def proxies_of(config: Config) -> TrustedProxies:
    return tuple(ip_network(network) for network in config.people.trusted_proxies)


def people_routers(
    config: Config, database: Database, tools: SourceTools, signing_in: SignIn, site: Site
) -> list[APIRouter]:
    cookies = BrowserCookies.of(config.server.base_url)
    accounts = Accounts(
        database=database,
        clock=system_clock,
        signing_in=signing_in,
        cookies=cookies,
        trusted_proxies=proxies_of(config),
    )
    pages = SignInPages(
        site=site,
        signing_in=signing_in,
        cookies=cookies,
        trusted_proxies=proxies_of(config),
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
        oidc_routes(_oidc_pages(config, database, tools, signing_in, site)),
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
        trusted_proxies=proxies_of(config),
    )


def x_routers(
    config: Config, database: Database, tools: SourceTools, site: Site
) -> list[APIRouter]:
    """One's own X (S001-20): to begin, look and take back; and the way back from X."""
    authorising = x_authorising(config, database, tools)
    proxies, beginnings = proxies_of(config), x_beginnings(system_clock)
    return [
        x_routes(
            XAuthorisationApi(
                authorising=authorising, beginnings=beginnings, trusted_proxies=proxies
            )
        ),
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


def x_authorising(config: Config, database: Database, tools: SourceTools) -> XAuthorisationFlow:
    return XAuthorisationFlow(database, system_clock, x_oauth(config, tools.egress), tools.types)
