"""The web addresses people write into a source's config."""

from __future__ import annotations

from collections.abc import Mapping

from clawfeed.domain.errors import EgressError
from clawfeed.domain.ids import JsonValue
from clawfeed.egress.url import parse
from clawfeed.sources.config.checks import describe


def check_address(config: Mapping[str, JsonValue], key: str) -> list[str]:
    """What is wrong with the address at *key*, as one sentence that names it; [] if nothing."""
    value = config.get(key)
    if value is None or value == "":
        return [f"{key} is missing: it must be a web address, like https://example.com/feed.xml."]
    if not isinstance(value, str):
        return [f"{key} must be a web address, not {describe(value)}."]
    try:
        parse(value)
    except EgressError as error:
        return [f"{key} cannot be used: {error.detail}"]
    return []


def usable_address(config: Mapping[str, JsonValue], key: str) -> str:
    """The address at *key*, or "" if it is not one we could ask."""
    return "" if check_address(config, key) else str(config[key])
