"""The items of one source. Who may see them, the caller has asked."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from clawfeed.domain.ids import SourceId
from clawfeed.storage.database import Database, in_order
from clawfeed.storage.sql_lists import chunks, in_list
from clawfeed.storage.timestamps import moment, moment_or_none, seconds

# A week of the busiest feeds; more dots would not be told apart.
MOST_DATES = 1_000


class ItemRow(NamedTuple):
    """One stored item; *at* is when it was published, else fetched, in seconds.

    Fetched, too, where it says that it was published later than that.
    """

    title: str
    url: str | None
    at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredItems:
    """How many items of a source are kept, and when the last of them came."""

    count: int
    last_at: datetime | None


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


async def stored_items(database: Database, source_id: SourceId) -> StoredItems:
    [row] = await database.read(
        "SELECT count(*) AS n, max(fetched_at) AS last FROM raw_items WHERE source_id = :id",
        {"id": source_id},
    )
    return StoredItems(count=int(row["n"]), last_at=moment_or_none(row["last"]))


async def known_keys(database: Database, source_id: SourceId, keys: Collection[str]) -> set[str]:
    """Those of *keys* that a poll would recognise; their items may be gone already."""
    known: set[str] = set()
    for some in chunks(sorted(keys)):
        names, params = in_list(some)
        rows = await database.read(
            f"SELECT dedup_key FROM seen_items "  # noqa: S608 -- only parameter names
            f"WHERE source_id = :source AND dedup_key IN ({names})",
            {"source": source_id, **params},
        )
        known |= {str(row["dedup_key"]) for row in rows}
    return known
