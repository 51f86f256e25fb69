"""The types `rss` and `digest_feed`: a feed at an address (S001-5)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from clawfeed.sources.config.feed import KEYS
from clawfeed.sources.source_types.source_type import FetcherKit, SourceType

if TYPE_CHECKING:
    from clawfeed.sources.fetchers.feed import Feed


def build_feed(kit: FetcherKit) -> Feed:
    from clawfeed.sources.fetchers.feed import FEED_LIMITS, Feed

    return Feed(**kit.common, limits=kit.limits(FEED_LIMITS))


RSS: Final = SourceType(
    name="rss",
    minutes=240,
    is_feed=True,
    keys=KEYS,
    main_key="url",
    is_addressed=True,
    build=build_feed,
)
DIGEST_FEED: Final = SourceType(
    name="digest_feed",
    minutes=240,
    is_feed=True,
    keys=KEYS,
    main_key="url",
    is_addressed=True,
    build=build_feed,
)
TYPES: Final = (RSS, DIGEST_FEED)
