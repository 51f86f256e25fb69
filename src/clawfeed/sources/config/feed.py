"""What a source that is read as a feed or as a page may be set to."""

from __future__ import annotations

from typing import Final

from clawfeed.domain.sources.source_secrets import CREDENTIALS

KEYS: Final = ("url", *CREDENTIALS)
