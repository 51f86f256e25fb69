"""`last_error` of a source as a value: what the last failed poll came to (S001-9)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from clawfeed.domain.errors import Reason

_REASONS: Final[Mapping[str, Reason]] = {str(reason): reason for reason in Reason}


@dataclass(frozen=True, slots=True, kw_only=True)
class LastError:
    """`last_error` (S001-9). *reason* is None if another program wrote it."""

    message: str
    at: str = ""
    reason: Reason | None = None


def read_last_error(text: str | None) -> LastError | None:
    """The column as a value; None while there is none. What is no JSON object is a message."""
    if not text:
        return None
    try:
        error = json.loads(text)
    except (ValueError, RecursionError):
        error = None
    if not isinstance(error, dict):
        return LastError(message=text)
    return LastError(
        message=str(error.get("message") or ""),
        at=str(error.get("at") or ""),
        reason=_REASONS.get(str(error.get("reason"))),
    )
