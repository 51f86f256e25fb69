"""Is it them, or is it us? Decides when our own network is down (SPEC, settled 2).

A pure state machine: the caller brings the time and what happened.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import datetime, timedelta

# Three strangers do not lose their network at once; we do.
HOSTS_NEEDED = 3
# Wide enough for a household that polls a few sources an hour.
FAILURE_WINDOW = timedelta(hours=1)


class NetworkWatch:
    """Watches failures that look like our own (no route, no DNS); any answer clears them.

    Only hosts out on the internet are reported here: loopback and allowed hosts prove nothing.
    """

    def __init__(self, has_route: Callable[[], bool]) -> None:
        self._has_route = has_route
        self._failed_at: dict[str, datetime] = {}
        self._was_online = False
        self._offline = False
        self._without_route_at = -math.inf

    @property
    def is_offline(self) -> bool:
        return self._offline

    def answered(self) -> None:
        """Something out there spoke to us, be it only to refuse."""
        self._was_online = True
        if self._failed_at:
            self._failed_at.clear()
        self._offline = False

    def lost(self, host: str, now: datetime) -> bool:
        """A host could not be reached for a reason that may be ours; True if it is ours.

        Ours means: we were online and now have no route at all, or the last `HOSTS_NEEDED`
        different hosts within `FAILURE_WINDOW` were all lost, with no answer from anyone since.
        """
        self._failed_at.pop(host, None)
        self._failed_at[host] = now
        # The dictionary is in order of time, so the oldest come first.
        for oldest in list(self._failed_at):
            if (
                self._failed_at[oldest] > now - FAILURE_WINDOW
                and len(self._failed_at) <= HOSTS_NEEDED
            ):
                break
            del self._failed_at[oldest]
        if len(self._failed_at) >= HOSTS_NEEDED or self._is_cut_off():
            self._offline = True
        return self._offline

    def note_route(self, moment: float) -> None:
        """Note if there is no route right now; called about once a second while somebody waits."""
        if self._is_cut_off():
            self._without_route_at = moment

    def was_cut_off(self, *, since: float) -> bool:
        """Whether we were online, and had no route at all at some moment since then.

        Then a host that fell silent in the middle of its answer is not to blame (F8): what was lost
        meanwhile is sent again only seconds after the route is back.
        """
        if self._is_cut_off():
            self._offline = True
            return True
        return self._without_route_at >= since

    def _is_cut_off(self) -> bool:
        return self._was_online and not self._has_route()
