"""What an HTTP status says of a failure: one table for whatever we ask, read or send."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from clawfeed.domain.errors import Reason

# What these mean whoever is asked; for sources the first rule of all (settled question 8).
BY_STATUS: Final[Mapping[int, Reason]] = {
    401: Reason.AUTH_REQUIRED,
    403: Reason.REFUSED,
    404: Reason.GONE,
    408: Reason.TIMED_OUT,
    410: Reason.GONE,
    429: Reason.BUSY,
    451: Reason.REFUSED,
    503: Reason.BUSY,
}
# The contract gives these a meaning (S004-7): they are believed whoever reports them, and whatever
# reason comes with them. An API may well answer 404 to who has to log in.
DECISIVE_STATUSES: Final = frozenset({401, 403, 429})
# Said of what we send: they want money, or less of it. From a source these are nothing that S004-7
# names, and "too large" would be said of its document.
OF_WHAT_WE_SEND: Final[Mapping[int, Reason]] = {402: Reason.REFUSED, 413: Reason.TOO_LARGE}


def reason_of_status(
    status: int, *, otherwise: Reason, overrides: Mapping[int, Reason] | None = None
) -> Reason:
    """The family of an answer that is no success; *overrides* are the caller's own meanings.

    From 500 on the fault is theirs; *otherwise* is what any other refusal means to the caller.
    """
    table = {**BY_STATUS, **(overrides or {})}
    return table.get(status, Reason.BROKEN if status >= 500 else otherwise)
