"""The web addresses people write into a source's config."""

from __future__ import annotations

from collections.abc import Mapping

from clawfeed.domain.errors import EgressError, Reason, SourceError
from clawfeed.domain.ids import JsonValue
from clawfeed.egress.target import parse


def check_address(config: Mapping[str, JsonValue], key: str) -> list[str]:
    """What is wrong with the address at *key*, as one sentence that names it; [] if nothing."""
    value = config.get(key)
    if not isinstance(value, str) or not value.strip():
        return [f"{key}: a web address is needed, like https://example.com/feed.xml"]
    try:
        parse(value)
    except EgressError as error:
        return [f"{key}: {error.detail}"]
    return []


def address(config: Mapping[str, JsonValue], key: str) -> str:
    """The address at *key*; `SourceError(MISCONFIGURED)` if it cannot be used."""
    problems = check_address(config, key)
    if problems:
        raise SourceError(Reason.MISCONFIGURED, problems[0])
    return str(config[key]).strip()
