"""The `config` table: what is set while the product runs, by an admin or by itself.

An admin sets intervals and the pack that new readers start with. Of its own it keeps a budget's
prices (`poll_prices`), the share of the paid reads (`api_reads`), and that a starter pack was asked
about.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from clawfeed.domain.errors import NotFoundError
from clawfeed.storage.database import Database, Statement, Steps
from clawfeed.storage.timestamps import seconds

# The rows that set intervals, in any spelling.
OVERRIDES = "upper(key) LIKE 'FETCH!_INTERVAL!_%' ESCAPE '!'"
# A row as one text, where a statement that reads other things brings it along.
AS_TEXT = "key || '=' || value"


def read_rows(texts: Iterable[object]) -> dict[str, str]:
    """The rows that came `AS_TEXT`."""
    pairs = (str(text).partition("=") for text in texts)
    return {key: value for key, _, value in pairs}


def setting(key: str, value: str, now: datetime) -> Statement:
    """Write one row, whatever stood there."""
    return Statement(
        """
        INSERT INTO config (key, value, updated_at) VALUES (:key, :value, :now)
        ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at
        """,
        {"key": key, "value": value, "now": seconds(now)},
    )


class ConfigTable:
    """Names and texts; what a name means is its reader's business."""

    def __init__(self, database: Database) -> None:
        self._db = database

    async def all(self) -> dict[str, str]:
        rows = await self._db.read("SELECT key, value FROM config ORDER BY key")
        return {str(row["key"]): str(row["value"]) for row in rows}

    async def overrides(self) -> dict[str, str]:
        """The intervals by type that an admin set, as they were written."""
        rows = await self._db.read(f"SELECT key, value FROM config WHERE {OVERRIDES}")  # noqa: S608
        return {str(row["key"]): str(row["value"]) for row in rows}

    async def get(self, key: str) -> str | None:
        rows = await self._db.read("SELECT value FROM config WHERE key = :key", {"key": key})
        return str(rows[0]["value"]) if rows else None

    async def save(self, key: str, value: str, *, now: datetime) -> None:
        def steps() -> Steps[None]:
            yield setting(key, value, now)

        await self._db.run(steps)

    async def remove(self, key: str) -> None:
        """Forget it; `NotFoundError` if it was not set."""

        def steps() -> Steps[None]:
            rows = yield Statement(
                "DELETE FROM config WHERE key = :key RETURNING key", {"key": key}
            )
            if not rows:
                raise NotFoundError(f"{key} is not set")

        await self._db.run(steps)
