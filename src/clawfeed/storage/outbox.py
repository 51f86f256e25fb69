"""Messages on their way out, as rows: which may be sent next, and by whom (decision 0009)."""

from __future__ import annotations

from datetime import datetime

from clawfeed.storage.leases import Due, LeasedTable
from clawfeed.storage.timestamps import seconds

OUTBOX = LeasedTable(
    table="outbox",
    queue="t.state IN ('pending', 'retry')",
    order_by="t.not_before, t.id",
    noun="message",
)


def due_messages(*, now: datetime, limit: int) -> Due:
    """Messages to active channels whose time has come.

    Parts leave in order: the next is not due before the one before it is sent, and never after one
    that is uncertain or dead.
    """
    return Due(
        limit=limit,
        condition="""
            t.not_before <= :now
            AND EXISTS (SELECT 1 FROM channels c WHERE c.id = t.channel_id AND c.state = 'active')
            AND NOT EXISTS (
                SELECT 1 FROM outbox earlier
                WHERE earlier.digest_id = t.digest_id AND earlier.channel_id = t.channel_id
                  AND earlier.part < t.part AND earlier.state <> 'sent'
            )
        """,
        params={"now": seconds(now)},
    )
