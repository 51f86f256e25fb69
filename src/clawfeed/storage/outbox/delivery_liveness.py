"""Whether anybody delivers: by the messages that wait, and by those that moved lately."""

from __future__ import annotations

from datetime import datetime, timedelta

from clawfeed.storage.channels.channel_row import TAKES_MESSAGES
from clawfeed.storage.database import Database
from clawfeed.storage.outbox.message_states import WAITING
from clawfeed.storage.outbox.outbox import IN_ORDER
from clawfeed.storage.timestamps import moment_or_none, seconds

# A message may wait for its turn; none moves for so long only if nobody sends.
DELIVERY_GRACE = timedelta(minutes=10)
# What could have left by then: to an active channel, after the parts before it, its place at rest
# no longer. And what somebody began to send and never ended.
_WAITING = f"""
SELECT min(CASE WHEN t.not_before < p.next_at THEN p.next_at ELSE t.not_before END) AS since
FROM outbox t LEFT JOIN delivery_places p ON p.place = t.place
WHERE (t.state IN {WAITING} AND t.lease_until IS NULL OR t.lease_until <= :limit)
  AND t.not_before <= :limit AND coalesce(p.next_at, 0) <= :limit
  AND EXISTS (SELECT 1 FROM channels c WHERE c.id = t.channel_id AND {TAKES_MESSAGES})
  AND {IN_ORDER}
"""  # noqa: S608 -- our own constant


async def undelivered_since(database: Database, now: datetime) -> datetime | None:
    """Since when messages wait in vain; None if none does, or if somebody sends.

    A long queue is no trouble as long as it moves.
    """
    limit = {"limit": seconds(now - DELIVERY_GRACE)}
    [row] = await database.read(_WAITING, limit)
    if row["since"] is None:
        return None
    moved = await database.read(
        "SELECT 1 FROM outbox WHERE attempts > 0 AND updated_at > :limit LIMIT 1", limit
    )
    return None if moved else moment_or_none(row["since"])
