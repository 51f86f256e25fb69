"""The polls of a source as they were written down. Who may see them, the caller has asked."""

from __future__ import annotations

from typing import Final, NamedTuple

from clawfeed.domain.ids import SourceId
from clawfeed.storage.database import Database, in_order

# Over `fetch_log`. Skips and postponements are no polls: nobody was asked.
POLLED_OUTCOME: Final = "outcome NOT IN ('skipped', 'postponed')"


class PollRow(NamedTuple):
    """One line of a source's fetch log."""

    id: int
    planned_at: float | None
    started_at: float
    finished_at: float
    outcome: str
    inserted: int
    reason: str | None
    detail: str | None


async def latest_polls(
    database: Database,
    source_id: SourceId,
    *,
    limit: int,
    before: tuple[float, int] | None = None,
) -> list[PollRow]:
    """The latest polls of a source, newest first; those *before* a start and its id."""
    started, id_ = before or (float("inf"), 0)
    rows = await database.read(
        """
        SELECT id, planned_at, started_at, finished_at, outcome, inserted, reason, detail
        FROM fetch_log
        WHERE source_id = :source AND (started_at < :started
            OR (started_at = :started AND id < :id))
        ORDER BY started_at DESC, id DESC LIMIT :limit
        """,
        {"source": source_id, "started": started, "id": id_, "limit": limit},
    )
    return [PollRow._make(in_order(row)) for row in rows]
