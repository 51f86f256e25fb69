"""A plug-in's collector as a source type like any other (S003-2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clawfeed.domain.source_type import PLUGIN_KEY
from clawfeed.sources.source_types.descriptor import FetcherKit, SourceType

if TYPE_CHECKING:
    from clawfeed.sources.plugins.fetcher import PluginFetcher
    from clawfeed.sources.plugins.loader import PluginCollector


def plugin_type(collector: PluginCollector) -> SourceType:
    """Its descriptor: its own interval, in whole minutes rounded up, and its fetcher."""

    def build(kit: FetcherKit) -> PluginFetcher:
        from clawfeed.sources.plugins.fetcher import HTTP_LIMITS, PluginFetcher

        return PluginFetcher(collector, **kit.common, limits=kit.limits(HTTP_LIMITS))

    return SourceType(
        name=collector.name,
        minutes=-(-int(collector.interval.total_seconds()) // 60),
        is_plugin=True,
        main_key=PLUGIN_KEY,
        build=build,
    )
