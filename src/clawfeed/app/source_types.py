"""The table of source types: one line each, one place to read it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypedDict

from clawfeed.app.clock import system_clock, system_dice
from clawfeed.app.config import Config, SourcesConfig
from clawfeed.app.plugin_sources import installed_plugins
from clawfeed.egress.client import Egress, EgressConfig
from clawfeed.egress.limits import DEFAULT_LIMITS, Limits
from clawfeed.egress.politeness import Manners
from clawfeed.sources.discovery.resolve import Discoverer
from clawfeed.sources.fetchers import custom_api, feed, github_trending, reddit
from clawfeed.sources.fetchers.hackernews import HackerNews
from clawfeed.sources.fetchers.website import Website
from clawfeed.sources.parsing.pool import ParseConfig, ParsePool
from clawfeed.sources.plugins.fetcher import PluginFetcher
from clawfeed.sources.registry import Fetchers
from clawfeed.sources.x.api import X_LIMITS
from clawfeed.sources.x.fetcher import TwitterConfig, register_twitter
from clawfeed.storage.api_reads import X_API, MonthlyReads, ReadStore
from clawfeed.storage.database import Database
from clawfeed.storage.host_turns import HostTurns


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceTools:
    """All it takes to read sources."""

    fetchers: Fetchers
    egress: Egress
    parse: ParsePool
    discoverer: Discoverer


@asynccontextmanager
async def opened_sources(config: Config, database: Database) -> AsyncIterator[SourceTools]:
    """Open the door out and the parsers, and fill the table of types."""
    async with (
        Egress(egress_config(config), clock=system_clock, dice=system_dice) as egress,
        ParsePool(ParseConfig(workers=config.fetch.parse_workers)) as parse,
    ):
        hands = _Hands(egress=egress, parse=parse, clock=system_clock)
        yield SourceTools(
            fetchers=_fill(config, database, hands),
            egress=egress,
            parse=parse,
            discoverer=Discoverer(**hands),
        )


def egress_config(config: Config) -> EgressConfig:
    return EgressConfig(
        allow=",".join(config.egress.allow),
        manners=Manners(at_once=config.fetch.host_concurrency, spacing=config.fetch.host_spacing),
    )


class _Hands(TypedDict):
    """What every fetcher is handed."""

    egress: Egress
    parse: ParsePool
    clock: Callable[[], datetime]


def _limits(config: Config, own: Limits = DEFAULT_LIMITS) -> Limits:
    """The operator's limits; a type's own cap may be larger (S001-12)."""
    fetch = config.fetch
    return replace(own, total=fetch.timeout, body=max(own.body, fetch.max_bytes))


def _fill(config: Config, database: Database, hands: _Hands) -> Fetchers:
    """Registration is a table one can read, not a side effect of importing."""
    settings = config.sources
    feeds = feed.Feed(**hands, limits=_limits(config, feed.FEED_LIMITS))
    fetchers = Fetchers()
    fetchers.add("rss", feeds)
    fetchers.add("digest_feed", feeds)
    fetchers.add("website", Website(**hands, feed=feeds, limits=_limits(config, feed.FEED_LIMITS)))
    fetchers.add(
        "hackernews",
        HackerNews(**hands, base_url=settings.hackernews_base_url, limits=_limits(config)),
    )
    fetchers.add("reddit", _reddit(config, database, hands))
    fetchers.add(
        "github_trending",
        github_trending.GithubTrending(
            **hands,
            base_url=settings.github_trending_base_url,
            limits=_limits(config, github_trending.LIMITS),
        ),
    )
    fetchers.add(
        "custom_api",
        custom_api.CustomApi(
            **hands, environ=config.header_secrets, limits=_limits(config, custom_api.LIMITS)
        ),
    )
    register_twitter(
        fetchers,
        **hands,
        settings=twitter_config(settings),
        budget=x_budget(config, database),
        limits=_limits(config, X_LIMITS),
    )
    for plugin in installed_plugins(settings.plugins_dir):
        fetchers.add(plugin.name, PluginFetcher(plugin, **hands))
    return fetchers


def _reddit(config: Config, database: Database, hands: _Hands) -> reddit.Reddit:
    settings = config.sources
    return reddit.Reddit(
        **hands,
        base_url=settings.reddit_base_url,
        client_id=settings.reddit_client_id,
        client_secret=settings.reddit_client_secret,
        turns=HostTurns(database),
        limits=_limits(config, reddit.LIMITS),
    )


def x_budget(config: Config, database: Database) -> MonthlyReads:
    """The monthly reads of the X API, shared by all collectors (S001-8)."""
    return MonthlyReads(store=ReadStore(database), api=X_API, limit=config.sources.x_monthly_reads)


def twitter_config(settings: SourcesConfig) -> TwitterConfig:
    """X's back ends, and what each is given."""
    return TwitterConfig(
        api_base_url=settings.x_api_base_url,
        bearer_token=settings.x_bearer_token,
        user_token=settings.x_user_token,
        bridges=settings.x_bridges,
    )
