"""Moments as programs read them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal, overload


@overload
def iso(at: datetime, *, to: Literal["seconds", "milliseconds"] = ...) -> str: ...
@overload
def iso(at: datetime | None, *, to: Literal["seconds", "milliseconds"] = ...) -> str | None: ...
def iso(at: datetime | None, *, to: Literal["seconds", "milliseconds"] = "seconds") -> str | None:
    """ISO 8601 in UTC with `Z`, to the second; None for no moment."""
    if at is None:
        return None
    return at.astimezone(UTC).isoformat(timespec=to).replace("+00:00", "Z")
