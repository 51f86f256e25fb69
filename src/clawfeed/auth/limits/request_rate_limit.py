"""How many requests each caller may make: a bucket per person, in this process's memory."""

from __future__ import annotations

from datetime import datetime, timedelta

from clawfeed.domain.ids import UserId
from clawfeed.domain.people.login_throttle import NO_WAIT

MINUTE = timedelta(minutes=1)


class RequestRate:
    """A minute's worth at once, then evenly; *per_minute* 0 means no limit.

    In memory: a limit against floods needs no precision, and must not cost a write per request.
    """

    def __init__(self, per_minute: int) -> None:
        self._gap = MINUTE / per_minute if per_minute else NO_WAIT
        # Until when each one's past requests fill the bucket.
        self._full_until: dict[UserId, datetime] = {}

    def take(self, user_id: UserId, now: datetime) -> timedelta:
        """Count a request and return zero; or count nothing, and how long to wait."""
        if not self._gap:
            return NO_WAIT
        full_until = max(self._full_until.get(user_id, now), now) + self._gap
        if full_until - now > MINUTE:
            return full_until - now - MINUTE
        self._full_until[user_id] = full_until
        return NO_WAIT
