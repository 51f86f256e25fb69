"""The queue of messages: what is work for a sender, and what waited for too long."""

from __future__ import annotations

from datetime import timedelta

import pytest

from clawfeed.storage.database import Database, execute
from clawfeed.storage.outbox import Outbox
from tests.support.clocks import NOON
from tests.support.deliveries import add_channel, write_edition


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE channels SET state = 'paused', paused_because = 'person'",
        "UPDATE outbox SET state = 'dead' WHERE part = 1",
        "UPDATE outbox SET state = 'uncertain' WHERE part = 1",
        "INSERT INTO delivery_places (place, next_at) SELECT DISTINCT place, {later} FROM outbox",
    ],
)
async def test_what_nobody_can_send_is_no_work(database: Database, change: str) -> None:
    """Else every worker would open a transaction each second, for as long as it is so."""
    await add_channel(database, "one", config={"parts": 2})
    await write_edition(database)
    outbox, later = Outbox(database), NOON + timedelta(hours=1)
    before = await outbox.look(now=NOON)
    await execute(database, change.format(later=later.timestamp()))

    assert (before.is_work, (await outbox.look(now=NOON)).is_work) == (True, False)
