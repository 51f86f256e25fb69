"""Many rows, a portion in each transaction: SQLite has one writer, and polls wait for it."""

from __future__ import annotations

from collections.abc import Callable

from clawfeed.storage.database import Database, Steps


async def in_portions(database: Database, portion: Callable[[], Steps[int]]) -> int:
    """Run *portion* until it finds nothing more; how many it found in all."""
    total = 0
    while count := await database.run(portion):
        total += count
    return total
