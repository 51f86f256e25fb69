"""The type `github_trending`: GitHub's list of repositories that rise (S001-5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from clawfeed.domain.ids import JsonValue
from clawfeed.domain.settings.value_kinds import WEB_ADDRESS
from clawfeed.sources.config.github_trending import (
    DEFAULTS,
    KEYS,
    LANGUAGE,
    SPANS,
    SPOKEN_LANGUAGE,
)
from clawfeed.sources.source_types.source_type import FetcherKit, Recognised, SourceType
from clawfeed.sources.type_settings import type_setting

if TYPE_CHECKING:
    from clawfeed.sources.fetchers.github_trending import GithubTrending

BASE_URL: Final = type_setting(
    "GITHUB_TRENDING_BASE_URL", WEB_ADDRESS, "https://github.com", "Where the trending page lives."
)


def _build(kit: FetcherKit) -> GithubTrending:
    from clawfeed.sources.fetchers.github_trending import LIMITS, GithubTrending

    return GithubTrending(**kit.common, base_url=kit.settings[BASE_URL], limits=kit.limits(LIMITS))


def _address(path: list[str], query: Mapping[str, str]) -> Recognised | None:
    language = unquote(path[1]) if len(path) == 2 else ""
    if path[:1] != ["trending"] or len(path) > 2 or language == "developers":
        return None
    if language and not LANGUAGE.fullmatch(language):
        return None
    since, spoken = query.get("since", ""), query.get("spoken_language_code", "")
    config: dict[str, JsonValue] = {"since": since if since in SPANS else DEFAULTS["since"]}
    if language:
        config["language"] = language
    if SPOKEN_LANGUAGE.fullmatch(spoken):
        config["spoken_language"] = spoken
    return Recognised(config, f"GitHub Trending {language}".strip())


GITHUB_TRENDING: Final = SourceType(
    name="github_trending",
    minutes=240,
    is_hot_list=True,
    keys=KEYS,
    settings=(BASE_URL,),
    main_key="language",
    defaults=DEFAULTS,
    caseless=frozenset({"language"}),
    documents={"github_trending": "clawfeed.sources.documents.github_trending:parse_trending"},
    addresses={"github.com": _address},
    probe={},
    build=_build,
)
TYPES: Final = (GITHUB_TRENDING,)
