"""From what a person wrote to a source that can be stored: one way for all who add sources."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final, NoReturn
from urllib.parse import urlsplit

from clawfeed.domain.errors import EgressError, InvalidInputError, RefusalCode
from clawfeed.domain.ids import NOT_STORED, JsonValue
from clawfeed.domain.sources.source import LONGEST_SOURCE_NAME, Source
from clawfeed.domain.sources.source_faults import Lookalikes, absurdities
from clawfeed.domain.sources.type_facts import OWN_INTERVAL, TypeFacts
from clawfeed.egress.registrable_domain import site_of
from clawfeed.egress.url import parse
from clawfeed.sources.config.checks import quote
from clawfeed.sources.config.credentials import with_credentials_apart
from clawfeed.sources.documents.text_cleaning import clean_text
from clawfeed.sources.registry import Fetchers
from clawfeed.storage.sources.sources import NewSource, already_there

# Far beyond any honest config; what is odd but shorter is reported as a fault (S001-17).
LARGEST_CONFIG: Final = 65_536
EXAMPLE: Final = '{"url": "https://example.org/feed.xml"}'


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRequest:
    """A source as somebody asks for it. No *name*: it gets one from its config."""

    type: str
    config: Mapping[str, JsonValue] = field(default_factory=dict)
    name: str = ""
    is_public: bool = True


def prepare(fetchers: Fetchers, wanted: SourceRequest) -> NewSource:
    """*wanted* as it will be stored, its config checked by the fetcher of its type.

    Raises `InvalidInputError` for an unknown type and for a config that cannot work, or is absurd
    (S001-17), also of a type that nothing here can read (S001-8): that will be skipped, not failed.
    """
    facts = known_type(fetchers, wanted.type)
    fetcher = fetchers.get(facts.name)
    name, config = clean_text(wanted.name, LONGEST_SOURCE_NAME), plain_config(facts, wanted.config)
    problems = fetchers.problems(facts.name, config)
    problems = problems or [f"This source {text}." for text in absurdities(config)]
    if problems:
        raise InvalidInputError(" ".join(problems), RefusalCode.SOURCE_SETTINGS)
    return NewSource(
        type=facts.name,
        name=name or default_name(facts, config),
        is_auto_named=not name,
        config=config,
        host=politeness_key(fetcher.place(config)) if fetcher else "",
        # What belongs to one person is never public (S001-20).
        is_public=wanted.is_public and not facts.is_personal,
        param_key=_param_key(facts, config),
    )


def part_of(fetchers: Fetchers, source: Source, name: str) -> NewSource:
    """The source that follows *name* alone, one of the many in the config of *source* (S001-22)."""
    facts = fetchers.types.facts(source.type)
    kept = {key: value for key, value in source.config.items() if key == OWN_INTERVAL}
    config = {facts.main_key or "": name, **kept}
    new = prepare(
        fetchers, SourceRequest(type=source.type, config=config, is_public=source.is_public)
    )
    return replace(new, created_by=source.created_by)


def plain_config(facts: TypeFacts, config: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    """*config* in the one spelling that is stored: `r/python` as `python`, a password in its key.

    Two spellings of one thing would be two sources to the database (S001-17).
    """
    key = facts.main_key or ""
    if facts.is_addressed:
        return with_credentials_apart(config, key)
    name = config.get(key)
    if not facts.mark or not facts.mark.is_stored_bare or not isinstance(name, str):
        return config
    return {**config, key: facts.mark.bare(name)}


def refuse_repeated(new: NewSource, others: Lookalikes) -> None:
    """Raise `AlreadyExistsError` naming the one of *others* that *new* repeats (S001-17).

    The database refuses most of these itself; it cannot see a private one without an owner.
    """
    twin = others.same_as(to_candidate(new))
    if twin:
        raise already_there(twin.type, twin.id, twin.name)


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


def known_type(fetchers: Fetchers, written: str) -> TypeFacts:
    """The type meant by *written*, aliases resolved; `InvalidInputError` names those there are."""
    types = fetchers.types
    if written in types or fetchers.get(written):
        return types.facts(written)
    known = ", ".join(sorted({*fetchers, *(each.name for each in types)}))
    raise InvalidInputError(
        f"{quote(written)} is no source type; there are {known}", RefusalCode.SOURCE_TYPE
    )


def politeness_key(place: str) -> str:
    """The name under which egress keeps the manners at *place*, as in `Egress.cooldowns`."""
    try:
        return site_of(parse(place)) if place else ""
    except EgressError:
        return ""


def default_name(facts: TypeFacts, config: Mapping[str, JsonValue]) -> str:
    """A name people recognise it by, from its config alone; never a whole address."""
    value = config.get(facts.main_key or "")
    text = clean_text(value, LONGEST_SOURCE_NAME) if isinstance(value, str) else ""
    if facts.mark and text:
        return f"{facts.mark.prefix}{facts.mark.bare(text)}"
    if "://" in text:
        # Without its query: that is where tokens are.
        return _host(text) or facts.name
    return f"{facts.name} {text}".strip()


def read_config(text: str) -> dict[str, JsonValue]:
    """The JSON object in *text*, fit to be stored; `InvalidInputError` says what is wrong."""
    if len(text) > LARGEST_CONFIG:
        raise InvalidInputError(
            f"a config may have {LARGEST_CONFIG // 1024} KB at most", RefusalCode.SOURCE_SETTINGS
        )
    try:
        config = json.loads(text, parse_constant=_refuse, parse_float=_finite)
        json.dumps(config, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise InvalidInputError(
            "a config may not hold half a character (a surrogate)", RefusalCode.SOURCE_SETTINGS
        ) from None
    except (ValueError, RecursionError):
        raise InvalidInputError(
            f"a config must be valid JSON, like {EXAMPLE}", RefusalCode.SOURCE_SETTINGS
        ) from None
    if not isinstance(config, dict):
        raise InvalidInputError(
            "a config must be a JSON object, in braces", RefusalCode.SOURCE_SETTINGS
        )
    if "\\u0000" in json.dumps(config):
        raise InvalidInputError(
            "a config may not hold the character NUL", RefusalCode.SOURCE_SETTINGS
        )
    return config


def _param_key(facts: TypeFacts, config: Mapping[str, JsonValue]) -> str | None:
    """The name of a plug-in's state: its parameter, "" without one (S003-1); None for others."""
    return str(config.get(facts.main_key or "") or "") if facts.is_plugin else None


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise InvalidInputError(
            f"a config may not hold {text[:20]}: no number is that large",
            RefusalCode.SOURCE_SETTINGS,
        )
    return number


def _refuse(text: str) -> NoReturn:
    raise InvalidInputError(
        f"a config may not hold {text}: that is no number in JSON", RefusalCode.SOURCE_SETTINGS
    )


def _host(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""
