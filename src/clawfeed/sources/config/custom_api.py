"""What a `custom_api` source may be set to, and the variables that its headers may name."""

from __future__ import annotations

from typing import Final

from clawfeed.domain.sources.source_secrets import CREDENTIALS

KEYS: Final = ("endpoint", "fields", "headers", "items_path", "method", *CREDENTIALS)
# Operators name these themselves: CUSTOM_API_ACME=secret, CUSTOM_API_ACME_HOST=where it may go.
HEADER_SECRETS: Final = "CUSTOM_API_"
HEADER_SECRET_HOST: Final = "_HOST"  # noqa: S105 -- the ending of a name
