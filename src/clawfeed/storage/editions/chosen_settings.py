"""How a person wants their editions, as they said it."""

from __future__ import annotations

from datetime import time

from clawfeed.domain.editions.edition_scope import ReaderSettings
from clawfeed.domain.ids import UserId
from clawfeed.storage.database import Database, Row


async def chosen_settings(database: Database, reader: UserId) -> ReaderSettings | None:
    """How this person wants their editions; None if they said nothing."""
    rows = await database.read(
        "SELECT language, zone, edition_time FROM reader_settings WHERE user_id = :user",
        {"user": reader},
    )
    return _to_settings(rows[0]) if rows else None


def _to_settings(row: Row) -> ReaderSettings:
    return ReaderSettings(
        language=row["language"],
        zone=row["zone"],
        edition_time=time.fromisoformat(row["edition_time"]),
    )
