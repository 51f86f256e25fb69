"""Empties the outbox, as long as the service runs: claims what is due and sends it side by side."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from clawfeed.domain.errors import StorageError
from clawfeed.domain.ids import TaskId
from clawfeed.publish.channel_type import ChannelTypes
from clawfeed.publish.message_sending import LEASE, MessageSending, about
from clawfeed.runtime.stop import Bell
from clawfeed.storage.dead_workers import IsDead, take_back_if_dead
from clawfeed.storage.leases import Holder
from clawfeed.storage.outbox.outbox import (
    OUTBOX,
    AbandonedMessage,
    ClaimedMessage,
    KindManners,
    Outbox,
)
from clawfeed.storage.outbox.outbox_results import OutboxResults

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryPace:
    """*slots* messages at a time: a place that hangs holds its own, of all the others some."""

    slots: int = 16
    tick: timedelta = timedelta(seconds=1)  # one statement of indexed reads
    finish_every: timedelta = timedelta(seconds=5)
    after_failure: timedelta = timedelta(seconds=5)
    # `drain` ends when nothing comes within this, and anyway after so long.
    drained_for: timedelta = timedelta(seconds=3)
    drained_within: timedelta = timedelta(minutes=1)
    # What running messages get after a stop; the service's own patience is 30 s.
    patience: timedelta = timedelta(seconds=20)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryParts:
    """What the worker needs of others. *publish* takes a task whose messages are all settled on.

    *is_dead* knows whether a worker of this machine is gone: what it held is freed at once.
    """

    outbox: Outbox
    results: OutboxResults
    send: MessageSending
    types: ChannelTypes
    publish: Callable[[TaskId], Awaitable[object]]
    clock: Callable[[], datetime]
    is_dead: IsDead
    worker: str


class DeliveryWorker:
    """Safe to run in many processes; knows nothing of any service's protocol."""

    name = "deliveries"

    def __init__(self, parts: DeliveryParts, pace: DeliveryPace | None = None) -> None:
        self._parts, self._pace = parts, pace or DeliveryPace()
        self._holder = Holder(worker=parts.worker, lease=LEASE)
        self._kinds = manners_of(parts.types)
        self._running: set[asyncio.Task[None]] = set()
        self._bell = Bell()
        self._idle_for = timedelta(0)  # until the next message's turn, or the next place's
        # Whether nothing was under way at the last look, nor claimed by it: what ends may make the
        # next part due, however soon it ends.
        self._is_still = False
        self._finish_at = 0.0  # when to look next for editions whose messages are settled

    def stop(self) -> None:
        """Claim nothing more; `run` returns once what is under way has settled."""
        self._bell.ask()

    async def run(self) -> None:
        while not self._bell.is_asked:
            await self._bell.listen(await self._round())
        await self._end()

    async def drain(self) -> None:
        """Send what is due, and what becomes due by that; then return. For who runs no loop."""
        ends_at = asyncio.get_running_loop().time() + self._pace.drained_within.total_seconds()
        while not self._bell.is_asked and asyncio.get_running_loop().time() < ends_at:
            wait = await self._round()
            if self._is_still and self._idle_for > self._pace.drained_for:
                break
            await self._bell.listen(wait)
        await self._end()
        await self._publish_finished()

    async def _round(self) -> timedelta:
        """One look at the queue; how long until the next."""
        try:
            wait = await self._fill_slots()
            if asyncio.get_running_loop().time() >= self._finish_at:
                await self._publish_finished()
        except StorageError as error:
            log.warning("deliveries wait for the database", extra={"why": str(error)})
            return self._pace.after_failure
        return wait

    async def _fill_slots(self) -> timedelta:
        parts, now = self._parts, self._parts.clock()
        was_still, self._is_still = not self._running, False
        look = await parts.outbox.look(now=now)
        freed = await take_back_if_dead(
            look.holders, parts.is_dead, parts.outbox.take_back, noun=OUTBOX.noun
        )
        free = self._pace.slots - len(self._running)
        if free > 0 and (look.is_work or freed):
            await self._claim(free, now)
        self._is_still = was_still and not self._running
        self._idle_for = timedelta.max if look.next_at is None else look.next_at - now
        return min(self._pace.tick, max(self._idle_for, timedelta(milliseconds=10)))

    async def _claim(self, free: int, now: datetime) -> None:
        claimed = await self._parts.outbox.claim(self._kinds, self._holder, now=now, limit=free)
        _tell_left_behind(claimed.left_behind)
        if claimed.too_old:
            log.warning("messages too old to be sent", extra={"count": claimed.too_old})
        for message in claimed.messages:
            task = asyncio.create_task(self._guarded(message), name=f"message {message.id}")
            self._running.add(task)
            task.add_done_callback(self._done)

    async def _guarded(self, message: ClaimedMessage) -> None:
        """Send one; no message may bring the others down."""
        try:
            await self._parts.send(message)
        except StorageError as error:
            fields = {**about(message), "why": str(error)}
            log.warning("message left to its lease; the database is away", extra=fields)
        except Exception:
            log.exception("message left to its lease", extra=about(message))

    def _done(self, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        self._finish_at = 0.0  # it may have been an edition's last
        self._bell.ring()

    async def _publish_finished(self) -> None:
        """Editions whose channels are all done, or given up, by whomever (S002-17)."""
        every = self._pace.finish_every.total_seconds()
        self._finish_at = asyncio.get_running_loop().time() + every
        for task in await self._parts.results.finished_tasks():
            try:
                await self._parts.publish(task)
            except Exception:
                log.exception("edition not published; its next trigger tries again")

    async def _end(self) -> None:
        """What is under way may settle; what does not is put in order by whoever comes next."""
        if self._running:
            patience = self._pace.patience.total_seconds()
            _, late = await asyncio.wait(self._running, timeout=patience)
            for task in late:
                task.cancel()
            if late:
                log.warning("messages cut short by the stop", extra={"count": len(late)})
                await asyncio.wait(late)


def manners_of(types: ChannelTypes) -> Sequence[KindManners]:
    """What claiming needs to know of each kind. Where gaps are kept, one goes at a time."""
    return [
        KindManners(
            kind=each.kind,
            recovery=each.recovery,
            at_once=1 if each.spacing else each.at_once,
        )
        for each in types
    ]


def _tell_left_behind(left: Sequence[AbandonedMessage]) -> None:
    for message in left:
        log.warning(
            "message of a stopped sender put in order",
            extra={
                "message_id": message.id,
                "channel": message.channel_id,
                "digest": message.digest_id,
                "part": message.part,
                "state": message.state,
            },
        )
