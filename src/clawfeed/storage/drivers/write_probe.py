"""Whether the database can be written: by writing to it, and leaving nothing.

A read answers as long as there is memory to answer from: it notices neither a full disk nor one
that became read-only.
"""

from __future__ import annotations

from clawfeed.storage.database import Database, Statement, Steps

# Larger than what fits beside other rows: it takes a page of its own, as new items do.
_FILLING = "x" * 20_000
_KEY = {"key": "write_probe"}


def probe_write() -> Steps[None]:
    """Write a row and take it away again; a part of a transaction, or all of it.

    Two at once come one after the other: the second waits until the first has ended.
    """
    yield Statement(
        "INSERT INTO config (key, value, updated_at) VALUES (:key, :value, 0)",
        {**_KEY, "value": _FILLING},
    )
    yield Statement("DELETE FROM config WHERE key = :key", _KEY)


async def try_to_write(database: Database) -> None:
    """Raises `StorageError` with the sentence for the operator if nothing can be written."""
    await database.run(probe_write)
