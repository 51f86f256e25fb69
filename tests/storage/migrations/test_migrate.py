"""Migrations: once, in order, together or not at all."""

from __future__ import annotations

import asyncio

import pytest

from clawfeed.domain.errors import ConfigError, StorageError
from clawfeed.storage.database import Database, execute
from clawfeed.storage.drivers.connect import StorageConfig, open_database
from clawfeed.storage.migrate import Migration, migrate, migrations
from tests.support.clocks import NOON

# The tables of the contract; people write queries against these names.
TABLES = {
    "sources", "raw_items", "seen_items", "source_stats", "collector_execution_state",
    "fetch_log", "config", "users", "sessions", "api_keys", "user_subscriptions",
    "source_packs", "marks", "digests", "edition_tasks", "edition_articles",
    "edition_batches", "stories", "channels", "outbox", "schema_migrations",
}  # fmt: skip


async def tables(database: Database) -> set[str]:
    sql = (
        "SELECT name FROM sqlite_master WHERE type = 'table'"
        if database.dialect.name == "sqlite"
        else "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'"
    )
    return {row["name"] for row in await database.read(sql)}


async def test_an_empty_database_gets_the_whole_data_model(empty_database_url: str) -> None:
    """(S001-1, S003-1, S004-1)."""
    database = await open_database(StorageConfig(url=empty_database_url))

    applied = await migrate(database, now=NOON)

    assert applied == [migration.name for migration in migrations()]
    assert tables_missing(await tables(database)) == set()
    assert await migrate(database, now=NOON) == []
    await database.close()


def tables_missing(found: set[str]) -> set[str]:
    return TABLES - found


async def test_two_processes_starting_together_do_not_collide(empty_database_url: str) -> None:
    first = await open_database(StorageConfig(url=empty_database_url))
    second = await open_database(StorageConfig(url=empty_database_url))

    results = await asyncio.gather(migrate(first, now=NOON), migrate(second, now=NOON))

    assert sorted(map(len, results)) == [0, len(migrations())]
    await first.close()
    await second.close()


async def test_a_schema_from_the_future_is_refused_with_the_way_out(database: Database) -> None:
    await execute(
        database, "INSERT INTO schema_migrations (version, name, applied_at) VALUES (999, 'x', 0)"
    )

    with pytest.raises(ConfigError, match=r"newer ClawFeed .schema 999.*upgrade"):
        await migrate(database, now=NOON)


async def test_a_database_of_another_program_is_left_alone(empty_database_url: str) -> None:
    database = await open_database(StorageConfig(url=empty_database_url))
    await execute(database, "CREATE TABLE sources (id INTEGER)")
    name = empty_database_url.removeprefix("sqlite:///")

    with pytest.raises(ConfigError, match=r"another program .its tables are sources.*empty") as no:
        await migrate(database, now=NOON)

    assert await tables(database) == {"sources"}
    assert name in str(no.value) or database.dialect.name != "sqlite"
    await database.close()


async def test_a_failing_migration_leaves_the_schema_as_it_was(database: Database) -> None:
    """F3: old or new, never half."""
    broken = Migration(
        version=1000, name="1000_broken", sql="CREATE TABLE half (id {id});\nNOT SQL AT ALL;\n"
    )

    with pytest.raises(StorageError):
        await migrate(database, now=NOON, known=(*migrations(), broken))

    assert "half" not in await tables(database)
    assert await migrate(database, now=NOON) == []


def test_migrations_are_numbered_without_gaps() -> None:
    versions = [migration.version for migration in migrations()]

    assert versions == list(range(1, len(versions) + 1))


async def test_a_migration_may_have_a_text_for_each_database(database: Database) -> None:
    texts = {name: f"CREATE TABLE only_{name} (id {{id}});\n" for name in ("sqlite", "postgresql")}
    differing = Migration(version=1000, name="1000_differing", sql=texts)

    await migrate(database, now=NOON, known=(*migrations(), differing))

    made = {name for name in await tables(database) if name.startswith("only_")}
    assert made == {f"only_{database.dialect.name}"}


def test_a_migration_in_two_files_serves_both_databases() -> None:
    by_dialect = [one.sql for one in migrations() if not isinstance(one.sql, str)]

    assert by_dialect
    assert all(set(texts) == {"sqlite", "postgresql"} for texts in by_dialect)
