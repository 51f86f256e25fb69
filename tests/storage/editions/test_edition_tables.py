"""A database in which the first tables of editions were made ends up like a fresh one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import cast

import pytest

from clawfeed.domain.ids import SourceId
from clawfeed.storage.database import Database, execute
from clawfeed.storage.drivers.connect import StorageConfig, open_database
from clawfeed.storage.migrate import Migration, migrate, migrations
from tests.support.api_callers import ANNA, add_people
from tests.support.clocks import NOON
from tests.support.databases import PostgresServer
from tests.support.items import add_item, subscribe

# What 0003_editions said before anything used its tables.
FIRST_0003 = """
CREATE TABLE edition_tasks (
    id {id},
    kind TEXT NOT NULL,
    scope TEXT NOT NULL,
    type TEXT NOT NULL CHECK (type IN ('4h', 'daily', 'weekly', 'monthly')),
    period TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'init' CHECK (
        state IN ('init', 'list_fetched', 'processing', 'aggregating', 'published', 'archived')
    ),
    archived_from TEXT,
    batch_index INTEGER NOT NULL DEFAULT 0,
    batch_size INTEGER NOT NULL,
    total_articles INTEGER NOT NULL DEFAULT 0,
    last_error TEXT,
    claim BIGINT NOT NULL DEFAULT 0,
    lease_until DOUBLE PRECISION,
    created_at DOUBLE PRECISION NOT NULL,
    updated_at DOUBLE PRECISION NOT NULL,
    published_at DOUBLE PRECISION,
    UNIQUE (kind, scope, type, period)
);
CREATE INDEX edition_tasks_unfinished ON edition_tasks (created_at)
    WHERE state NOT IN ('published', 'archived');
