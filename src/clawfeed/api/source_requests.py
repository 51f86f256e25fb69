"""What people may send about sources, and how a masked config becomes whole again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from ada_url import URL
from pydantic import AfterValidator, ConfigDict, Field, StrictBool

from clawfeed.api.request_fields import Address, Input, Line
from clawfeed.domain.errors import InvalidInputError
from clawfeed.domain.ids import JsonValue
from clawfeed.domain.secret import MASK
from clawfeed.domain.source_secrets import mask_config
from clawfeed.sources.discovery.new_source import LARGEST_CONFIG, read_config
from clawfeed.storage.source_cadence import CadenceWish

# Deeper than any config, and shallow enough for every function that walks through one.
DEEPEST = 10
LARGEST_NUMBER = 2**63 - 1


def _fit(config: dict[str, Any]) -> dict[str, Any]:
    """*config* if it can be stored and shown by everything that will touch it."""
    waiting: list[tuple[object, int]] = [(config, 1)]
    count = 0
    while waiting:
        value, depth = waiting.pop()
        if depth > DEEPEST:
            raise ValueError(f"a config may be nested {DEEPEST} deep at most")
        if isinstance(value, int) and abs(value) > LARGEST_NUMBER:
            raise ValueError("a number in it is too large")
        inner = value.values() if isinstance(value, dict) else value
        if isinstance(value, dict | list):
            count += len(value)
            # It cannot be small enough with so many: nobody waits until all are looked at (T26).
            if count > LARGEST_CONFIG:
                raise ValueError(f"a config may have {LARGEST_CONFIG // 1024} KB at most")
            waiting += [(each, depth + 1) for each in inner]  # type: ignore[attr-defined] # of both
    try:
        return read_config(json.dumps(config))
    except InvalidInputError as error:
        raise ValueError(str(error)) from error


Config = Annotated[dict[str, Any], AfterValidator(_fit)]


class NewSourceInput(Input):
    """A source to follow. Without a name it gets one; it is yours alone unless you say public."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {"type": "rss", "config": {"url": "https://example.org/feed.xml"}}
        }
    )

    type: Line
    config: Config = Field(default_factory=dict)
    name: Line | None = None
    is_public: StrictBool = False


class SourceChange(Input):
    """What shall be different; the rest stays. A `***` in the config keeps what is stored."""

    model_config = ConfigDict(
        json_schema_extra={"example": {"name": "Example", "config": {"url": "https://example.org"}}}
    )

    name: Line | None = None
    config: Config | None = None
    is_public: StrictBool | None = None
    cadence: CadenceWish | None = None


class ResolveInput(Input):
    """An address, or an account like @example."""

    model_config = ConfigDict(json_schema_extra={"example": {"url": "https://example.org"}})

    url: Address


def unmasked(
    given: Mapping[str, JsonValue], stored: Mapping[str, JsonValue]
) -> dict[str, JsonValue]:
    """*given* with its masked values as they are *stored*.

    Raises `InvalidInputError` for a masked value that stands for nothing.
    """
    shown = mask_config(stored)
    return {
        key: _unmasked(value, shown.get(key), stored.get(key), key) for key, value in given.items()
    }


def insist_on_same_place(
    given: Mapping[str, JsonValue],
    stored: Mapping[str, JsonValue],
    *,
    is_same_host: bool,
) -> None:
    """Raise if a masked value in *given* would be sent elsewhere than it is *stored* for.

    Whoever gets hold of a session could else send the secrets it must not see to themselves.
    """
    kept = [key for key, value in given.items() if MASK in json.dumps(value)]
    if kept and not (is_same_host and set(_origins(given)) <= set(_origins(stored))):
        raise InvalidInputError(
            f"config.{kept[0]} holds {MASK}, and the address leads elsewhere now: "
            "give the whole value"
        )


def _origins(value: JsonValue | Mapping[str, JsonValue]) -> Iterator[str]:
    """Scheme, host and port of every address in a config, as it would be asked."""
    if isinstance(value, Mapping):
        for each in value.values():
            yield from _origins(each)
    elif isinstance(value, list):
        for each in value:
            yield from _origins(each)
    elif isinstance(value, str) and "://" in value:
        try:
            yield URL(value).origin
        except ValueError:
            yield value


def _unmasked(given: JsonValue, shown: JsonValue, stored: JsonValue, where: str) -> JsonValue:
    match given:
        case dict():
            masked, whole = (each if isinstance(each, dict) else {} for each in (shown, stored))
            return {
                key: _unmasked(value, masked.get(key), whole.get(key), f"{where}.{key}")
                for key, value in given.items()
            }
        case list():
            hidden, real = (each if isinstance(each, list) else [] for each in (shown, stored))
            return [
                _unmasked(value, _at(hidden, place), _at(real, place), f"{where}.{place}")
                for place, value in enumerate(given)
            ]
        case str() if MASK in given:
            if stored is not None and given in (MASK, shown):
                return stored
            raise InvalidInputError(f"config.{where} holds {MASK}: give the whole value")
    return given


def _at(values: list[JsonValue], place: int) -> JsonValue:
    return values[place] if place < len(values) else None
