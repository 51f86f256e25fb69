"""What a `hackernews` source may be set to, and what it is without a word."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from clawfeed.domain.ids import JsonValue

KEYS: Final = ("filter", "limit", "min_score")
FILTERS: Final = ("top", "new")
MOST_STORIES: Final = 100
HIGHEST_SCORE: Final = 100_000
DEFAULTS: Final[Mapping[str, JsonValue]] = {"filter": FILTERS[0], "min_score": 0, "limit": 30}
