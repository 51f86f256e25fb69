"""After a start: who is polled now, and who waits for the rest of its interval (S003-4)."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime

from clawfeed.domain.because import Because, Rule, to_text
from clawfeed.domain.errors import StorageError
from clawfeed.storage.database import Database, Row, SqlValue, execute
from clawfeed.storage.timestamps import moment_or_none, seconds

log = logging.getLogger(__name__)

# With more sources than this, a line for each would bury everything else.
TELL_EACH_UP_TO = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeSummary:
    """How many sources are polled now, and how many wait for their date."""

    immediate: int
    delayed: int


async def resume(database: Database, *, now: datetime, remember: bool = True) -> ResumeSummary:
    """Log how each source goes on, and say it in figures.

    Dates live in the database, so there is nothing to restore. Without *remember*
    (`enable_time_persistence: false`) every source starts anew.
    """
    if not remember:
        await _forget_dates(database, now)
    try:
        rows = await database.read(_STATES)
    except StorageError as error:
        # S003-8: without states everything is a first run; the dates still stand.
        log.warning("collector states cannot be read; treated as first runs", extra=_why(error))
        rows = await database.read(_DATES)
    level = logging.INFO if len(rows) <= TELL_EACH_UP_TO else logging.DEBUG
    resumed = [_tell(row, now, level) for row in rows]
    counts = ResumeSummary(immediate=sum(resumed), delayed=len(resumed) - sum(resumed))
    told = {"immediate": counts.immediate, "delayed": counts.delayed}
    log.info("rhythm resumed", extra=told)
    return counts


_STATES = """
    SELECT s.type, coalesce(s.param_key, CAST(s.id AS TEXT)) AS param_key, t.next_due_at,
        e.last_execution_time AS last_time
    FROM sources s
    LEFT JOIN source_stats t ON t.source_id = s.id
    LEFT JOIN collector_execution_state e
        ON e.collector_name = s.type AND e.param_key = coalesce(s.param_key, CAST(s.id AS TEXT))
    WHERE s.is_active = 1 AND s.is_deleted = 0
    ORDER BY s.id
"""
_DATES = """
    SELECT s.type, coalesce(s.param_key, CAST(s.id AS TEXT)) AS param_key, t.next_due_at,
        NULL AS last_time
    FROM sources s LEFT JOIN source_stats t ON t.source_id = s.id
    WHERE s.is_active = 1 AND s.is_deleted = 0
    ORDER BY s.id
"""


def _tell(row: Row, now: datetime, level: int) -> bool:
    """Log one source's fate; True if it is polled now. A date that is none is no date."""
    collector = {"collector": f"{row['type']}/{row['param_key']}"}
    has_state = _tell_state(row["last_time"], collector, level)
    due_at = moment_or_none(row["next_due_at"])
    if due_at is None or due_at <= now:
        reason = "timeout" if has_state else "first_run"
        log.log(level, "collector runs now", extra=collector | {"reason": reason, "delay": 0})
        return True
    waits = {"delay_seconds": round((due_at - now).total_seconds()), "next_run": _iso(due_at)}
    log.log(level, "collector waits", extra=collector | waits)
    return False


def _tell_state(last_time: SqlValue, collector: dict[str, str], level: int) -> bool:
    """Log when it last ran; False if nobody knows. A damaged state is a first run (S003-8)."""
    if last_time is None:
        return False
    if isinstance(last_time, int | float) and moment_or_none(last_time) is not None:
        loaded = {"last_time": last_time, "action": "load"}
        log.log(level, "collector state loaded", extra={**collector, **loaded})
        return True
    why = {"why": f"{last_time!r} is no moment"}
    log.warning("collector state cannot be read; treated as a first run", extra=collector | why)
    return False


async def _forget_dates(database: Database, now: datetime) -> None:
    await execute(
        database,
        "UPDATE source_stats SET next_due_at = :now, waiting_since = NULL, "
        "because = :because "
        "WHERE lease_until IS NULL AND backoff_until IS NULL AND next_due_at > :now",
        {"now": seconds(now), "because": to_text(Because(Rule.STARTED_ANEW))},
    )


def _iso(at: datetime) -> str:
    return at.isoformat(timespec="seconds").replace("+00:00", "Z")


def _why(error: Exception) -> dict[str, str]:
    return {"why": str(error)}
