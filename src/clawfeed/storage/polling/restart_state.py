"""What a collector that starts finds: each source's last run and its date (S003-4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from clawfeed.domain.because import Because, Rule, to_text
from clawfeed.domain.ids import SourceId
from clawfeed.storage.database import Database, Row, SqlValue, execute
from clawfeed.storage.leases import FREE
from clawfeed.storage.sql_lists import chunks, in_list
from clawfeed.storage.timestamps import moment_or_none, seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class DamagedMoment:
    """A stored moment that is none."""

    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Resumption:
    """One active source. *due_at* is None without a date, and for a date that is none."""

    source_id: SourceId
    collector_name: str
    param_key: str
    last_run: float | DamagedMoment | None  # seconds since 1970; None if it never ran
    due_at: datetime | None


async def resumptions(database: Database, *, with_states: bool = True) -> list[Resumption]:
    """Every active source; without *with_states* the table of execution states is left alone."""
    return [_resumption(row) for row in await database.read(_STATES if with_states else _DATES)]


async def forget_dates(
    database: Database, *, now: datetime, only: Sequence[SourceId] | None = None
) -> None:
    """Make everybody due now, or *only* some, except who is held or backs off."""
    sql = f"""
        UPDATE source_stats SET next_due_at = :now, waiting_since = NULL, because = :because,
            updated_at = :now
        WHERE {FREE} AND backoff_until IS NULL AND next_due_at > :now
    """  # noqa: S608 -- our own constant
    params: dict[str, SqlValue] = {
        "now": seconds(now),
        "because": to_text(Because(Rule.STARTED_ANEW)),
    }
    if only is None:
        await execute(database, sql, params)
        return
    for some in chunks(only):
        names, ids = in_list(some)
        await execute(database, f"{sql} AND source_id IN ({names})", {**params, **ids})


_STATES = """
    SELECT s.id, s.type, coalesce(s.param_key, CAST(s.id AS TEXT)) AS param_key, t.next_due_at,
        e.last_execution_time AS last_time
    FROM sources s
    LEFT JOIN source_stats t ON t.source_id = s.id
    LEFT JOIN collector_execution_state e
        ON e.collector_name = s.type AND e.param_key = coalesce(s.param_key, CAST(s.id AS TEXT))
    WHERE s.is_active = 1 AND s.is_deleted = 0
    ORDER BY s.id
"""
_DATES = """
    SELECT s.id, s.type, coalesce(s.param_key, CAST(s.id AS TEXT)) AS param_key, t.next_due_at,
        NULL AS last_time
    FROM sources s LEFT JOIN source_stats t ON t.source_id = s.id
    WHERE s.is_active = 1 AND s.is_deleted = 0
    ORDER BY s.id
"""


def _resumption(row: Row) -> Resumption:
    return Resumption(
        source_id=SourceId(row["id"]),
        collector_name=str(row["type"]),
        param_key=str(row["param_key"]),
        last_run=_last_run(row["last_time"]),
        due_at=moment_or_none(row["next_due_at"]),
    )


def _last_run(stored: SqlValue) -> float | DamagedMoment | None:
    if stored is None:
        return None
    if isinstance(stored, int | float) and moment_or_none(stored) is not None:
        return stored
    return DamagedMoment(why=f"{stored!r} is no moment")
