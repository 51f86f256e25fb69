"""What an address or a word stands for, without asking anybody: a type with its config."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

from clawfeed.domain.errors import EgressError, InvalidInputError, RefusalCode
from clawfeed.domain.ids import JsonValue
from clawfeed.egress.url import parse
from clawfeed.sources.source_types.source_type import SourceTypes


class KnownSite(NamedTuple):
    """A source type with its config, and a name for people."""

    type: str
    config: dict[str, JsonValue]
    title: str


def recognise(types: SourceTypes, text: str) -> KnownSite | None:
    """What *text* stands for: a word such as "@openai", or an address at a host we know by heart.

    Raises `InvalidInputError` with what would be right for a word that only looks like one.
    """
    for described in types:
        shorthand = described.shorthand
        if shorthand and text.startswith(shorthand.prefix):
            found = shorthand.read(text)
            if found is None:
                raise InvalidInputError(shorthand.expected, RefusalCode.SOURCE_NAME)
            return KnownSite(described.name, *found)
    return known_place(types, text)


def known_place(types: SourceTypes, address: str) -> KnownSite | None:
    """What *address* stands for, to the first of *types* that knows its host; https if unsaid."""
    try:
        target = parse(address if "://" in address else f"https://{address}")
    except EgressError:
        return None
    host = re.sub(r"\A(?:www|old|new|m|mobile)\.", "", target.host)
    parts = urlsplit(target.href)
    path = [part for part in parts.path.split("/") if part]
    query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    for described in types:
        reader = described.addresses.get(host)
        found = reader(path, query) if reader else None
        if found:
            return KnownSite(described.name, *found)
    return None
