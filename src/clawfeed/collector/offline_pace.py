"""How much is polled while our own network is down, and who is told: one line, once."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, timedelta

from clawfeed.domain.polling.offline_probing import probe_wait, slots_after

log = logging.getLogger(__name__)


class OfflinePace:
    """All slots while we are online; while we are not, one source now and then.

    Meanwhile nothing is claimed, written or logged. *is_offline* is what the last request told.
    """

    def __init__(self, is_offline: Callable[[], bool], clock: Callable[[], datetime]) -> None:
        self._is_offline, self._clock = is_offline, clock
        self._began_at: datetime | None = None
        self._back_at: datetime | None = None
        self._probes = 0
        self._probe_at: datetime | None = None

    @property
    def is_down(self) -> bool:
        """Whether our network is down; tells of it, and of its return, when it is noticed."""
        is_down = self._is_offline()
        if is_down and self._began_at is None:
            self._begin()
        elif not is_down and self._began_at is not None:
            self._end(self._began_at)
        return is_down

    def slots(self, slots: int) -> int:
        """How many of the *slots* may be in use now."""
        if self.is_down:
            return 0 if self.wait() else 1
        if self._back_at is None:
            return slots
        allowed = slots_after(slots, self._clock() - self._back_at)
        if allowed >= slots:
            self._back_at = None
        return allowed

    def wait(self) -> timedelta | None:
        """How long nobody is to be asked; None while we are online, and when a probe is due."""
        if not self.is_down or self._probe_at is None:
            return None
        # Never longer than planned: a clock that went back must not keep us offline.
        wait = min(self._probe_at - self._clock(), probe_wait(self._probes))
        return wait if wait > timedelta(0) else None

    def note_probe(self) -> None:
        """One source is being asked."""
        if self.is_down:
            self._probes += 1
            self._probe_at = self._clock() + probe_wait(self._probes)

    def _begin(self) -> None:
        self._began_at, self._probes = self._clock(), 0
        self._probe_at = self._began_at + probe_wait(0)
        log.warning("our own network is down; one source is tried now and then")

    def _end(self, began_at: datetime) -> None:
        now = self._clock()
        self._began_at, self._back_at = None, now
        seconds = round((now - began_at).total_seconds())
        log.warning("our own network is back", extra={"down_seconds": seconds})
