"""Empties an outbox in processes that are killed, or that kill themselves after some transaction.

Run as a program. Each line of its input is `DATABASE BOX N WHEN`: it forks a process that sends
what is due to the postbox at BOX, and kills itself after N transactions, `at_once` or with the
`next`. It answers with that process's id, and when it ended with `killed`, or `done` and how many
transactions it took.
"""

from __future__ import annotations

import asyncio
import os
import sys
from datetime import timedelta

from clawfeed.publish.delivery_worker import DeliveryPace
from clawfeed.storage.dead_workers import take_back
from clawfeed.storage.drivers.connect import StorageConfig, open_database
from clawfeed.storage.editions.edition_claims import EDITION_TABLES
from tests.support.deliveries import WORKER, deliveries
from tests.support.dying_editions import DyingDatabase


async def send(url: str, box: str, left: int, *, at_once: bool) -> int:
    """Send until nothing is due; how many transactions that took."""
    database = DyingDatabase(await open_database(StorageConfig(url=url)), left, at_once=at_once)
    await take_back(database, EDITION_TABLES, [WORKER.worker])  # as every trigger does first
    ours = f"sender {os.getpid()}"
    # Who is frozen should be so while it waits for answers, not in the middle of a claim.
    pace = DeliveryPace(tick=timedelta(seconds=1), drained_for=timedelta(0))
    async with deliveries(
        database, box, pace=pace, name=ours, is_dead=lambda worker: worker != ours
    ) as out:
        await out.drain()
    await database.close()
    return database.committed


def main() -> None:
    for line in sys.stdin:
        url, box, left, when = line.split()
        reader, writer = os.pipe()
        child = os.fork()
        if not child:
            committed = asyncio.run(send(url, box, int(left), at_once=when == "at_once"))
            os.write(writer, str(committed).encode())
            os._exit(0)
        os.close(writer)
        print(child, flush=True)  # noqa: T201 -- its answer
        _, status = os.waitpid(child, 0)
        committed = int(os.read(reader, 20) or b"0")
        os.close(reader)
        if os.WIFSIGNALED(status):
            print("killed", flush=True)  # noqa: T201
        else:
            print("done" if not status else f"failed {status}", committed, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
