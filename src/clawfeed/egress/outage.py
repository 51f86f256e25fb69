"""Is it them, or is it us? Decides when our own network is down (SPEC, settled 2).

A pure state machine: the caller brings the time and what happened. "No route", "no DNS" and "a
black hole" (everything times out) are one state: offline.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import datetime, timedelta
from enum import Enum, auto

# Three strangers do not lose their network at once; we do.
HOSTS_NEEDED = 3
# Silence is a weaker witness than "no route": slow hosts are silent, too.
SILENT_HOSTS_NEEDED = 5
# Wide enough for a household that polls a few sources an hour.
FAILURE_WINDOW = timedelta(hours=1)


class FailureOrigin(Enum):
    """Whose fault a failure is."""

    OURS = auto()
    DOUBTFUL = auto()  # nobody has answered since; the next try will tell
    THEIRS = auto()


class NetworkWatch:
    """Watches failures that may be our own (no route, no DNS, silence); any answer clears them.

    Only hosts out on the internet are reported here: loopback and allowed hosts prove nothing.
    """

    def __init__(self, has_route: Callable[[], bool]) -> None:
        self._has_route = has_route
        self._failed_at: dict[str, datetime] = {}
        self._silent: set[str] = set()
        self._offline = False
        self._answered_at = -math.inf
        self._without_route_at = -math.inf

    @property
    def is_offline(self) -> bool:
        return self._offline

    def answered(self, moment: float) -> None:
        """Something out there spoke to us, be it only to refuse."""
        self._answered_at = moment
        self._forget()
        self._offline = False

    def lost(
        self, host: str, now: datetime, *, since: float, is_silent: bool = False
    ) -> FailureOrigin:
        """A host could not be reached for a reason that may be ours; *since*: when we began to try.

        Ours: there is no route at all, or so many different hosts within `FAILURE_WINDOW` were
        all lost, with no answer from anyone in between. Theirs: somebody else answered while we
        tried, or it failed twice while hardly anybody else was asked.
        """
        if self._is_cut_off(since):
            self._offline = True
        if self._offline:
            return FailureOrigin.OURS
        if self._answered_at >= since:
            return FailureOrigin.THEIRS
        is_again = self._note(host, now, is_silent=is_silent)
        if self._are_many():
            self._offline = True
            return FailureOrigin.OURS
        return FailureOrigin.THEIRS if is_again else FailureOrigin.DOUBTFUL

    def note_route(self, moment: float) -> None:
        """Note if there is no route right now; called about once a second while somebody waits."""
        if not self._has_route():
            self._without_route_at = moment

    def _note(self, host: str, now: datetime, *, is_silent: bool) -> bool:
        """Remember the loss of *host*; whether it was lost before, within the window."""
        for old in [each for each, at in self._failed_at.items() if at <= now - FAILURE_WINDOW]:
            del self._failed_at[old]
        is_again = host in self._failed_at
        self._failed_at[host] = now
        (self._silent.add if is_silent else self._silent.discard)(host)
        return is_again

    def _are_many(self) -> bool:
        silent = len(self._silent & self._failed_at.keys())
        return (
            len(self._failed_at) - silent >= HOSTS_NEEDED
            or len(self._failed_at) >= SILENT_HOSTS_NEEDED
        )

    def _forget(self) -> None:
        if self._failed_at:
            self._failed_at.clear()
            self._silent.clear()

    def _is_cut_off(self, since: float) -> bool:
        """Whether we have no route, or had none at some moment since we began to try (F8).

        What was lost meanwhile is sent again only seconds after the route is back.
        """
        return self._without_route_at >= since or not self._has_route()
