"""What is left of messages when they are old: first that they were sent, then nothing."""

from __future__ import annotations

from datetime import datetime, timedelta

from clawfeed.storage.database import Database, Statement, Steps, execute
from clawfeed.storage.leases import FREE
from clawfeed.storage.outbox.message_states import OVER, STUCK, WAITING
from clawfeed.storage.outbox.outbox import FARTHEST_RETRY
from clawfeed.storage.row_portions import in_portions
from clawfeed.storage.timestamps import seconds

# Nobody sends again what was sent; its edition stays.
TEXTS_KEPT = timedelta(days=14)
MESSAGES_KEPT = timedelta(days=90)
# Rows in one transaction: SQLite has one writer, and polls wait for it.
AT_A_TIME = 500


async def remove_old_messages(database: Database, *, now: datetime) -> int:
    """Empty what was sent long ago, remove what is long over; how many messages were removed.

    A date of a clock that ran ahead becomes now: it would wait for that day (F15).
    """
    far = {"now": seconds(now), "far": seconds(now + FARTHEST_RETRY)}
    await execute(
        database,
        f"UPDATE outbox SET not_before = :now WHERE state IN {WAITING} "  # noqa: S608 -- our own constant
        f"AND {FREE} AND not_before > :far",
        far,
    )
    await execute(
        database, "DELETE FROM delivery_places WHERE next_at <= :now OR next_at > :far", far
    )
    await in_portions(database, lambda: _empty(seconds(now - TEXTS_KEPT)))
    limit = seconds(now - MESSAGES_KEPT)
    held_up = await in_portions(database, lambda: _remove_held_up(limit))
    return held_up + await in_portions(database, lambda: _remove(limit))


def _empty(limit: float) -> Steps[int]:
    rows = yield Statement(
        """
        UPDATE outbox SET payload = '' WHERE id IN (
            SELECT id FROM outbox WHERE state = 'sent' AND sent_at < :limit AND payload <> ''
            ORDER BY sent_at LIMIT :most
        ) RETURNING id
        """,
        {"limit": limit, "most": AT_A_TIME},
    )
    return len(rows)


def _remove_held_up(limit: float) -> Steps[int]:
    """Parts behind one that is about to go: without it they would be due, months too late."""
    rows = yield Statement(
        f"""
        DELETE FROM outbox WHERE id IN (
            SELECT later.id FROM outbox gone JOIN outbox later
                ON later.digest_id = gone.digest_id AND later.channel_id = gone.channel_id
                AND later.part > gone.part
            WHERE gone.state IN {STUCK} AND gone.updated_at < :limit
              AND later.state IN {WAITING}
            LIMIT :most
        ) RETURNING id
        """,  # noqa: S608 -- our own constants
        {"limit": limit, "most": AT_A_TIME},
    )
    return len(rows)


def _remove(limit: float) -> Steps[int]:
    rows = yield Statement(
        f"""
        DELETE FROM outbox WHERE id IN (
            SELECT id FROM outbox
            WHERE state IN {OVER} AND updated_at < :limit
            ORDER BY updated_at LIMIT :most
        ) RETURNING id
        """,  # noqa: S608 -- our own constants
        {"limit": limit, "most": AT_A_TIME},
    )
    return len(rows)
