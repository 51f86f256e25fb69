"""The moment a person means by `since`: parsed, never compared as text (settled question 10)."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from clawfeed.domain.errors import InvalidInputError

_EPOCH = re.compile(r"-?[0-9]{1,12}(\.[0-9]{1,9})?")


def parse_since(text: str) -> datetime:
    """ISO 8601 with an offset or `Z`, a date alone, or seconds since 1970; else it is UTC."""
    try:
        return _moment(text.strip())
    except (ValueError, OverflowError):
        raise InvalidInputError(
            "since is not a moment we can read: write it like 2026-11-15T12:00:00Z, 2026-11-15, "
            "or as seconds since 1970"
        ) from None


def _moment(text: str) -> datetime:
    if _EPOCH.fullmatch(text):
        return datetime.fromtimestamp(float(text), UTC)
    if "T" in text:
        # A plus sign that was not escaped arrives as a space.
        text = text.replace(" ", "+")
    found = datetime.fromisoformat(text)
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
