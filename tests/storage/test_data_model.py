"""The tables that people write queries against: columns, keys, indexes, what goes with a source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from clawfeed.storage.database import Database

REAL = {"sqlite": "REAL", "postgresql": "double precision"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """What a database says of one of its tables. A key's or an index's columns are in order."""

    columns: Mapping[str, str]
    key: tuple[str, ...]
    unique: set[tuple[str, ...]]
    indexes: set[tuple[str, ...]]
    cascades: set[tuple[str, str]]  # a column, and the table its row goes with


async def described(database: Database, table: str) -> Table:
    reader = _by_sqlite if database.dialect.name == "sqlite" else _by_postgresql
    return await reader(database, table)


async def _by_sqlite(database: Database, table: str) -> Table:
    columns = await database.read(f"SELECT name, type, pk FROM pragma_table_info('{table}')")
    listed = await database.read(
        f"""
        SELECT l.name, l.origin, l.partial, i.name AS part FROM pragma_index_list('{table}') l
        JOIN pragma_index_info(l.name) i ORDER BY l.name, i.seqno
        """
    )
    parts: dict[tuple[str, str], tuple[str, ...]] = {}
    for row in listed:
        if not row["partial"]:
            at = (row["name"], row["origin"])
            parts[at] = (*parts.get(at, ()), str(row["part"]))
    foreign = await database.read(
        f"SELECT * FROM pragma_foreign_key_list('{table}') WHERE on_delete = 'CASCADE'"
    )
    return Table(
        columns={row["name"]: row["type"] for row in columns},
        key=tuple(row["name"] for row in sorted(columns, key=lambda each: each["pk"]) if row["pk"]),
        unique={names for (_, origin), names in parts.items() if origin == "u"},
        indexes={names for (_, origin), names in parts.items() if origin == "c"},
        cascades={(row["from"], row["table"]) for row in foreign},
    )


async def _by_postgresql(database: Database, table: str) -> Table:
    columns = await database.read(
        "SELECT column_name, data_type FROM information_schema.columns "
        f"WHERE table_name = '{table}'"
    )
    constraints = await database.read(
        f"""
        SELECT contype::text AS kind, confrelid::regclass::text AS other,
            confdeltype::text AS on_delete,
            (SELECT string_agg(a.attname, ',' ORDER BY k.ord)
             FROM unnest(conkey) WITH ORDINALITY k(attnum, ord)
             JOIN pg_attribute a ON a.attrelid = conrelid AND a.attnum = k.attnum) AS names
        FROM pg_constraint WHERE conrelid = '{table}'::regclass
        """
    )
    indexes = await database.read(
        f"""
        SELECT string_agg(a.attname, ',' ORDER BY k.ord) AS names
        FROM pg_index i CROSS JOIN unnest(i.indkey::int[]) WITH ORDINALITY k(attnum, ord)
        JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum
        WHERE i.indrelid = '{table}'::regclass AND i.indpred IS NULL AND NOT i.indisunique
        GROUP BY i.indexrelid
        """
    )
    by_kind = [(row["kind"], tuple(row["names"].split(",")), row) for row in constraints]
    return Table(
        columns={row["column_name"]: row["data_type"] for row in columns},
        key=next(names for kind, names, _ in by_kind if kind == "p"),
        unique={names for kind, names, _ in by_kind if kind == "u"},
        indexes={tuple(row["names"].split(",")) for row in indexes},
        cascades={
            (names[0], row["other"])
            for kind, names, row in by_kind
            if kind == "f" and row["on_delete"] == "c"
        },
    )


async def test_the_table_of_items(database: Database) -> None:
    """(S001-1)."""
    items = await described(database, "raw_items")
    sources = await described(database, "sources")

    assert set(items.columns) >= {
        "id", "source_id", "title", "url", "author", "content", "fetched_at", "published_at",
        "dedup_key", "metadata",
    }  # fmt: skip
    assert items.key == ("id",)
    assert items.unique == {("source_id", "dedup_key")}
    assert items.cascades == {("source_id", "sources")}
    assert set(sources.columns) >= {"fetch_error_count", "last_error"}


async def test_the_table_of_execution_states(database: Database) -> None:
    """(S003-1)."""
    states = await described(database, "collector_execution_state")

    assert set(states.columns) == {
        "collector_name", "param_key", "last_execution_time", "created_at", "updated_at",
        "execution_count",
    }  # fmt: skip
    assert states.columns["last_execution_time"] == REAL[database.dialect.name]
    assert states.key == ("collector_name", "param_key")
    assert states.indexes == {("collector_name", "last_execution_time")}


async def test_the_table_of_statistics(database: Database) -> None:
    """(S004-1)."""
    stats = await described(database, "source_stats")

    assert set(stats.columns) >= {
        "source_id", "source_type", "frequency_type", "cadence", "avg_publish_hour",
        "std_publish_hour", "next_due_at", "last_check_at", "last_article_at", "fail_count",
        "backoff_until", "last_error", "check_count", "hit_count", "created_at", "updated_at",
    }  # fmt: skip
    assert stats.key == ("source_id",)
    assert stats.indexes >= {("next_due_at",), ("source_type",)}
    assert stats.cascades == {("source_id", "sources")}
