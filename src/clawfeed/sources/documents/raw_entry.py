"""An entry as a parser found it: in feedparser's vocabulary, whichever parser was needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple


class RawEntry(NamedTuple):
    """An entry in two helpings: nine of ten are known by their *name*, and never asked for more.

    *name* has `id` and `link`, *rest* reads all else. No value was cleaned.
    """

    name: Mapping[str, Any]
    rest: Callable[[], Mapping[str, Any]]


def whole_entry(raw: Mapping[str, Any]) -> RawEntry:
    """An entry that was read in one go."""
    return RawEntry(raw, lambda: raw)
