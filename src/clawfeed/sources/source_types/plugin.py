"""A plug-in's collector as a source type like any other (S003-2)."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from clawfeed.domain.sources.type_facts import PLUGIN_KEY
from clawfeed.sources.source_types.source_type import FetcherKit, SourceType

if TYPE_CHECKING:
    from clawfeed.sources.plugins.fetcher import PluginFetcher
    from clawfeed.sources.plugins.loader import PluginCollector


def plugin_type(collector: PluginCollector) -> SourceType:
    """Its descriptor: its own interval, to the second if it says so, and its fetcher."""

    def build(kit: FetcherKit) -> PluginFetcher:
        from clawfeed.sources.plugins.fetcher import HTTP_LIMITS, PluginFetcher

        return PluginFetcher(collector, **kit.common, limits=kit.limits(HTTP_LIMITS))

    return SourceType(
        name=collector.name,
        minutes=_minutes(collector.interval),
        is_plugin=True,
        keys=(PLUGIN_KEY,),
        main_key=PLUGIN_KEY,
        build=build,
    )


def _minutes(interval: timedelta) -> float:
    """Whole ones as a whole number, as all other types have them."""
    minutes = interval.total_seconds() / 60
    return int(minutes) if minutes.is_integer() else minutes
