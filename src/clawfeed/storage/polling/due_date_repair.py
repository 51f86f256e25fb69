"""Dates that make no sense, and those who have none: nobody is left out for good (F15)."""

from __future__ import annotations

from datetime import datetime, timedelta

from clawfeed.domain.because import Because, Rule, to_text
from clawfeed.domain.schedule.interval import LONGEST_MINUTES
from clawfeed.domain.schedule.longest_wait import LONGEST_WAIT
from clawfeed.storage.database import Database, execute
from clawfeed.storage.leases import FREE
from clawfeed.storage.timestamps import CLOCKS_DIFFER, ONE_SECOND, seconds

# No interval is longer; a date beyond this is damage.
FURTHEST_DATE = timedelta(minutes=LONGEST_MINUTES)


async def mend_dates(database: Database, *, now: datetime) -> int:
    """Make due what lost its date, got one beyond `FURTHEST_DATE`, or was planned in the future.

    The last means that the clock went back: its date belongs to another time (I3, F15). A rest
    longer than any we give is damage, too.
    """
    rows = await execute(
        database,
        f"""
        UPDATE source_stats SET next_due_at = :due, backoff_until = NULL, updated_at = :due,
            waiting_since = NULL, because = :because
        WHERE {FREE}
          AND (next_due_at IS NULL OR next_due_at > :limit OR backoff_until > :rested
               OR updated_at > :ahead)
          AND source_id IN (SELECT id FROM sources WHERE is_active = 1 AND is_deleted = 0)
        RETURNING source_id
        """,  # noqa: S608 -- our own constant
        {
            "due": seconds(now - ONE_SECOND),
            "because": to_text(Because(Rule.DATE_MENDED)),
            "limit": seconds(now + FURTHEST_DATE),
            "rested": seconds(now + LONGEST_WAIT + CLOCKS_DIFFER),
            "ahead": seconds(now + CLOCKS_DIFFER),
        },
    )
    return len(rows)
