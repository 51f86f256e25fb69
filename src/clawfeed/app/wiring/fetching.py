"""What it takes to read sources, opened: the door out, the parsers, a fetcher for each type."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial

from clawfeed.app.clock import system_clock, system_dice
from clawfeed.app.processes.worker_names import is_dead, worker_name
from clawfeed.app.settings.config import Config
from clawfeed.app.settings.plugin_sources import source_types
from clawfeed.app.wiring.full_text import FullTextOnDemand
from clawfeed.egress.client import Egress, EgressConfig
from clawfeed.egress.politeness import Manners
from clawfeed.egress.response_limits import Limits
from clawfeed.sources.discovery.discoverer import Discoverer
from clawfeed.sources.discovery.new_source import part_of
from clawfeed.sources.documents import article
from clawfeed.sources.fetchers.feed import FEED_LIMITS
from clawfeed.sources.parsing.pool import ParseConfig, ParsePool
from clawfeed.sources.registry import Fetchers, build_fetchers
from clawfeed.sources.source_types.source_type import FetcherKit, SourceTypes, documents_of
from clawfeed.sources.x.oauth import XApplication, XOAuth
from clawfeed.sources.x.personal_tokens import XTokens
from clawfeed.storage.database import Database
from clawfeed.storage.people.x_authorisations import XAuthorisations
from clawfeed.storage.polling.host_turns import HostTurns
from clawfeed.storage.source_changes.source_repairs import SourceRepairs
from clawfeed.storage.spending.api_reads import X_API, MonthlyReads, ReadStore

# Where X sends people back to; an X application must list it under BASE_URL.
X_CALLBACK = "/auth/x/callback"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceTools:
    """All it takes to read sources."""

    types: SourceTypes
    fetchers: Fetchers
    egress: Egress
    parse: ParsePool
    discoverer: Discoverer
    limits: Callable[[Limits], Limits]
    full_text: FullTextOnDemand


@asynccontextmanager
async def opened_sources(config: Config, database: Database) -> AsyncIterator[SourceTools]:
    """Open the door out and the parsers, and build the fetchers of all types."""
    types = source_types(config)
    async with (
        open_egress(config) as egress,
        parse_pool(config.fetch.parse_workers, documents_of(types)) as parse,
        x_tokens_of(config, database, egress) as tokens,
        FullTextOnDemand(egress, article_pool) as full_text,
    ):
        kit = replace(_kit(config, database, egress, parse), x_tokens=tokens)
        yield SourceTools(
            types=types,
            fetchers=build_fetchers(types, kit),
            egress=egress,
            parse=parse,
            discoverer=Discoverer(**kit.common, types=types, limits=kit.limits(FEED_LIMITS)),
            limits=kit.limits,
            full_text=full_text,
        )


def open_egress(config: Config) -> Egress:
    """The only door, as the operator set it up; to be opened."""
    return Egress(egress_config(config), clock=system_clock, dice=system_dice)


def parse_pool(workers: int, documents: Mapping[str, str]) -> ParsePool:
    return ParsePool(ParseConfig(workers=workers, documents=documents))


def article_pool() -> ParsePool:
    """The one worker that reads articles, a few a day."""
    return parse_pool(1, article.documents())


def repairs_with(tools: SourceTools, database: Database) -> SourceRepairs:
    """What mends data faults (S001-22)."""
    part = partial(part_of, tools.fetchers)
    return SourceRepairs(database=database, types=tools.types, part=part)


def x_oauth(config: Config, egress: Egress) -> XOAuth | None:
    """X's doors for tokens; None if we are no application there (S001-20)."""
    sources = config.sources
    if not sources.x_client_id:
        return None
    application = XApplication(
        client_id=sources.x_client_id,
        client_secret=sources.x_client_secret,
        redirect_uri=f"{config.server.base_url}{X_CALLBACK}",
        api_base_url=sources.x_api_base_url,
        authorize_url=sources.x_authorize_url,
    )
    return XOAuth(application, egress=egress, clock=system_clock)


def x_tokens_of(config: Config, database: Database, egress: Egress) -> XTokens:
    """Whose token reads what is somebody's own at X."""
    return XTokens(
        store=XAuthorisations(database),
        oauth=x_oauth(config, egress),
        clock=system_clock,
        worker=worker_name(),
        is_dead=is_dead,
        house=config.sources.x_user_token,
    )


def egress_config(config: Config) -> EgressConfig:
    return EgressConfig(
        allow=",".join(config.egress.allow),
        manners=Manners(at_once=config.fetch.host_concurrency, spacing=config.fetch.host_spacing),
    )


def _kit(config: Config, database: Database, egress: Egress, parse: ParsePool) -> FetcherKit:
    return FetcherKit(
        egress=egress,
        parse=parse,
        clock=system_clock,
        settings=config.sources,
        header_secrets=config.header_secrets,
        turns=HostTurns(database),
        x_reads=x_budget(config, database),
        timeout=config.fetch.timeout,
        max_bytes=config.fetch.max_bytes,
    )


def x_budget(config: Config, database: Database) -> MonthlyReads:
    """The monthly reads of the X API, shared by all collectors (S001-8)."""
    return MonthlyReads(store=ReadStore(database), api=X_API, limit=config.sources.x_monthly_reads)
