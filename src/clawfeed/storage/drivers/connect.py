"""Open the database a URL names."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from clawfeed.storage.database import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class StorageConfig:
    """Where things are remembered. *url* is `sqlite:///path` or `postgresql://...`."""

    url: str
    batch_size: int = 100  # transactions that may share one commit (SQLite)
    enable_wal: bool = True
    pool_size: int = 10  # connections (PostgreSQL)
    may_create: bool = True  # the file and its folder (SQLite)
    # How long a transaction may stand still (PostgreSQL). A collector that is stopped, or cut off,
    # while it stores would keep its rows locked for ever, and with them every claim (F16).
    idle: timedelta = timedelta(seconds=30)


async def open_database(config: StorageConfig) -> Database:
    """Open, or raise `StorageError` with one sentence that names the place and the way out."""
    if config.url.startswith(("postgresql://", "postgres://")):
        # asyncpg costs 60 ms to import; SQLite users do not pay it.
        from clawfeed.storage.drivers.postgres import open_postgres

        return await open_postgres(config.url, pool_size=config.pool_size, idle=config.idle)

    from clawfeed.storage.drivers.sqlite import SqliteDatabase

    path = Path(config.url.removeprefix("sqlite:///"))
    return SqliteDatabase(
        path,
        batch_size=config.batch_size,
        enable_wal=config.enable_wal,
        may_create=config.may_create,
    )
