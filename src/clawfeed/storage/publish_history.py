"""When a source published, as far as we saw it: what schedules are explained and replayed from."""

from __future__ import annotations

from datetime import datetime

from clawfeed.domain.errors import NotFoundError
from clawfeed.domain.ids import SourceId
from clawfeed.domain.schedule import Rhythm
from clawfeed.storage.database import Database
from clawfeed.storage.poll_queue import RHYTHM, to_rhythm
from clawfeed.storage.timestamps import moment


class HistoryStore:
    """Reads `seen_items` and the learned numbers; never writes."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def published(self, source_id: SourceId, *, most: int = 1000) -> list[datetime]:
        """The publish dates of its latest items, newest first."""
        rows = await self._db.read(
            """
            SELECT published_at FROM seen_items
            WHERE source_id = :id AND published_at IS NOT NULL
            ORDER BY published_at DESC LIMIT :most
            """,
            {"id": source_id, "most": most},
        )
        return [moment(row["published_at"]) for row in rows]

    async def all_published(self) -> dict[str, list[datetime]]:
        """Every source's publish dates, oldest first, by `id name`: for a backtest."""
        rows = await self._db.read(
            """
            SELECT s.id, s.name, i.published_at
            FROM seen_items i JOIN sources s ON s.id = i.source_id
            WHERE i.published_at IS NOT NULL AND s.is_deleted = 0
            ORDER BY s.id, i.published_at
            """
        )
        found: dict[str, list[datetime]] = {}
        for row in rows:
            found.setdefault(f"{row['id']} {row['name']}", []).append(moment(row["published_at"]))
        return found

    async def rhythm(self, source_id: SourceId) -> Rhythm:
        """What polls taught us; `NotFoundError` before the first."""
        rows = await self._db.read(
            f"SELECT {RHYTHM} FROM source_stats WHERE source_id = :id",  # noqa: S608 -- our own constant
            {"id": source_id},
        )
        if not rows:
            raise NotFoundError(f"source {source_id} was never polled; collect it first")
        return to_rhythm(rows[0])
