"""The demo's first edition: made before the guest's eyes, and sent to the world's services."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import timedelta

from clawfeed.app.clock import system_clock
from clawfeed.app.demo.demo import DemoStage
from clawfeed.app.processes.worker_group import Worker
from clawfeed.app.wiring.delivery import drain_once, sync_house_channels
from clawfeed.app.wiring.editions import Editions, opened_editions
from clawfeed.digest.driver.driver import StepReport
from clawfeed.domain.editions.delivery import DeliveryState
from clawfeed.domain.editions.edition_decision import StartBatch
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.errors import ClawFeedError
from clawfeed.runtime.stop import Stop
from clawfeed.storage.database import Database
from clawfeed.storage.digests.digests import DigestStore, StoredDigest
from clawfeed.storage.outbox.delivery_states import Delivery, deliveries_of

LOOK_EVERY = timedelta(seconds=0.5)


class FirstEdition:
    """A worker that makes the house's first edition before the guest's eyes; then *then* runs.

    It begins when the house itself would (`first_due`), however long a busy machine takes for the
    first items. *tell* gets what to show after every step, and where the edition arrived.
    """

    name = "first edition"

    def __init__(
        self,
        play: DemoStage,
        database: Database,
        *,
        tell: Callable[..., None],
        then: Worker,
    ) -> None:
        self._play, self._db, self._tell, self._then = play, database, tell, then
        self._stop = Stop()

    def stop(self) -> None:
        self._stop.ask()
        self._then.stop()

    async def run(self) -> None:
        making = asyncio.create_task(self._make())
        await self._stop.see_out(making)
        await asyncio.wait({making})
        await self._then.run()

    async def _make(self) -> None:
        try:
            async with opened_editions(self._play.config, self._db) as editions:
                if await self._is_enough(editions):
                    await self._make_and_send(editions)
        except ClawFeedError as error:
            self._tell(f"No edition yet: {error}")

    async def _is_enough(self, editions: Editions) -> bool:
        """Waits until there is enough to tell; False if the demo was stopped before."""
        while not self._stop.is_asked:
            due = await editions.triggers.first_due()
            if due is not None and due <= system_clock():
                return True
            await self._stop.wait(LOOK_EVERY)
        return False

    async def _make_and_send(self, editions: Editions) -> None:
        await sync_house_channels(self._play.config, self._db)
        made = await self._edition(editions)
        if made is None:
            self._tell("No edition yet: nothing came in that is worth telling.")
            return
        numbers = made.content.numbers
        stories = "1 story" if numbers.stories == 1 else f"{numbers.stories} stories"
        told = f"Your first edition: {stories}, {self._play.config.server.base_url}/"
        self._tell(told)
        await drain_once(self._play.config, self._db, editions.driver.advance)
        deliveries = await deliveries_of(self._db, made.id)
        self._tell(told, *delivered(deliveries, self._play.world.url))

    async def _edition(self, editions: Editions) -> StoredDigest | None:
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


def delivered(deliveries: Sequence[Delivery], url: str) -> list[str]:
    """Where the edition arrived in the world at *url*, and where to see it there."""
    sent = ", ".join(each.kind for each in deliveries if each.state is DeliveryState.SENT)
    lines = [f"Delivered to {sent}: {url}/mailbox"] if sent else []
    lines += [
        f"Not delivered to {each.kind} ({each.state}): clawfeed outbox list"
        for each in deliveries
        if each.state is not DeliveryState.SENT
    ]
    return [*lines, f"All that arrived there: {url}/_control/effects"]
