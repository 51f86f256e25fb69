"""What it takes to read sources, opened: the door out, the parsers, a fetcher for each type."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial

from clawfeed.app.clock import system_clock, system_dice
from clawfeed.app.settings.config import Config
from clawfeed.app.settings.plugin_sources import source_types
from clawfeed.app.wiring.full_text import FullTextOnDemand
from clawfeed.app.wiring.x import x_tokens_of
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
from clawfeed.sources.x.personal_tokens import XTokens
from clawfeed.storage.database import Database
from clawfeed.storage.polling.host_turns import HostTurns
from clawfeed.storage.source_changes.source_repairs import SourceRepairs
from clawfeed.storage.spending.api_reads import X_API, MonthlyReads, ReadStore


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
        x_tokens_of(config, database, egress) as x_tokens,
        FullTextOnDemand(egress, article_pool) as full_text,
    ):
        kit = _kit(config, database, egress, parse, x_tokens)
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


def egress_config(config: Config) -> EgressConfig:
    return EgressConfig(
        allow=",".join(config.egress.allow),
        manners=Manners(at_once=config.fetch.host_concurrency, spacing=config.fetch.host_spacing),
    )


def _kit(
    config: Config, database: Database, egress: Egress, parse: ParsePool, x_tokens: XTokens
) -> FetcherKit:
    store = ReadStore(database)
    return FetcherKit(
        egress=egress,
        parse=parse,
        clock=system_clock,
        settings=config.type_settings,
        header_secrets=config.header_secrets,
        turns=HostTurns(database),
        paid_reads=lambda api, limit: MonthlyReads(store=store, api=api, limit=limit),
        personal_tokens={X_API: x_tokens},
        timeout=config.fetch.timeout,
        max_bytes=config.fetch.max_bytes,
    )
