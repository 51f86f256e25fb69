"""Polls what is due, side by side, until told to stop."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import inf

from clawfeed.collector.offline_pace import OfflinePace
from clawfeed.collector.poll import OfflineError, PollResult
from clawfeed.collector.running_polls import RunningPolls
from clawfeed.domain.errors import LeaseLostError, StorageError
from clawfeed.domain.polling.offline_probing import LONGEST_PROBE, PUT_OFF
from clawfeed.storage.polling.host_queue import ClaimRequest
from clawfeed.storage.polling.poll_queue import Claim, PollQueue
from clawfeed.storage.polling.queue_overview import QueueOverview
from clawfeed.storage.timestamps import CLOCKS_DIFFER

log = logging.getLogger(__name__)

ANNOUNCE_EVERY = timedelta(seconds=1)
# What a single round waits for: longer than any queue's own pauses (`host_queue`), shorter than
# the cooldown of a host.
HOST_TURN_WAIT = timedelta(seconds=10)
# What a loop owes the next heartbeat in, besides its tick: all its slots may hold a whole lease.
SLACK = timedelta(minutes=1)
# A stop waits no longer for a database that is away.
STOP_GRACE = timedelta(seconds=2)
# After a single round nobody knows when the next is: hourly by somebody's cron, and a late one.
SINGLE_ROUND = timedelta(hours=2)


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectorPace:
    """How much at once, how often, how gently."""

    worker: str
    tick: timedelta = timedelta(seconds=60)
    slots: int = 5
    lease: timedelta = timedelta(seconds=180)
    per_host: int = 2
    host_spacing: timedelta = timedelta(milliseconds=250)


async def _nothing_to_heed(_overview: QueueOverview) -> int:
    return 0


class Collector:
    """Runs polls side by side. Knows nothing of HTTP, feeds or SQL.

    *heed* is told of the queue before each claim: other collectors share our hosts, and may die.
    It says how many claims it took back from the dead. *is_offline* tells of our own network.
    """

    name = "collect"

    def __init__(
        self,
        schedule: PollQueue,
        poll: Callable[[Claim], Awaitable[PollResult]],
        clock: Callable[[], datetime],
        pace: CollectorPace,
        on_result: Callable[[PollResult], None] = lambda _result: None,
        *,
        heed: Callable[[QueueOverview], Awaitable[int]] = _nothing_to_heed,
        is_offline: Callable[[], bool] = lambda: False,
    ) -> None:
        self._schedule, self._poll, self._clock, self._pace = schedule, poll, clock, pace
        self._on_result, self._heed = on_result, heed
        self._running = RunningPolls(slots=pace.slots)
        self._outage = OfflinePace(is_offline, clock)
        self._last_tick_at: datetime | None = None
        self._announced_at = -ANNOUNCE_EVERY.total_seconds()
        self._owes = pace.tick + pace.lease + SLACK

    def stop(self) -> None:
        """Claim nothing more; `run` returns once running polls are done."""
        self._running.bell.ask()

    async def run(self) -> None:
        """Tick until stopped. The first tick is immediate; ticks never overlap (S000-6, -7)."""
        try:
            async with asyncio.TaskGroup() as polls:
                while not self._running.bell.is_asked:
                    await self._tick(polls)
        finally:
            await self._give_back()
            await self._say_goodbye()

    async def _tick(self, polls: asyncio.TaskGroup) -> None:
        """Look, work and doze; while our network is down, wait for the next probe instead."""
        wait = self._outage.wait()
        if wait is not None:
            await self._running.landed_within(min(wait, self._pace.tick).total_seconds())
            return
        await self._notice_the_clock()
        if not self._outage.is_down:
            await self._look_at_the_queue()
        await self._work_until_idle(polls)
        if not self._outage.is_down:
            await self._doze(polls, self._pace.tick)

    async def run_once(self, patience: timedelta = HOST_TURN_WAIT) -> None:
        """Poll everything that is due now, then return.

        Whoever gets its turn within *patience* is waited for; a host that rests is not.
        """
        self._owes = SINGLE_ROUND
        try:
            async with asyncio.TaskGroup() as polls:
                await self._work_until_idle(polls)
                while not self._running.bell.is_asked:
                    turn_at = await self._next_turn(patience)
                    if not self._running and (turn_at is None or self._outage.is_down):
                        break
                    # Somebody who lands may have made another's turn come; that is asked again.
                    has_landed = await self._running.landed_within(self._seconds_to(turn_at))
                    if not has_landed or self._running.is_held_back:
                        await self._work_until_idle(polls)
        finally:
            await self._give_back()

    async def _next_turn(self, patience: timedelta) -> datetime | None:
        """When somebody who was due gets a turn; None if not within *patience*."""
        try:
            return await self._schedule.next_turn_at(self._clock(), within=patience)
        except StorageError:
            return None  # a single round does not wait for a database

    async def _work_until_idle(self, polls: asyncio.TaskGroup) -> None:
        """Fill free slots as long as the queue gives something."""
        while not self._running.bell.is_asked and await self._fill_slots(polls):
            if len(self._running) >= self._outage.slots(self._pace.slots):
                await self._running.bell.listen()

    async def _fill_slots(self, polls: asyncio.TaskGroup) -> bool:
        """Claim for every free slot; False when the queue had no more than it gave."""
        allowed = self._outage.slots(self._pace.slots)
        free = allowed - len(self._running)
        if free <= 0:
            return allowed > 0
        self._outage.note_probe()
        try:
            claims = await self._schedule.claim_due(self._order(free))
        except StorageError as error:
            log.error("could not claim sources; will try again", extra={"why": str(error)})  # noqa: TRY400 -- one sentence is enough
            return False
        for claim in claims:
            task = polls.create_task(self._guard(claim), name=f"poll source {claim.source.id}")
            self._running.add(task, claim)
        self._running.is_held_back = len(claims) < free and bool(self._running.full_kinds)
        return len(claims) == free

    def _order(self, limit: int) -> ClaimRequest:
        pace = self._pace
        return ClaimRequest(
            now=self._clock(),
            limit=limit,
            lease=pace.lease,
            worker=pace.worker,
            per_host=pace.per_host,
            spacing=pace.host_spacing,
            slots=pace.slots,
            held=self._running.held,
            # Between two probes nothing is written, for longer than any tick.
            owes=self._owes + (LONGEST_PROBE if self._outage.is_down else timedelta(0)),
        )

    async def _guard(self, claim: Claim) -> None:
        """Run one poll; no single source may bring the others down (S000-10)."""
        try:
            result = await self._poll(claim)
            self._running.note_date(result.decision.next_poll.at)
            self._on_result(result)
        except OfflineError:
            await self._put_off(claim)
        except LeaseLostError:
            log.info("another collector finished first", extra={"source": claim.source.id})
        except StorageError as error:
            why = {"source": claim.source.id, "why": str(error)}
            log.error("a poll could not be stored; its lease will lapse", extra=why)  # noqa: TRY400
        except Exception:
            log.exception("a poll crashed; its lease will lapse", extra={"source": claim.source.id})

    async def _put_off(self, claim: Claim) -> None:
        """Free a source that could not be asked; the next probe asks another. No line, no row."""
        with suppress(LeaseLostError, StorageError):
            await self._schedule.put_off(claim, now=self._clock(), wait=PUT_OFF)

    async def _notice_the_clock(self) -> None:
        """After a clock that went back, dates of the lost future must not freeze anybody (F15)."""
        now, before = self._clock(), self._last_tick_at
        self._last_tick_at = now
        if before is None or now > before - CLOCKS_DIFFER:
            return
        try:
            mended = await self._schedule.mend_dates(now=now)
        except StorageError as error:
            self._last_tick_at = before  # so that the next tick tries again
            log.warning("could not mend dates; will try again", extra={"why": str(error)})
            return
        log.warning("the clock went back; dates mended", extra={"count": mended})

    async def _look_at_the_queue(self) -> None:
        """What others left behind, and S000-8: one line with the count when something is due.

        At most one a second: while a host's places are taken, the loop asks again and again (T29).
        """
        now = asyncio.get_running_loop().time()
        if now - self._announced_at < ANNOUNCE_EVERY.total_seconds():
            return
        try:
            overview = await self._schedule.overview(self._clock())
            if await self._heed(overview):
                overview = await self._schedule.overview(self._clock())
        except StorageError:
            return  # the claim that follows says so
        if overview.due:
            self._announced_at = now
            log.info("sources due", extra={"count": overview.due})

    async def _doze(self, polls: asyncio.TaskGroup, longest: timedelta) -> None:
        """Until *longest* or the next date, whichever is first.

        Who lands may have made room for another of its kind.
        """
        loop = asyncio.get_running_loop()
        ends = loop.time() + longest.total_seconds()
        self._running.next_at = None
        with suppress(StorageError):
            self._running.note_date(await self._schedule.next_due_at(self._running.full_kinds))
        while not self._running.bell.is_asked and await self._running.landed_within(
            min(ends - loop.time(), self._seconds_to(self._running.next_at))
        ):
            if self._running.is_held_back:
                await self._work_until_idle(polls)

    def _seconds_to(self, at: datetime | None) -> float:
        # Never busy: a date in the past belongs to somebody we may not poll yet.
        return inf if at is None else max(0.05, (at - self._clock()).total_seconds())

    async def _give_back(self) -> None:
        """Release what was cut off, so that the next collector need not wait for the lease."""
        for claim in self._running.take_claims():
            with suppress(asyncio.CancelledError):
                await give_back(self._schedule, claim)

    async def _say_goodbye(self) -> None:
        """Who stops on purpose is not alive until its heartbeat lapses (S000-22)."""
        with suppress(StorageError, TimeoutError):
            async with asyncio.timeout(STOP_GRACE.total_seconds()):
                await self._schedule.take_back([self._pace.worker])


async def give_back(schedule: PollQueue, claim: Claim) -> None:
    """Release a claim that was cut off, even while we are cancelled ourselves.

    If that fails nobody is worse off: its lease will lapse.
    """
    with suppress(LeaseLostError, StorageError):
        await asyncio.shield(schedule.release(claim))
