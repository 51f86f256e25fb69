"""Time that passes for a worker: as much at once as it says it sleeps."""

from __future__ import annotations

from datetime import timedelta

from clawfeed.digest.triggers.trigger_worker import EditionWorker
from tests.support.clocks import FakeClock

SECOND = timedelta(seconds=1)


async def live(worker: EditionWorker, clock: FakeClock, seconds: float) -> None:
    until = clock() + seconds * SECOND
    while clock() < until:
        clock.advance(min(await worker.look(), until - clock()) or SECOND)
