"""The latest items of one source. Who may see them, the caller has asked."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from clawfeed.domain.ids import SourceId
from clawfeed.storage.database import Database, in_order
from clawfeed.storage.timestamps import moment, seconds

# A week of the busiest feeds; more dots would not be told apart.
MOST_DATES = 1_000


class ItemRow(NamedTuple):
    """One stored item; *at* is when it was published, else fetched, in seconds.

    Fetched, too, where it says that it was published later than that.
    """

    title: str
    url: str | None
    at: float


async def latest_items(database: Database, source_id: SourceId, *, limit: int) -> list[ItemRow]:
    """The items fetched last, newest first."""
    rows = await database.read(
        """
        SELECT title, url,
            CASE WHEN published_at <= fetched_at THEN published_at ELSE fetched_at END AS shown_at
        FROM raw_items
        WHERE source_id = :source ORDER BY fetched_at DESC, id DESC LIMIT :limit
        """,
        {"source": source_id, "limit": limit},
    )
    return [ItemRow._make(in_order(row)) for row in rows]


async def published_since(
    database: Database, source_id: SourceId, since: datetime, until: datetime
) -> list[datetime]:
    """When it published between two moments, as far as its items say; an old item may come late."""
    rows = await database.read(
        """
        SELECT published_at FROM raw_items
        WHERE source_id = :source AND fetched_at >= :since
            AND published_at >= :since AND published_at < :until
        ORDER BY fetched_at DESC LIMIT :most
        """,
        {
            "source": source_id,
            "since": seconds(since),
            "until": seconds(until),
            "most": MOST_DATES,
        },
    )
    return [moment(row["published_at"]) for row in rows]
