"""How a config that somebody got masked becomes whole again, and what it may not become."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from ada_url import URL

from clawfeed.domain.errors import InvalidInputError, RefusalCode
from clawfeed.domain.ids import JsonValue
from clawfeed.domain.secret import MASK
from clawfeed.domain.sources.source_secrets import mask_config


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


def require_same_place(
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
            "give the whole value",
            RefusalCode.MASKED_SECRET,
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
            raise InvalidInputError(
                f"config.{where} holds {MASK}: give the whole value", RefusalCode.MASKED_SECRET
            )
    return given


def _at(values: list[JsonValue], place: int) -> JsonValue:
    return values[place] if place < len(values) else None
