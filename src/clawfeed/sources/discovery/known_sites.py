"""Addresses that we can read better than as a web page: which type and config they stand for."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

from clawfeed.domain.errors import EgressError
from clawfeed.domain.ids import JsonValue
from clawfeed.egress.url import parse

_HANDLE = re.compile(r"@?([A-Za-z0-9_]{1,15})")
_SUBREDDIT = re.compile(r"[A-Za-z0-9][A-Za-z0-9_]{1,20}")
_LANGUAGE = re.compile(r"[A-Za-z0-9.+#' *()-]{1,50}")
_SPOKEN = re.compile(r"[A-Za-z]{2}")
# First parts of X's paths that are no account.
_NOT_ACCOUNTS: Final = frozenset(
    {
        "compose", "download", "explore", "hashtag", "home", "i", "intent", "jobs", "login",
        "logout", "messages", "notifications", "privacy", "search", "settings", "share", "signup",
        "tos"
    }
)  # fmt: skip


# What to say of a text that begins with "@" and is none.
NO_HANDLE: Final = 'a handle on X is "@" and 1 to 15 of the characters A-Z, a-z, 0-9 and _'


class KnownSite(NamedTuple):
    """A source type with its config, and a name for people."""

    type: str
    config: dict[str, JsonValue]
    title: str


def known_place(url: str) -> KnownSite | None:
    """What *url* stands for if its host is one we know by heart; asks nobody."""
    try:
        target = parse(url)
    except EgressError:
        return None
    host = re.sub(r"\A(?:www|old|new|m|mobile)\.", "", target.host)
    reader = _HOSTS.get(host)
    if reader is None:
        return None
    parts = urlsplit(target.href)
    query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    return reader([part for part in parts.path.split("/") if part], query)


def _reddit(path: list[str], _query: Mapping[str, str]) -> KnownSite | None:
    if len(path) < 2 or path[0] != "r" or not _SUBREDDIT.fullmatch(path[1]):
        return None
    sort = path[2] if len(path) > 2 and path[2] in {"hot", "new", "top", "rising"} else "hot"
    return KnownSite("reddit", {"subreddit": path[1], "sort": sort}, f"r/{path[1]}")


def _hacker_news(path: list[str], _query: Mapping[str, str]) -> KnownSite | None:
    match path:
        case [] | ["news"] | ["best"]:
            return KnownSite("hackernews", {"filter": "top"}, "Hacker News")
        case ["newest"]:
            return KnownSite("hackernews", {"filter": "new"}, "Hacker News: newest")
    return None


def _github(path: list[str], query: Mapping[str, str]) -> KnownSite | None:
    language = unquote(path[1]) if len(path) == 2 else ""
    if path[:1] != ["trending"] or len(path) > 2 or language == "developers":
        return None
    if language and not _LANGUAGE.fullmatch(language):
        return None
    since, spoken = query.get("since", "daily"), query.get("spoken_language_code", "")
    config: dict[str, JsonValue] = {
        "since": since if since in {"daily", "weekly", "monthly"} else "daily"
    }
    if language:
        config["language"] = language
    if _SPOKEN.fullmatch(spoken):
        config["spoken_language"] = spoken
    return KnownSite("github_trending", config, f"GitHub Trending {language}".strip())


def _x(path: list[str], _query: Mapping[str, str]) -> KnownSite | None:
    match path:
        case ["home"]:
            return KnownSite("twitter_foryou", {}, "X: For You")
        case ["i", "bookmarks"]:
            return KnownSite("twitter_bookmarks", {}, "X: bookmarks")
        case ["i", "lists", number] if number.isdecimal():
            return KnownSite("twitter_list", {"list_id": number}, f"X list {number}")
        case [_, "lists", *_]:  # of an account; which list it is only X can tell
            return None
        case [name, *_] if name.lower() not in _NOT_ACCOUNTS:
            return x_account(name)
    return None


def x_account(handle: str) -> KnownSite | None:
    """The account *handle*, with or without "@", is; None if that is no handle."""
    found = _HANDLE.fullmatch(handle)
    name = f"@{found[1]}" if found else ""
    return KnownSite("twitter_feed", {"handle": name}, name) if found else None


_HOSTS: Final[dict[str, Callable[[list[str], Mapping[str, str]], KnownSite | None]]] = {
    "reddit.com": _reddit,
    "news.ycombinator.com": _hacker_news,
    "github.com": _github,
    "x.com": _x,
    "twitter.com": _x,
}
