"""Dates that follow a changed interval: nobody waits four hours for the sake of an old setting."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from clawfeed.domain.because import INTERVAL_RULES, from_text, to_text
from clawfeed.domain.interval import Interval
from clawfeed.domain.schedule import Mode, why_every
from clawfeed.domain.source import Source
from clawfeed.storage.database import Database, Row, Statement, Steps
from clawfeed.storage.sources import COLUMNS, to_source
from clawfeed.storage.timestamps import seconds


async def follow_intervals(
    database: Database, interval_of: Callable[[Source], Interval], *, now: datetime
) -> int:
    """Date sources anew whose interval is not the one their date was made with (S000-2, S000-20).

    Not those that rest or wait in a queue, and of those with a rhythm only whom somebody has given
    an interval since. Returns how many there were.
    """
    rows = await database.read(
        f"""
        SELECT {COLUMNS}, t.because, t.last_check_at, t.schedule_mode
        FROM source_stats t JOIN sources s ON s.id = t.source_id
        WHERE t.lease_until IS NULL AND t.backoff_until IS NULL AND t.waiting_since IS NULL
          AND t.last_check_at > 0 AND t.last_check_at <= :now AND t.next_due_at IS NOT NULL
          AND s.is_active = 1 AND s.is_deleted = 0
        """,  # noqa: S608 -- our own constant
        {"now": seconds(now)},
    )
    changed = [(row, interval_of(to_source(row))) for row in rows]
    changed = [(row, interval) for row, interval in changed if _is_other(row, interval)]
    if changed:
        await database.run(lambda: _redate(changed, now))
    return len(changed)


def _is_other(row: Row, interval: Interval) -> bool:
    """Whether its date was made with another interval: its reason holds it."""
    because = from_text(row["because"])
    if row["schedule_mode"] == Mode.SMART:
        goes_by_it = interval.is_chosen
    else:
        goes_by_it = because is not None and because.rule in INTERVAL_RULES
    return goes_by_it and because != why_every(interval, str(row["type"]))


def _redate(changed: list[tuple[Row, Interval]], now: datetime) -> Steps[None]:
    for row, interval in changed:
        yield Statement(
            """
            UPDATE source_stats SET next_due_at = :at, because = :because, updated_at = :now,
                schedule_mode = CASE WHEN :chosen = 1 THEN :pinned ELSE schedule_mode END
            WHERE source_id = :id AND lease_until IS NULL AND last_check_at = :checked
            """,
            {
                "at": row["last_check_at"] + interval.every.total_seconds(),
                "because": to_text(why_every(interval, str(row["type"]))),
                "now": seconds(now),
                "chosen": int(interval.is_chosen),
                "pinned": str(Mode.PINNED),
                "checked": row["last_check_at"],
                "id": row["id"],
            },
        )
