"""What a `github_trending` source may be set to: one rule for its address and for its fetcher."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from clawfeed.domain.ids import JsonValue

KEYS: Final = ("language", "since", "spoken_language")
SPANS: Final = ("daily", "weekly", "monthly")
LANGUAGE: Final = re.compile(r"[A-Za-z0-9+#.' *()/-]{1,50}")
SPOKEN_LANGUAGE: Final = re.compile(r"[A-Za-z]{2}")
DEFAULTS: Final[Mapping[str, JsonValue]] = {
    "language": "", "since": SPANS[0], "spoken_language": ""
}  # fmt: skip
