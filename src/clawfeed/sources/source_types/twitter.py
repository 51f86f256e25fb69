"""The types of Twitter/X (S001-8): an account, a list, a search, and what belongs to the reader."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Final, TypedDict, Unpack

from clawfeed.domain.ids import JsonValue
from clawfeed.domain.schedule.read_budget import FEWEST_POSTS
from clawfeed.domain.settings.setting import SettingValues
from clawfeed.domain.sources.type_facts import NameMark, SeveralNames
from clawfeed.sources.source_types.source_type import (
    Absent,
    AddressReader,
    FetcherKit,
    Recognised,
    Shorthand,
    SourceType,
)
from clawfeed.sources.x.config import HANDLE, check_config, keys_of, several_handles
from clawfeed.sources.x.endpoints import By, Endpoint
from clawfeed.sources.x.settings import (
    X_API_BASE_URL,
    X_BEARER_TOKEN,
    X_BRIDGES,
    X_CLIENT_ID,
    X_MONTHLY_READS,
    X_SETTINGS,
    X_USER_TOKEN,
)

if TYPE_CHECKING:
    from clawfeed.sources.x.fetcher import Twitter, TwitterConfig

_HANDLE = re.compile(f"@?({HANDLE})")
# The look-behind leaves mail addresses alone.
_IN_TEXT = re.compile(rf"(?<![\w.@/])@({HANDLE})\b")
# First parts of X's paths that are no account.
_NOT_ACCOUNTS: Final = frozenset(
    {
        "compose", "download", "explore", "hashtag", "home", "i", "intent", "jobs", "login",
        "logout", "messages", "notifications", "privacy", "search", "settings", "share", "signup",
        "tos"
    }
)  # fmt: skip
_HOSTS: Final = ("x.com", "twitter.com")


class _Facts(TypedDict, total=False):
    """What the types differ in."""

    aliases: tuple[str, ...]
    minutes: int
    caseless: frozenset[str]
    mark: NameMark
    several: Callable[[Mapping[str, JsonValue]], SeveralNames]
    addresses: Mapping[str, AddressReader]
    shorthand: Shorthand
    probe: Mapping[str, JsonValue]


def _build(endpoint: Endpoint, kit: FetcherKit) -> Twitter | Absent:
    from clawfeed.sources.x.api import X_LIMITS
    from clawfeed.sources.x.fetcher import Twitter, what_is_missing
    from clawfeed.storage.spending.api_reads import X_API

    settings = twitter_config(kit.settings)
    if not settings.serves(endpoint):
        return Absent(why=what_is_missing(endpoint))
    return Twitter(
        endpoint,
        **kit.common,
        settings=settings,
        budget=kit.paid_reads(X_API, kit.settings[X_MONTHLY_READS]),
        limits=kit.limits(X_LIMITS),
        personal=kit.personal_tokens.get(X_API),
    )


def twitter_config(settings: SettingValues) -> TwitterConfig:
    """X's back ends, and what each is given."""
    from clawfeed.sources.x.fetcher import TwitterConfig

    return TwitterConfig(
        api_base_url=settings[X_API_BASE_URL],
        bearer_token=settings.get(X_BEARER_TOKEN),
        user_token=settings.get(X_USER_TOKEN),
        client_id=settings.get(X_CLIENT_ID),
        bridges=settings[X_BRIDGES],
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class XSourceType(SourceType):
    """A descriptor with what only X's readers ask for."""

    endpoint: Endpoint


def _x_type(
    name: str,
    by: By,
    path: str,
    *,
    takes_since_id: bool,
    fewest: int = FEWEST_POSTS,
    reach: timedelta | None = None,
    **facts: Unpack[_Facts],
) -> XSourceType:
    """One of the types: all change all day, and are checked and built alike."""
    endpoint = Endpoint(
        name=name,
        by=by,
        path=path,
        takes_since_id=takes_since_id,
        bridged_as=name.removeprefix("twitter_"),
        fewest=fewest,
        reach=reach,
    )
    return XSourceType(
        name=name,
        is_hot_list=True,
        is_personal=endpoint.is_personal,
        keys=keys_of(by),
        settings=X_SETTINGS,
        main_key=None if endpoint.is_personal else by.value,
        check=partial(check_config, by),
        build=partial(_build, endpoint),
        endpoint=endpoint,
        **facts,
    )


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


def _search_address(path: list[str], query: Mapping[str, str]) -> Recognised | None:
    match path:
        case ["search"] if query.get("q", "").strip():
            wanted = query["q"].strip()
        case ["hashtag", tag]:
            wanted = f"#{tag}"
        case _:
            return None
    return Recognised({"query": wanted}, f"X: {wanted}")


ACCOUNT: Final = _x_type(
    "twitter_feed",
    By.HANDLE,
    "users/{id}/tweets",
    takes_since_id=True,
    aliases=("twitter_account",),
    minutes=30,
    caseless=frozenset({"handle"}),
    mark=NameMark(prefix="@", in_text=_IN_TEXT, bare=_bare, is_stored_bare=True),
    several=several_handles,
    addresses=dict.fromkeys(_HOSTS, _account_address),
    shorthand=Shorthand(
        prefix="@",
        read=_account,
        expected='a handle on X is "@" and 1 to 15 of the characters A-Z, a-z, 0-9 and _',
    ),
    probe={"handle": "anyone"},
)
LIST: Final = _x_type(
    "twitter_list",
    By.LIST,
    "lists/{id}/tweets",
    takes_since_id=False,
    minutes=30,
    addresses=dict.fromkeys(_HOSTS, _list_address),
    probe={"list_id": "1"},
)
SEARCH: Final = _x_type(
    "twitter_search",
    By.QUERY,
    "tweets/search/recent",
    takes_since_id=True,
    fewest=10,
    # Of the last seven days; an hour less, for a clock may be wrong and a page takes its time.
    reach=timedelta(days=7) - timedelta(hours=1),
    minutes=30,
    addresses=dict.fromkeys(_HOSTS, _search_address),
    probe={"query": "anything"},
)
# The API does not offer the ranked "For You"; this is the same timeline in order of time.
TIMELINE: Final = _x_type(
    "twitter_foryou",
    By.OWNER,
    "users/{id}/timelines/reverse_chronological",
    takes_since_id=True,
    minutes=30,
    addresses=dict.fromkeys(_HOSTS, _timeline_address),
    probe={},
)
BOOKMARKS: Final = _x_type(
    "twitter_bookmarks",
    By.OWNER,
    "users/{id}/bookmarks",
    takes_since_id=False,
    minutes=60,
    addresses=dict.fromkeys(_HOSTS, _bookmarks_address),
    probe={},
)
LIKES: Final = _x_type(
    "twitter_favorites",
    By.OWNER,
    "users/{id}/liked_tweets",
    takes_since_id=False,
    minutes=60,
    probe={},
)
TYPES: Final = (ACCOUNT, LIST, SEARCH, TIMELINE, BOOKMARKS, LIKES)
ENDPOINTS: Final = tuple(each.endpoint for each in TYPES)
