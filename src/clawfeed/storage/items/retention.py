"""What is removed when it is old, and what never is."""

from __future__ import annotations

from datetime import datetime, timedelta

from clawfeed.storage.database import Database, Statement, Steps, execute
from clawfeed.storage.items.daily_quota_use import SECONDS_PER_DAY
from clawfeed.storage.timestamps import seconds

# Enough for every 24-hour figure and a week of looking back.
FETCH_LOG_KEPT = timedelta(days=8)


async def remove_old_items(database: Database, *, now: datetime, ttl: timedelta) -> int:
    """Remove items fetched more than *ttl* ago; returns how many (S001-4).

    `seen_items` stays, so that a feed that still lists them does not bring them back.
    """
    rows = await execute(
        database,
        "DELETE FROM raw_items WHERE fetched_at < :limit RETURNING id",
        {"limit": seconds(now - ttl)},
    )
    return len(rows)


async def remove_old_log(database: Database, *, now: datetime) -> int:
    """Remove old lines, and what was counted about hosts and days that are long over."""
    limit = seconds(now - FETCH_LOG_KEPT)

    def steps() -> Steps[int]:
        yield Statement("DELETE FROM host_visits WHERE at < :limit", {"limit": limit})
        day = int(limit // SECONDS_PER_DAY)
        yield Statement("DELETE FROM stored_today WHERE day < :day", {"day": day})
        sql = "DELETE FROM fetch_log WHERE started_at < :limit RETURNING id"
        return len((yield Statement(sql, {"limit": limit})))

    return await database.run(steps)


async def remove_old_states(database: Database, *, now: datetime, kept: timedelta) -> int:
    """Remove execution states nobody updated for *kept*, but never a living source's (S003-6)."""
    rows = await execute(
        database,
        """
        DELETE FROM collector_execution_state
        WHERE updated_at < :limit AND NOT EXISTS (
            SELECT 1 FROM sources s
            WHERE s.is_deleted = 0 AND s.type = collector_execution_state.collector_name
              AND coalesce(s.param_key, CAST(s.id AS TEXT)) = collector_execution_state.param_key
        )
        RETURNING collector_name
        """,
        {"limit": seconds(now - kept)},
    )
    return len(rows)
