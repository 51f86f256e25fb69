"""JSON as strangers write it, and single values out of it, whatever their type."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

import orjson

from clawfeed.sources.documents.errors import UnreadableError
from clawfeed.sources.documents.text_cleaning import (
    charset_of,
    clamp_date,
    decode,
    without_controls,
)

# What JavaScript, and so every JSON reader, holds exactly.
LARGEST_NUMBER: Final = 2**53
_EPOCH = re.compile(r"-?\d{9,16}(?:\.\d{1,9})?")
_COUNT = re.compile(r"-?\d{1,15}")
LONGEST_DATE: Final = 64
# Seconds reach this in the year 5138, milliseconds reached it in 1973.
FIRST_MILLISECONDS: Final = 1e11
FIRST_MICROSECONDS: Final = 1e14


def read_json(body: bytes, content_type: str = "") -> Any:  # noqa: ANN401 - JSON
    """The value in *body*, or `UnreadableError`; nothing else is raised, whatever the bytes.

    Texts in it may hold lone surrogates: take them out with `text_of`.
    """
    if not body.strip():
        raise UnreadableError("the answer is empty")
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return _read_leniently(decode(body, (charset_of(content_type),)))


def _read_leniently(text: str) -> Any:  # noqa: ANN401 - JSON
    """What orjson refuses and real servers send: half an emoji, NaN, another encoding, a BOM."""
    try:
        return json.loads(text)
    except RecursionError:
        raise UnreadableError("the JSON is nested too deeply") from None
    except ValueError:
        raise UnreadableError("the answer is not JSON") from None


def text_of(value: object) -> str:
    """A text without controls and lone surrogates, which UTF-8 and databases refuse."""
    return without_controls(value) if isinstance(value, str) else ""


def list_of(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def object_of(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def count_of(value: object) -> int | None:
    """A whole number, also one written as text or as 12.0; None for anything else."""
    if isinstance(value, str) and _COUNT.fullmatch(value):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    # Also for infinity, for NaN, which compares false, and for more digits than a float can hold.
    return int(value) if abs(value) <= LARGEST_NUMBER else None


def moment_of(value: object, now: datetime) -> datetime | None:
    """A date in ISO 8601, RFC 2822 or as an epoch in s, ms or µs; judged by `clamp_date`."""
    if isinstance(value, str):
        text = value.strip()[:LONGEST_DATE]
        moment = _from_epoch(float(text)) if _EPOCH.fullmatch(text) else _from_text(text)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        moment = _from_epoch(value)
    else:
        return None
    return clamp_date(moment, now)


def _from_epoch(number: float) -> datetime | None:
    try:
        if abs(number) >= FIRST_MICROSECONDS:
            number /= 1e6
        elif abs(number) >= FIRST_MILLISECONDS:
            number /= 1e3
        return datetime.fromtimestamp(number, UTC)
    except (OverflowError, ValueError, OSError):
        return None


def _from_text(text: str) -> datetime | None:
    for read in (datetime.fromisoformat, parsedate_to_datetime):
        try:
            return read(text)
        except (ValueError, TypeError, IndexError, OverflowError):
            continue
    return None
