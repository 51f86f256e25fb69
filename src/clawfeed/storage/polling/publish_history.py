"""When a source published, as far as we saw it: what schedules are explained and replayed from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby

from clawfeed.domain.errors import NotFoundError
from clawfeed.domain.ids import JsonValue, SourceId
from clawfeed.domain.schedule.schedule import Rhythm
from clawfeed.storage.database import Database, Row
from clawfeed.storage.json_columns import read_object
from clawfeed.storage.polling.learned_rhythms import RHYTHM, to_rhythm
from clawfeed.storage.timestamps import moment


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishHistory:
    """All that a backtest needs of one source. *dates* are oldest first."""

    name: str
    type: str
    config: Mapping[str, JsonValue]
    feed_wait: timedelta | None  # what its document asks for between polls
    dates: Sequence[datetime]


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

    async def all_published(self) -> list[PublishHistory]:
        """Every source's publish dates, named `id name`: for a backtest."""
        known = {
            row["id"]: row
            for row in await self._db.read(
                "SELECT id, name, type, config, cursor FROM sources WHERE is_deleted = 0"
            )
        }
        rows = await self._db.read(
            """
            SELECT s.id, i.published_at
            FROM seen_items i JOIN sources s ON s.id = i.source_id
            WHERE i.published_at IS NOT NULL AND s.is_deleted = 0
            ORDER BY s.id, i.published_at
            """
        )
        return [
            _history(known[source_id], [moment(row["published_at"]) for row in dated])
            for source_id, dated in groupby(rows, key=lambda row: row["id"])
            if source_id in known
        ]

    async def rhythm(self, source_id: SourceId) -> Rhythm:
        """What polls taught us; `NotFoundError` before the first."""
        rows = await self._db.read(
            f"SELECT {RHYTHM} FROM source_stats WHERE source_id = :id",  # noqa: S608 -- our own constant
            {"id": source_id},
        )
        if not rows:
            raise NotFoundError(f"source {source_id} was never polled; collect it first")
        return to_rhythm(rows[0])


def _history(row: Row, dates: Sequence[datetime]) -> PublishHistory:
    asked = read_object(row["cursor"]).get("ttl_seconds")
    is_asked = isinstance(asked, int) and 0 < asked <= timedelta(days=366).total_seconds()
    return PublishHistory(
        name=f"{row['id']} {row['name']}",
        type=row["type"],
        config=read_object(row["config"]),
        feed_wait=timedelta(seconds=asked) if isinstance(asked, int) and is_asked else None,
        dates=dates,
    )
