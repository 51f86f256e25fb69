"""Who is handed what: the one place where rooms meet their configuration."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from clawfeed.app.clock import system_clock
from clawfeed.app.config import Config
from clawfeed.storage.connect import StorageConfig, open_database
from clawfeed.storage.database import Database
from clawfeed.storage.migrate import migrate

# Set in the `config` table once the question was answered, either way: an emptied starter pack
# stays empty.
STARTER_PACK_ASKED = "starter_pack_asked"


def storage_config(config: Config) -> StorageConfig:
    return StorageConfig(
        url=config.storage.database_url,
        batch_size=config.storage.batch_size,
        enable_wal=config.storage.enable_wal,
    )


@asynccontextmanager
async def opened_database(config: Config, *, migrated: bool = True) -> AsyncIterator[Database]:
    """The configured database, brought to the current schema, closed afterwards."""
    database = await open_database(storage_config(config))
    try:
        if migrated:
            await migrate(database, now=system_clock())
            await _fill_if_fresh(config, database)
        yield database
    finally:
        await database.close()


async def _fill_if_fresh(config: Config, database: Database) -> None:
    """S001-18; a database that was asked before costs one poll, and no import."""
    if not await was_asked(database):
        from clawfeed.app.starter_pack import add_starter_pack

        await add_starter_pack(config, database, now=system_clock())


async def was_asked(database: Database) -> bool:
    rows = await database.read(
        "SELECT 1 AS asked FROM config WHERE key = :key", {"key": STARTER_PACK_ASKED}
    )
    return bool(rows)
