"""Whether the settings ever made channels: who has none need not look at any kind of channel."""

from __future__ import annotations

from clawfeed.storage.database import Database


async def has_environment_channels(database: Database) -> bool:
    rows = await database.read(
        "SELECT 1 AS one FROM channels WHERE owner_id IS NULL AND origin = 'environment' LIMIT 1"
    )
    return bool(rows)
