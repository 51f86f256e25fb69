"""What a `reddit` source may be set to: one rule for its address and for its fetcher."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from clawfeed.domain.ids import JsonValue

KEYS: Final = ("limit", "sort", "subreddit")
SORTS: Final = ("hot", "new", "top", "rising")
MOST_POSTS: Final = 100
NAME: Final = r"[A-Za-z0-9_]{2,21}"
SUBREDDIT: Final = re.compile(rf"/?(?:r/)?({NAME})/?")
DEFAULTS: Final[Mapping[str, JsonValue]] = {"sort": SORTS[0], "limit": 25}
