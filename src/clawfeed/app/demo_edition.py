"""The demo's first edition: made before the guest's eyes, as soon as there is something to tell."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import timedelta

from clawfeed.app.clock import system_clock
from clawfeed.app.config import Config
from clawfeed.app.edition_wiring import opened_editions
from clawfeed.app.service import Worker
from clawfeed.digest.driver import StepReport
from clawfeed.domain.edition_period import EditionType
from clawfeed.domain.edition_steps import StartBatch
from clawfeed.domain.errors import ClawFeedError
from clawfeed.runtime.stop import Stop
from clawfeed.storage.database import Database
from clawfeed.storage.digests import DigestStore, StoredDigest
from clawfeed.storage.fleet_metrics import fleet_figures

LOOK_EVERY = timedelta(seconds=0.5)
# Whoever watches a demo waits no longer, whatever is still unread.
PATIENCE = timedelta(seconds=15)


class FirstEdition:
    """A worker that makes one edition once every source was polled, and then hands over to *then*.

    The triggers of the house would begin with the first items there are, and go a step every few
    minutes: right for a day, long for a demo. *tell* gets a line for every step.
    """

    name = "first edition"

    def __init__(
        self,
        config: Config,
        database: Database,
        *,
        tell: Callable[[str], None],
        then: Worker,
    ) -> None:
        self._config, self._db, self._tell, self._then = config, database, tell, then
        self._stop = Stop()

    def stop(self) -> None:
        self._stop.ask()
        self._then.stop()

    async def run(self) -> None:
        await self._wait_for_items()
        if not self._stop.is_asked:
            making = asyncio.create_task(self._make())
            if not await self._stop.wait_for_end(making):
                making.cancel()
            await asyncio.wait({making})
        await self._then.run()

    async def _wait_for_items(self) -> None:
        """Until every source was polled, or patience ends."""
        loop = asyncio.get_running_loop()
        until = loop.time() + PATIENCE.total_seconds()
        while not self._stop.is_asked and loop.time() < until:
            figures = await fleet_figures(self._db, now=system_clock())
            if figures.last_24h["fetches"] >= figures.sources["total"]:
                return
            await self._stop.wait(LOOK_EVERY)

    async def _make(self) -> None:
        try:
            made = await self._edition()
        except ClawFeedError as error:
            self._tell(f"No edition yet: {error}")
            return
        if made is None:
            self._tell("No edition yet: nothing came in that is worth telling.")
            return
        numbers = made.content.numbers
        stories = "1 story" if numbers.stories == 1 else f"{numbers.stories} stories"
        self._tell(f"Your first edition: {stories}, {self._config.server.base_url}/")

    async def _edition(self) -> StoredDigest | None:
        async with opened_editions(self._config, self._db) as editions:
            task = await editions.triggers.system_task(EditionType.DAILY)
            if task is None:
                return None
            self._tell("Making your first edition ...")
            await editions.driver.run_to_end(task.id, self._step)
            return await DigestStore(self._db).of_task(task.id)

    def _step(self, report: StepReport) -> None:
        if isinstance(report.step, StartBatch):
            self._tell(
                f"Making your first edition: batch {report.after.batch_index} is written ..."
            )
