"""Collecting that ends by itself: everything due, or one source."""

from __future__ import annotations

from clawfeed.app.clock import system_clock
from clawfeed.app.collecting import Collecting
from clawfeed.collector.loop import Collector
from clawfeed.collector.poll import Result
from clawfeed.domain.errors import NotAllowedError
from clawfeed.domain.ids import SourceId
from clawfeed.storage.database import Database
from clawfeed.storage.host_queues import Order
from clawfeed.storage.sources import SourceStore


class Once:
    """A collector's single round as a workshop, so that signals end it well."""

    name = "collect once"

    def __init__(self, collector: Collector) -> None:
        self._collector = collector

    async def run(self) -> None:
        await self._collector.run_once()

    def stop(self) -> None:
        self._collector.stop()


async def look_now(collecting: Collecting, database: Database, source_id: SourceId) -> Result:
    """Look at one source whatever its date (S000-16); unknown or held ones are an error."""
    source = await SourceStore(database).get(source_id)
    order = Order(
        now=system_clock(), limit=1, lease=collecting.pace.lease, worker=collecting.pace.worker
    )
    claim = await collecting.schedule.claim_one(source_id, order)
    if claim is None:
        raise NotAllowedError(
            f"source {source_id} ({source.name}) is being looked at right now; try again shortly"
        )
    return await collecting.poller(claim)
