"""From what a person wrote to a source that can be stored: one way for all who add sources."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, NoReturn
from urllib.parse import urlsplit

from clawfeed.domain.errors import AlreadyExistsError, EgressError, InvalidInputError
from clawfeed.domain.ids import JsonValue, SourceId
from clawfeed.domain.interval import TYPE_ALIASES, TYPE_MINUTES, type_key
from clawfeed.domain.source import Source
from clawfeed.domain.source_faults import Lookalikes, plain_subreddit
from clawfeed.egress.registrable_domain import site_of
from clawfeed.egress.url import parse
from clawfeed.sources.config.checks import quote
from clawfeed.sources.documents.text import clean_text
from clawfeed.sources.registry import Fetchers
from clawfeed.storage.sources import NewSource

LONGEST_NAME: Final = 200
NOT_STORED: Final = SourceId(0)
# Far beyond any honest config; what is odd but shorter is reported as a fault (S001-17).
LARGEST_CONFIG: Final = 65_536
EXAMPLE: Final = '{"url": "https://example.org/feed.xml"}'
# What a plug-in's source is told apart by (S003-2).
PLUGIN_KEY: Final = "param"
MAIN_KEYS: Final[Mapping[str, str]] = {
    "rss": "url",
    "digest_feed": "url",
    "website": "url",
    "custom_api": "endpoint",
    "reddit": "subreddit",
    "hackernews": "filter",
    "github_trending": "language",
    "twitter_feed": "handle",
    "twitter_list": "list_id",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRequest:
    """A source as somebody asks for it. No *name*: it gets one from its config."""

    type: str
    config: Mapping[str, JsonValue] = field(default_factory=dict)
    name: str = ""
    is_public: bool = True


def prepare(fetchers: Fetchers, wanted: SourceRequest) -> NewSource:
    """*wanted* as it will be stored, its config checked by the fetcher of its type.

    Raises `InvalidInputError` for an unknown type and for a config that cannot work. A known type
    that nothing here can read (S001-8) passes unchecked: it will be skipped, not failed.
    """
    kind = known_type(fetchers, wanted.type)
    fetcher = fetchers.get(kind)
    problems = fetcher.check(wanted.config) if fetcher else []
    if problems:
        raise InvalidInputError(" ".join(problems))
    config = plain_config(kind, wanted.config)
    return NewSource(
        type=kind,
        name=clean_text(wanted.name, LONGEST_NAME) or default_name(kind, config),
        config=config,
        host=politeness_key(fetcher.place(config)) if fetcher else "",
        is_public=wanted.is_public,
        param_key=_param_key(kind, config),
    )


def plain_config(kind: str, config: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    """*config* in the one spelling that is stored: `r/python` as `python`.

    Two spellings of one thing would be two sources to the database (S001-17).
    """
    name = config.get("subreddit")
    if kind != "reddit" or not isinstance(name, str):
        return config
    return {**config, "subreddit": plain_subreddit(name)}


def refuse_repeated(new: NewSource, others: Lookalikes) -> None:
    """Raise `AlreadyExistsError` naming the one of *others* that *new* repeats (S001-17).

    The database refuses most of these itself; it cannot see a private one without an owner.
    """
    twin = others.same_as(to_candidate(new))
    if twin:
        raise AlreadyExistsError(
            f"{twin.type} source {twin.id} ({twin.name}) is the same thing already"
        )


def to_candidate(new: NewSource) -> Source:
    """*new* as a source that is not stored yet, for the rules that compare sources."""
    return Source(
        id=NOT_STORED,
        type=new.type,
        name=new.name,
        config=new.config,
        is_public=new.is_public,
        created_by=new.created_by,
    )


def known_type(fetchers: Fetchers, written: str) -> str:
    """The type meant by *written*, aliases resolved; `InvalidInputError` names those there are."""
    if fetchers.get(written):
        return TYPE_ALIASES.get(written, written)
    if type_key(written) in TYPE_MINUTES:
        return type_key(written)
    known = ", ".join(sorted({*fetchers, *TYPE_MINUTES}))
    raise InvalidInputError(f"{quote(written)} is no source type; there are {known}")


def politeness_key(place: str) -> str:
    """The name under which egress keeps the manners at *place*, as in `Egress.cooldowns`."""
    try:
        return site_of(parse(place)) if place else ""
    except EgressError:
        return ""


def main_key(source_type: str) -> str | None:
    """The key of a type's config that one word or address can stand for; None if there is none."""
    return MAIN_KEYS.get(source_type) if source_type in TYPE_MINUTES else PLUGIN_KEY


def default_name(source_type: str, config: Mapping[str, JsonValue]) -> str:
    """A name people recognise it by, from its config alone; never a whole address."""
    value = config.get(main_key(source_type) or "")
    text = clean_text(value, LONGEST_NAME) if isinstance(value, str) else ""
    match source_type:
        case "twitter_feed" if text:
            return f"@{text.removeprefix('@')}"
        case "reddit" if text:
            return f"r/{plain_subreddit(text)}"
    if "://" in text:
        # Without its query: that is where tokens are.
        return _host(text) or source_type
    return f"{source_type} {text}".strip()


def read_config(text: str) -> dict[str, JsonValue]:
    """The JSON object in *text*, fit to be stored; `InvalidInputError` says what is wrong."""
    if len(text) > LARGEST_CONFIG:
        raise InvalidInputError(f"a config may have {LARGEST_CONFIG // 1024} KB at most")
    try:
        config = json.loads(text, parse_constant=_refuse, parse_float=_finite)
        json.dumps(config, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise InvalidInputError("a config may not hold half a character (a surrogate)") from None
    except (ValueError, RecursionError):
        raise InvalidInputError(f"a config must be valid JSON, like {EXAMPLE}") from None
    if not isinstance(config, dict):
        raise InvalidInputError("a config must be a JSON object, in braces")
    if "\\u0000" in json.dumps(config):
        raise InvalidInputError("a config may not hold the character NUL")
    return config


def _param_key(kind: str, config: Mapping[str, JsonValue]) -> str | None:
    """The name of a plug-in's state: its parameter, "" without one (S003-1); None for others."""
    return None if kind in TYPE_MINUTES else str(config.get(PLUGIN_KEY) or "")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise InvalidInputError(f"a config may not hold {text[:20]}: no number is that large")
    return number


def _refuse(text: str) -> NoReturn:
    raise InvalidInputError(f"a config may not hold {text}: that is no number in JSON")


def _host(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""
