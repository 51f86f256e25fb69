"""The operator's settings for X: its API, an application there, bridges, and what may be read."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import urlsplit

from clawfeed.domain.settings.setting import Setting
from clawfeed.domain.settings.value_kinds import (
    SECRET,
    TEXT,
    WEB_ADDRESS,
    ValueKind,
    list_of,
    parts_of,
    require,
    whole,
)
from clawfeed.sources.type_settings import type_setting

# What a bridge's address may leave open; only the first three say what is wanted of it.
WANTED_NAMES: Final = ("handle", "list_id", "query")
_BRIDGE_NAMES: Final = (*WANTED_NAMES, "type")


def _bridge(text: str) -> str:
    # No user or password: egress refuses them in any address.
    require(re.fullmatch(r"https?://[^\s/?#@]+(/\S*)?", text))
    # Without one of them it would serve no source, and nobody would be told.
    require(any(f"{{{name}}}" in text for name in _BRIDGE_NAMES))
    return text


def _hosts(text: str) -> str:
    """An access key may be part of an address."""
    return ", ".join(urlsplit(each).netloc for each in parts_of(text))


_BRIDGES = list_of(
    ValueKind(
        "an http:// or https:// address without user and password that holds "
        "{handle}, {list_id}, {query} or {type}",
        _bridge,
    ),
    show=_hosts,
)

X_API_BASE_URL: Final = type_setting(
    "X_API_BASE_URL", WEB_ADDRESS, "https://api.x.com", "Where the X API lives."
)
X_BEARER_TOKEN: Final = type_setting(
    "X_BEARER_TOKEN", SECRET, None, "The app token of the X API: accounts, lists and searches."
)
X_USER_TOKEN: Final = type_setting(
    "X_USER_TOKEN", SECRET, None, "A user token of the X API: bookmarks, favourites, For You."
)
X_CLIENT_ID: Final = type_setting(
    "X_CLIENT_ID",
    TEXT,
    None,
    "The client id of an X application: people may let ClawFeed read their own X.",
)
X_CLIENT_SECRET: Final = type_setting(
    "X_CLIENT_SECRET",
    SECRET,
    None,
    "The secret of that application; none if it is a public client.",
)
X_AUTHORIZE_URL: Final = type_setting(
    "X_AUTHORIZE_URL",
    WEB_ADDRESS,
    "https://x.com/i/oauth2/authorize",
    "Where people let us in at X.",
)
X_BRIDGES: Final = type_setting(
    "X_BRIDGES",
    _BRIDGES,
    "",
    "Comma-separated URL templates of bridges (RSSHub, RSS-Bridge, Nitter), in order.",
)
X_MONTHLY_READS: Final = type_setting(
    "X_MONTHLY_READS",
    whole(0, 1_000_000_000),
    "10000",
    "Posts that may be read from the X API in a month; 0 means none.",
)
X_SETTINGS: Final[tuple[Setting[object], ...]] = (
    X_API_BASE_URL,
    X_BEARER_TOKEN,
    X_USER_TOKEN,
    X_CLIENT_ID,
    X_CLIENT_SECRET,
    X_AUTHORIZE_URL,
    X_BRIDGES,
    X_MONTHLY_READS,
)
