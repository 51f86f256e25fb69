"""What only somebody may do who proved who they are just now."""

from __future__ import annotations

from datetime import datetime

from clawfeed.domain.errors import NotAllowedError, SignInAgainError
from clawfeed.domain.people.users import Caller


def require_freshness(caller: Caller, now: datetime) -> None:
    """Raise unless their sign-in is fresh: a forgotten browser gives no keys away."""
    if caller.is_fresh(now):
        return
    if caller.key:  # it cannot sign in, so it is not told to
        raise NotAllowedError("a key may do this only if its scope is admin")
    raise SignInAgainError("sign in again: this needs a sign-in of the last ten minutes")
