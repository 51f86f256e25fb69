"""JSON objects as texts in columns: a source's config and cursor, an item's metadata."""

from __future__ import annotations

import json
from collections.abc import Mapping

import orjson

from clawfeed.domain.ids import JsonValue


def read_object(text: str | None) -> dict[str, JsonValue]:
    """The JSON object in *text*; empty if it is damaged, so that only its own row fails."""
    try:
        value = json.loads(text or "")
    except (TypeError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def write_object(value: Mapping[str, JsonValue]) -> str:
    """JSON that nobody compares as text: ten times faster than `to_json`, at 24 texts a poll."""
    try:
        return orjson.dumps(value).decode()
    except TypeError:  # a number beyond 64 bits, half a character: rare, and Python's can
        return to_json(value)


def to_json(value: Mapping[str, JsonValue]) -> str:
    """One spelling per value, so that equal configs are equal texts."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
