"""Stored items for tests, without a collector."""

from __future__ import annotations

from datetime import datetime

from clawfeed.domain.ids import SourceId, UserId
from clawfeed.storage.database import Database, execute
from clawfeed.storage.sources.sources import NewSource, SourceStore
from tests.support.clocks import NOON


async def add_source(
    database: Database, name: str, *, owner: UserId | None = None, is_public: bool = True
) -> SourceId:
    """Polled before: nobody waits for its first items any more."""
    new = NewSource(
        type="rss",
        name=name,
        config={"url": f"https://{name}.example"},
        is_public=is_public,
        created_by=owner,
    )
    added = await SourceStore(database).add(new, now=NOON)
    await execute(
        database,
        "UPDATE sources SET last_fetched_at = :at WHERE id = :id",
        {"at": NOON.timestamp(), "id": added.id},
    )
    return added.id


async def add_item(
    database: Database,
    source_id: int,
    title: str,
    *,
    at: datetime = NOON,
    content: str = "",
    metadata: str = "{}",
) -> int:
    """The new item's id; its title is its key."""
    [row] = await execute(
        database,
        "INSERT INTO raw_items "
        "(source_id, title, content, fetched_at, published_at, dedup_key, metadata) "
        "VALUES (:source, :title, :content, :at, :at, :title, :metadata) RETURNING id",
        {
            "source": source_id,
            "title": title,
            "content": content,
            "at": at.timestamp(),
            "metadata": metadata,
        },
    )
    return int(row["id"])


async def subscribe(database: Database, user_id: int, source_id: int) -> None:
    await execute(
        database,
        "INSERT INTO user_subscriptions (user_id, source_id, created_at) VALUES (:u, :s, 0)",
        {"u": user_id, "s": source_id},
    )
