"""Who is handed what: the one place where rooms meet their configuration."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from clawfeed import __version__
from clawfeed.app.clock import system_clock
from clawfeed.app.config import Config
from clawfeed.app.service import Workshop
from clawfeed.storage.database import Database
from clawfeed.storage.migrate import migrate
from clawfeed.storage.opening import StorageConfig, open_database


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
        yield database
    finally:
        await database.close()


def http_workshop(config: Config, database: Database) -> Workshop:
    """The API and the pages, ready to listen."""
    # FastAPI costs 0.4 s to import; only a server pays it.
    from clawfeed.api.application import build_application
    from clawfeed.api.health import Health, health_routes
    from clawfeed.api.operations import Operations, operation_routes
    from clawfeed.app.foretelling import outlook_of
    from clawfeed.app.listening import HttpWorkshop
    from clawfeed.app.status import current_status
    from clawfeed.web.pages import Pages, page_routes

    health = Health(
        database=database,
        clock=system_clock,
        version=__version__,
        metrics_token=config.server.metrics_token,
    )
    operations = Operations(
        database=database,
        clock=system_clock,
        status=lambda: current_status(config, database, now=system_clock()),
        outlook=lambda source_id: outlook_of(config, database, source_id, now=system_clock()),
        api_key=config.server.api_key,
    )
    pages = Pages(database=database, clock=system_clock, version=__version__)
    app = build_application(
        __version__, [health_routes(health), operation_routes(operations), page_routes(pages)]
    )
    server = config.server
    return HttpWorkshop(app, host=server.host, port=server.port, base_url=server.base_url)
