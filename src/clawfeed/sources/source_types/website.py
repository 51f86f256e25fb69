"""The type `website`: a page, read through its feed if it offers one (S001-7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from clawfeed.sources.config.feed import KEYS
from clawfeed.sources.source_types.feed import build_feed
from clawfeed.sources.source_types.source_type import FetcherKit, SourceType

if TYPE_CHECKING:
    from clawfeed.sources.fetchers.website import Website


def _build(kit: FetcherKit) -> Website:
    from clawfeed.sources.fetchers.feed import FEED_LIMITS
    from clawfeed.sources.fetchers.website import Website

    return Website(**kit.common, feed=build_feed(kit), limits=kit.limits(FEED_LIMITS))


WEBSITE: Final = SourceType(
    name="website",
    minutes=240,
    is_page=True,
    keys=KEYS,
    main_key="url",
    is_addressed=True,
    build=_build,
)
TYPES: Final = (WEBSITE,)
