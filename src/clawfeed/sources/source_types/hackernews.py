"""The type `hackernews`: the front page or the newest stories (S001-5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from clawfeed.domain.settings.value_kinds import WEB_ADDRESS
from clawfeed.sources.config.hackernews import DEFAULTS, KEYS
from clawfeed.sources.source_types.source_type import FetcherKit, Recognised, SourceType
from clawfeed.sources.type_settings import type_setting

if TYPE_CHECKING:
    from clawfeed.sources.fetchers.hackernews import HackerNews

BASE_URL: Final = type_setting(
    "HACKERNEWS_BASE_URL",
    WEB_ADDRESS,
    "https://hacker-news.firebaseio.com",
    "Where the Hacker News API lives.",
)


def _build(kit: FetcherKit) -> HackerNews:
    from clawfeed.egress.response_limits import DEFAULT_LIMITS
    from clawfeed.sources.fetchers.hackernews import HackerNews

    return HackerNews(
        **kit.common,
        base_url=kit.settings[BASE_URL],
        limits=kit.limits(DEFAULT_LIMITS),
    )


def _address(path: list[str], _query: Mapping[str, str]) -> Recognised | None:
    match path:
        case [] | ["news"] | ["best"]:
            return Recognised({"filter": "top"}, "Hacker News")
        case ["newest"]:
            return Recognised({"filter": "new"}, "Hacker News: newest")
    return None


HACKERNEWS: Final = SourceType(
    name="hackernews",
    minutes=60,
    is_hot_list=True,
    keys=KEYS,
    settings=(BASE_URL,),
    main_key="filter",
    defaults=DEFAULTS,
    documents={
        "hackernews_ids": "clawfeed.sources.documents.hackernews:parse_story_ids",
        "hackernews_story": "clawfeed.sources.documents.hackernews:parse_story",
    },
    addresses={"news.ycombinator.com": _address},
    probe={},
    build=_build,
)
TYPES: Final = (HACKERNEWS,)
