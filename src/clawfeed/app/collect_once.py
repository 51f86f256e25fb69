"""Collecting that ends by itself: everything due, or one source."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from clawfeed.app.clock import system_clock
from clawfeed.app.wiring.collector import CollectorParts, take_back_sources_of_dead
from clawfeed.collector.loop import STOP_GRACE, Collector, give_back
from clawfeed.collector.poll import PollResult
from clawfeed.domain.errors import ClawFeedError, NotAllowedError
from clawfeed.domain.ids import SourceId
from clawfeed.storage.polling.host_queue import ClaimRequest
from clawfeed.storage.polling.poll_queue import Claim


class CollectOnce:
    """A collector's single round as a worker, so that signals end it well."""

    name = "collect once"

    def __init__(self, collector: Collector) -> None:
        self._collector = collector

    async def run(self) -> None:
        await self._collector.run_once()

    def stop(self) -> None:
        self._collector.stop()


class CollectSource:
    """A poll of one source, whatever its date, as a worker of its own (S000-16, S000-14)."""

    name = "collect one source"

    def __init__(self, parts: CollectorParts, source_id: SourceId) -> None:
        self._parts, self._source_id = parts, source_id
        self.result: PollResult | None = None  # once it was polled

    async def run(self) -> None:
        """Claimed here and not before: only now does a signal no longer just kill us."""
        claiming = asyncio.create_task(_claim_now(self._parts, self._source_id))
        try:
            self.result = await self._parts.poller(await asyncio.shield(claiming))
        except asyncio.CancelledError:
            # Nobody else, on no other machine, should have to wait for the lease; nor we for a
            # database that hangs.
            with suppress(ClawFeedError, TimeoutError):
                async with asyncio.timeout(STOP_GRACE.total_seconds()):
                    await give_back(self._parts.schedule, await claiming)
            raise

    def stop(self) -> None:
        """Nothing more is begun: the poll goes on to its end, or to the end of all patience."""


async def _claim_now(parts: CollectorParts, source_id: SourceId) -> Claim:
    """The right to poll this source now; unknown or held ones are an error."""
    schedule, pace = parts.schedule, parts.pace
    order = ClaimRequest(
        now=system_clock(),
        limit=1,
        lease=pace.lease,
        worker=pace.worker,
        spacing=pace.host_spacing,
    )
    claim = await schedule.claim_one(source_id, order)
    if claim is None:  # held; but perhaps by one who died
        await take_back_sources_of_dead(schedule, await schedule.surroundings(system_clock()))
        claim = await schedule.claim_one(source_id, order)
    if claim is None:
        raise NotAllowedError(f"source {source_id} is being polled right now; try again shortly")
    return claim
