"""Triggers editions, as long as the service runs (S002-1)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from typing import Protocol

from clawfeed.digest.driver.driver import StepReport
from clawfeed.digest.driver.trigger_log import DaysTask, log_nothing
from clawfeed.domain.errors import StorageError
from clawfeed.runtime.stop import RepeatedWorker

log = logging.getLogger(__name__)

# How often it looks whether an edition is wanted earlier than was known, by a reader or by a house
# that has none yet: an indexed read or two. Somebody may sit there and wait.
LOOK_EVERY = timedelta(seconds=10)
# What a running trigger gets after a stop; the service's own patience is 30 s. Each step is one
# transaction, so what is cut short goes on where it stood.
STOP_PATIENCE = timedelta(seconds=20)


class Triggers(Protocol):
    """What there is to do about editions."""

    async def trigger(self) -> Sequence[StepReport]:
        """Bring on every edition whose time has come, and tell what was done."""
        ...

    async def next_due(self) -> datetime | None:
        """When the next reader's edition is to be made."""
        ...

    async def first_due(self) -> datetime | None:
        """From when on the house's first edition can be made; None once it is there."""
        ...

    async def make_first(self) -> Sequence[StepReport]:
        """Make the house's first edition, to its end."""
        ...


class TriggerRound:
    """One trigger: its log lines, and its heartbeat in the database that somebody triggers.

    An exception is logged with its stack; whatever was not stored is done by the next one
    (S002-15).
    """

    def __init__(
        self,
        triggers: Triggers,
        clock: Callable[[], datetime],
        sign: Callable[[datetime], Awaitable[None]],
        today: Callable[[datetime], Awaitable[DaysTask]],
    ) -> None:
        self._triggers, self._clock, self._sign, self._today = triggers, clock, sign, today

    async def __call__(self) -> Sequence[StepReport] | None:
        """What was done; None if it failed."""
        at = self._clock()
        try:
            reports = await self._triggers.trigger()
            if not reports:
                log_nothing(await self._today(at), at=at)
            await self._sign(at)
        except Exception:
            failed = {"at": at.isoformat()}
            log.exception("edition trigger failed; the next one tries again", extra=failed)
            return None
        return reports


class EditionWorker(RepeatedWorker):
    """Triggers at the start, every *every*, and at the moment a reader's edition is due.

    One trigger ends before the next begins; other processes are kept apart by claims.
    """

    name = "editions"

    def __init__(
        self,
        triggers: Triggers,
        trigger_round: Callable[[], Awaitable[object]],
        clock: Callable[[], datetime],
        every: timedelta,
        *,
        patience: timedelta = STOP_PATIENCE,
    ) -> None:
        super().__init__()
        self._triggers, self._round, self._clock = triggers, trigger_round, clock
        self._every, self._patience = every, patience
        self._last: datetime | None = None
        self._first_tried: datetime | None = None
        self._due: datetime | None = None

    async def look(self) -> timedelta:
        """Trigger if it is time to; answers when to look again."""
        await self._first_edition()
        self._due = await self._next_due()
        if self._is_time(self._clock()):
            self._last = self._clock()
            await self._to_end(self._round)
            if self._stop.is_asked:
                return timedelta(0)
            self._due = await self._next_due()
        return self._pause(self._clock())

    async def _first_edition(self) -> None:
        """As soon as there is enough for it; if it fails, not more often than any other."""
        due = await self._seen(self._triggers.first_due())
        now, tried = self._clock(), self._first_tried
        is_early = tried is not None and tried <= now < tried + self._every
        if due is not None and due <= now and not is_early:
            self._first_tried = now
            await self._to_end(self._make_first)

    async def _make_first(self) -> None:
        try:
            await self._triggers.make_first()
        except Exception:
            log.exception("first edition failed; the next trigger tries again")

    def _is_time(self, now: datetime) -> bool:
        """Also when the clock went back behind the last trigger (F15)."""
        if self._stop.is_asked:
            return False
        if self._last is None or not self._last <= now < self._last + self._every:
            return True
        # What was due at the last trigger and still is: somebody else makes it, or it failed.
        return self._due is not None and self._last < self._due <= now

    def _pause(self, now: datetime) -> timedelta:
        moments = [self._last + self._every] if self._last else []
        if self._due is not None and self._due > now:
            moments.append(self._due)
        left = min((moment - now for moment in moments), default=LOOK_EVERY)
        return min(max(left, timedelta(0)), LOOK_EVERY)

    async def _to_end(self, work: Callable[[], Awaitable[object]]) -> None:
        """Run it to the end; after a stop, for as long as patience lasts."""

        def cut_short() -> None:
            running.cancel()
            log.warning("edition trigger cut short; the next one goes on where it stood")

        running = asyncio.ensure_future(work())
        await self._stop.see_out(running, patience=self._patience, cut_short=cut_short)
        await asyncio.wait({running})
        if not running.cancelled():
            running.result()

    async def _next_due(self) -> datetime | None:
        return await self._seen(self._triggers.next_due())

    async def _seen(self, looking: Awaitable[datetime | None]) -> datetime | None:
        try:
            return await looking
        except StorageError as error:
            log.warning("cannot see which editions are due", extra={"why": str(error)})
            return None
