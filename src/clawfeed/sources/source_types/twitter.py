"""The types of Twitter/X (S001-8): an account, a list, and what belongs to the reader."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Final

from clawfeed.domain.source_type import NameMark
from clawfeed.sources.source_types.descriptor import (
    Absent,
    FetcherKit,
    Recognised,
    Shorthand,
    SourceSettings,
    SourceType,
)

if TYPE_CHECKING:
    from clawfeed.sources.x.fetcher import Twitter, TwitterConfig

_HANDLE = re.compile(r"@?([A-Za-z0-9_]{1,15})")
# The look-behind leaves mail addresses alone.
_IN_TEXT = re.compile(r"(?<![\w.@/])@([A-Za-z0-9_]{1,15})\b")
# First parts of X's paths that are no account.
_NOT_ACCOUNTS: Final = frozenset(
    {
        "compose", "download", "explore", "hashtag", "home", "i", "intent", "jobs", "login",
        "logout", "messages", "notifications", "privacy", "search", "settings", "share", "signup",
        "tos"
    }
)  # fmt: skip
_HOSTS: Final = ("x.com", "twitter.com")


def _build(name: str, kit: FetcherKit) -> Twitter | Absent:
    from clawfeed.sources.x.api import X_LIMITS
    from clawfeed.sources.x.fetcher import Twitter, what_is_missing

    settings = twitter_config(kit.settings)
    if not settings.serves(name):
        return Absent(why=what_is_missing(name))
    return Twitter(
        name, **kit.common, settings=settings, budget=kit.x_reads, limits=kit.limits(X_LIMITS)
    )


def twitter_config(settings: SourceSettings) -> TwitterConfig:
    """X's back ends, and what each is given."""
    from clawfeed.sources.x.fetcher import TwitterConfig

    return TwitterConfig(
        api_base_url=settings.x_api_base_url,
        bearer_token=settings.x_bearer_token,
        user_token=settings.x_user_token,
        bridges=settings.x_bridges,
    )


def _builder(name: str) -> Callable[[FetcherKit], Twitter | Absent]:
    return partial(_build, name)


def _bare(handle: str) -> str:
    return handle.strip().removeprefix("@")


def _account(handle: str) -> Recognised | None:
    found = _HANDLE.fullmatch(handle)
    name = f"@{found[1]}" if found else ""
    return Recognised({"handle": name}, name) if found else None


def _account_address(path: list[str], _query: Mapping[str, str]) -> Recognised | None:
    match path:
        case [_, "lists", *_]:  # of an account; which list it is only X can tell
            return None
        case [name, *_] if name.lower() not in _NOT_ACCOUNTS:
            return _account(name)
    return None


def _list_address(path: list[str], _query: Mapping[str, str]) -> Recognised | None:
    match path:
        case ["i", "lists", number] if number.isdecimal():
            return Recognised({"list_id": number}, f"X list {number}")
    return None


def _timeline_address(path: list[str], _query: Mapping[str, str]) -> Recognised | None:
    return Recognised({}, "X: For You") if path == ["home"] else None


def _bookmarks_address(path: list[str], _query: Mapping[str, str]) -> Recognised | None:
    return Recognised({}, "X: bookmarks") if path == ["i", "bookmarks"] else None


ACCOUNT: Final = SourceType(
    name="twitter_feed",
    aliases=("twitter_account",),
    minutes=30,
    is_hot_list=True,
    main_key="handle",
    caseless=frozenset({"handle"}),
    mark=NameMark(prefix="@", in_text=_IN_TEXT, bare=_bare),
    addresses=dict.fromkeys(_HOSTS, _account_address),
    shorthand=Shorthand(
        prefix="@",
        read=_account,
        expected='a handle on X is "@" and 1 to 15 of the characters A-Z, a-z, 0-9 and _',
    ),
    probe={"handle": "anyone"},
    build=_builder("twitter_feed"),
)
LIST: Final = SourceType(
    name="twitter_list",
    minutes=30,
    is_hot_list=True,
    main_key="list_id",
    addresses=dict.fromkeys(_HOSTS, _list_address),
    probe={"list_id": "1"},
    build=_builder("twitter_list"),
)
TIMELINE: Final = SourceType(
    name="twitter_foryou",
    minutes=30,
    is_hot_list=True,
    addresses=dict.fromkeys(_HOSTS, _timeline_address),
    probe={},
    build=_builder("twitter_foryou"),
)
BOOKMARKS: Final = SourceType(
    name="twitter_bookmarks",
    minutes=60,
    is_hot_list=True,
    addresses=dict.fromkeys(_HOSTS, _bookmarks_address),
    probe={},
    build=_builder("twitter_bookmarks"),
)
LIKES: Final = SourceType(
    name="twitter_favorites",
    minutes=60,
    is_hot_list=True,
    probe={},
    build=_builder("twitter_favorites"),
)
TYPES: Final = (ACCOUNT, LIST, TIMELINE, BOOKMARKS, LIKES)
