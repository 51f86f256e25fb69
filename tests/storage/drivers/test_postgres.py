"""What only PostgreSQL has: a server that may not be there."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from threading import Event, Thread
from urllib.parse import urlsplit

import asyncpg
import pytest

from clawfeed.domain.errors import StorageError
from clawfeed.storage.database import Statement, Steps, execute
from clawfeed.storage.drivers.connect import StorageConfig, open_database
from clawfeed.storage.drivers.postgres import _positional
from tests.support.databases import PostgresServer


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("postgresql://me:hunter2@127.0.0.1:1/news", "127.0.0.1:1/news"),
        ("postgresql://me:hunter2@no-such-host.invalid/x", "no-such-host.invalid:5432/x"),
        ("postgresql://me:hunter2@/x?host=/no/such/folder&port=6", "/no/such/folder:6/x"),
    ],
)
async def test_an_unreachable_server_is_one_sentence_without_the_password(
    url: str, place: str
) -> None:
    with pytest.raises(StorageError, match=r"cannot be reached.*DATABASE_URL") as caught:
        await open_database(StorageConfig(url=url))

    assert f"at {place} cannot" in str(caught.value)
    assert "hunter2" not in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.slow
async def test_a_database_that_does_not_exist_is_one_sentence(postgres: PostgresServer) -> None:
    with pytest.raises(StorageError, match="no such database: create it"):
        await open_database(StorageConfig(url=postgres.url_of("nowhere")))


@pytest.mark.slow
async def test_a_cut_connection_is_an_error_once_and_then_works_again(
    postgres: PostgresServer,
) -> None:
    """F7: the pool recovers by itself."""
    url = await asyncio.to_thread(postgres.new_database)
    database = await open_database(StorageConfig(url=url, pool_size=1))
    await database.read("SELECT 1 AS one")
    admin = await asyncpg.connect(url)
    await admin.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE datname = $1 AND pid <> pg_backend_pid()",
        urlsplit(url).path[1:],
    )
    await admin.close()

    results = []
    for _ in range(3):
        try:
            results.append((await database.read("SELECT 1 AS one"))[0]["one"])
        except StorageError as error:
            results.append(str(error))

    assert results[1:] == [1, 1]
    await database.close()


@pytest.mark.slow
async def test_a_worker_frozen_inside_a_transaction_loses_its_locks(
    postgres: PostgresServer,
) -> None:
    """(F16): stopped while it stores, it would hold up every claim once its lease has lapsed."""
    url = await asyncio.to_thread(postgres.new_database)
    is_frozen, is_over = Event(), Event()
    idle = timedelta(seconds=0.5)
    database = await open_database(StorageConfig(url=url, pool_size=1, idle=idle))
    await execute(database, "CREATE TABLE rows (worker TEXT)")
    await execute(database, "INSERT INTO rows VALUES ('nobody')")

    def freeze() -> Steps[None]:
        yield Statement("UPDATE rows SET worker = 'frozen'")
        is_frozen.set()
        is_over.wait(60)  # the whole process stands still
        yield Statement("SELECT 1")

    async def take_over() -> None:
        await asyncio.to_thread(is_frozen.wait)
        other = await open_database(StorageConfig(url=url, pool_size=1))
        await execute(other, "UPDATE rows SET worker = 'alive' WHERE worker = 'nobody'")
        is_over.set()
        await other.close()

    alive = Thread(target=asyncio.run, args=(take_over(),))
    alive.start()
    with pytest.raises(StorageError):
        await database.run(freeze)
    await asyncio.to_thread(alive.join)

    [row] = await database.read("SELECT worker FROM rows")
    assert row["worker"] == "alive"
    await database.close()


def test_names_become_numbers_and_casts_stay() -> None:
    sql, names = _positional("SELECT :a, :b, :a, x::text")

    assert (sql, names) == ("SELECT $1, $2, $1, x::text", ("a", "b"))