CREATE TABLE edition_articles (
    id {id},
    task_id BIGINT NOT NULL REFERENCES edition_tasks (id) ON DELETE CASCADE,
    raw_item_id BIGINT REFERENCES raw_items (id) ON DELETE SET NULL,
    position INTEGER NOT NULL,
    state TEXT NOT NULL DEFAULT 'pending'
        CHECK (state IN ('pending', 'processing', 'completed', 'failed')),
    retry_count INTEGER NOT NULL DEFAULT 0,
    lease_until DOUBLE PRECISION,
    result TEXT,
    last_error TEXT,
    updated_at DOUBLE PRECISION NOT NULL,
    UNIQUE (task_id, position)
);
CREATE INDEX edition_articles_by_state ON edition_articles (task_id, state, position);
CREATE TABLE edition_batches (
    id {id},
    task_id BIGINT NOT NULL REFERENCES edition_tasks (id) ON DELETE CASCADE,
    batch_index INTEGER NOT NULL,
    article_count INTEGER NOT NULL,
    started_at DOUBLE PRECISION NOT NULL,
    duration_seconds DOUBLE PRECISION NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('success', 'partial', 'failed'))
);
CREATE INDEX edition_batches_by_task ON edition_batches (task_id, batch_index);
CREATE TABLE digests (
    id {id},
    task_id BIGINT REFERENCES edition_tasks (id) ON DELETE SET NULL,
    scope TEXT NOT NULL,
    subscription_hash TEXT,
    type TEXT NOT NULL CHECK (type IN ('4h', 'daily', 'weekly', 'monthly')),
    period TEXT NOT NULL,
    title TEXT NOT NULL,
    content TEXT NOT NULL,
    metadata TEXT NOT NULL DEFAULT '{}',
    created_at DOUBLE PRECISION NOT NULL,
    published_at DOUBLE PRECISION,
    UNIQUE (scope, type, period)
);
CREATE INDEX digests_recent ON digests (type, created_at);
CREATE TABLE deliveries (
    id {id},
    digest_id BIGINT NOT NULL REFERENCES digests (id) ON DELETE CASCADE,
    channel TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'pending'
        CHECK (state IN ('pending', 'partial', 'sent', 'uncertain', 'failed')),
    attempts INTEGER NOT NULL DEFAULT 0,
    last_error TEXT,
    created_at DOUBLE PRECISION NOT NULL,
    updated_at DOUBLE PRECISION NOT NULL,
    UNIQUE (digest_id, channel)
);
CREATE TABLE outbox (
    id {id},
    digest_id BIGINT NOT NULL REFERENCES digests (id) ON DELETE CASCADE,
    channel TEXT NOT NULL,
    part INTEGER NOT NULL,
    idempotency_key TEXT NOT NULL UNIQUE,
    payload TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'pending'
        CHECK (state IN ('pending', 'sending', 'sent', 'retry', 'uncertain', 'dead')),
    attempts INTEGER NOT NULL DEFAULT 0,
    claim BIGINT NOT NULL DEFAULT 0,
    lease_until DOUBLE PRECISION,
    not_before DOUBLE PRECISION,
    remote_id TEXT,
    last_error TEXT,
    created_at DOUBLE PRECISION NOT NULL,
    updated_at DOUBLE PRECISION NOT NULL,
    UNIQUE (digest_id, channel, part)
);
CREATE INDEX outbox_waiting ON outbox (not_before) WHERE state IN ('pending', 'sending', 'retry');
"""
SCHEMA = {
    "sqlite": ["SELECT type, name, tbl_name, sql FROM sqlite_master"],
    "postgresql": [
        """
        SELECT table_name, column_name, ordinal_position, data_type, is_nullable, column_default
        FROM information_schema.columns WHERE table_schema = 'public'
        """,
        "SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'",
        """
        SELECT conrelid::regclass::text AS owner, conname, pg_get_constraintdef(oid) AS definition
        FROM pg_constraint WHERE connamespace = 'public'::regnamespace
        """,
    ],
}
KEPT = ("users", "sources", "raw_items", "user_subscriptions")


def before_the_new_tables() -> tuple[Migration, ...]:
    """The migrations as they were: with tables in 0003, and without those that came after."""
    [new] = [one for one in migrations() if one.name.endswith("_edition_tables")]
    earlier = [one for one in migrations() if one.version < new.version]
    return tuple(replace(one, sql=FIRST_0003) if one.version == 3 else one for one in earlier)


async def rows(database: Database, sql: str) -> list[str]:
    return sorted(str(tuple(row)) for row in await database.read(sql))  # type: ignore[arg-type] # both drivers' rows are sequences


async def schema(database: Database) -> list[list[str]]:
    return [await rows(database, sql) for sql in SCHEMA[database.dialect.name]]


async def columns_of(database: Database, table: str) -> str:
    [row, *_] = await database.read(f"SELECT * FROM {table}")
    return ", ".join(cast("Mapping[str, object]", row).keys())


async def contents(database: Database, columns: dict[str, str]) -> list[list[str]]:
    """What stands in the tables, as far as their *columns* go: later ones are nobody's loss."""
    return [await rows(database, f"SELECT {columns[table]} FROM {table}") for table in KEPT]


@pytest.fixture
def another_empty_url(request: pytest.FixtureRequest, empty_database_url: str) -> str:
    """A second database of the same kind."""
    if empty_database_url.startswith("sqlite"):
        return f"{empty_database_url}.another"
    server: PostgresServer = request.getfixturevalue("postgres")
    return server.empty_database()


async def test_a_database_with_the_first_edition_tables_ends_up_like_a_fresh_one(
    empty_database_url: str, another_empty_url: str
) -> None:
    """(F29): what people and sources left in it stays."""
    old = await open_database(StorageConfig(url=empty_database_url))
    fresh = await open_database(StorageConfig(url=another_empty_url))
    await migrate(old, now=NOON, known=before_the_new_tables())
    await add_people(old)
    [row] = await execute(
        old,
        "INSERT INTO sources (name, type, config, identity, host, created_at, updated_at) "
        "VALUES ('a', 'rss', '{}', 'a', '', 1, 1) RETURNING id",
    )
    source = SourceId(row["id"])
    await add_item(old, source, "kept")
    await subscribe(old, ANNA, source)
    columns = {table: await columns_of(old, table) for table in KEPT}
    before = await contents(old, columns)
    assert "deliveries" in str(await schema(old))

    for database in (old, fresh):
        await migrate(database, now=NOON)

    assert all(before)
    assert await contents(old, columns) == before
    assert await schema(old) == await schema(fresh)
    await old.close()
    await fresh.close()
