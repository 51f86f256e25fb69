"""Bring a database to the schema this version knows: numbered SQL files, forward only.

`0001_name.sql` serves both databases; `0001_name.sqlite.sql` and `0001_name.postgresql.sql` are one
migration where they must differ.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib.resources import files

from clawfeed.domain.errors import ConfigError
from clawfeed.storage.database import Database, Dialect, NoDatabaseError, Statement, Steps
from clawfeed.storage.timestamps import seconds

LEDGER = "schema_migrations"
_LEDGER = f"""
CREATE TABLE IF NOT EXISTS {LEDGER} (
    version INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    applied_at DOUBLE PRECISION NOT NULL
)
"""
# The tables where ours would go. What an extension (PostGIS) brings along is nobody's data.
TABLES = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
    "postgresql": """
        SELECT c.relname AS name
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p')
          AND NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
    """,
}
# Names of tables in a sentence: enough to recognise whose they are.
MOST_SHOWN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """*sql* is one text for every database, or a text for each by its dialect's name."""

    version: int
    name: str
    sql: str | Mapping[str, str]

    def statements(self, dialect: Dialect) -> list[str]:
        """The file's statements in *dialect*; each ends with a semicolon at a line's end."""
        sql = self.sql if isinstance(self.sql, str) else self.sql[dialect.name]
        lines = sql.splitlines(keepends=True)
        text = "".join(line for line in lines if not line.lstrip().startswith("--"))
        for spelling in ("id", "bytes", "real"):
            text = text.replace(f"{{{spelling}}}", getattr(dialect, spelling))
        return [part for part in text.split(";\n") if part.strip()]


@cache
def migrations() -> tuple[Migration, ...]:
    """Every migration this version knows, in order."""
    folder = files("clawfeed.storage") / "migrations"
    texts: dict[str, dict[str, str]] = {}
    for file in folder.iterdir():
        if file.name.endswith(".sql"):
            name, _, dialect = file.name.removesuffix(".sql").partition(".")
            texts.setdefault(name, {})[dialect] = file.read_text(encoding="utf-8")
    return tuple(
        Migration(version=int(name.partition("_")[0]), name=name, sql=sql.get("", sql))
        for name, sql in sorted(texts.items())
    )


async def migrate(
    database: Database, *, now: datetime, known: tuple[Migration, ...] | None = None
) -> list[str]:
    """Apply what is missing and return its names; nothing to do returns [].

    All in one transaction under a lock: two processes that start together do not collide, and
    a crash leaves the old schema or the new one. A schema from the future is refused, and so is
    a database that another program filled.
    """
    wanted = migrations() if known is None else known
    return await database.run(lambda: _apply_missing(wanted, database, now))


async def schema_version(database: Database) -> int:
    """The newest migration that was applied; `StorageError` if there is no schema of ours."""
    rows = await database.read("SELECT max(version) AS version FROM schema_migrations")
    return int(rows[0]["version"] or 0)


async def refuse_foreign(database: Database) -> None:
    """Raise `ConfigError` if another program's tables are in *database*, and none of ours."""
    rows = await database.read(TABLES[database.dialect.name])
    _refuse_foreign({str(row["name"]) for row in rows}, database)


async def require_schema(database: Database) -> None:
    """Raise `NoDatabaseError` if *database* is empty: who only reads does not fill it."""
    if not await database.read(TABLES[database.dialect.name]):
        raise NoDatabaseError.of(getattr(database, "path", None) or "DATABASE_URL")


def _apply_missing(
    known: tuple[Migration, ...], database: Database, now: datetime
) -> Steps[list[str]]:
    dialect = database.dialect
    if dialect.migration_lock:
        yield Statement(dialect.migration_lock)
    found = yield Statement(TABLES[dialect.name])
    _refuse_foreign({str(row["name"]) for row in found}, database)
    yield Statement(_LEDGER)
    rows = yield Statement("SELECT version FROM schema_migrations")
    applied = {int(row["version"]) for row in rows}
    _refuse_the_future(applied, known)
    missing = [migration for migration in known if migration.version not in applied]
    for migration in missing:
        for sql in migration.statements(dialect):
            yield Statement(sql)
        yield Statement(
            "INSERT INTO schema_migrations (version, name, applied_at) "
            "VALUES (:version, :name, :at)",
            {"version": migration.version, "name": migration.name, "at": seconds(now)},
        )
    return [migration.name for migration in missing]


def _refuse_foreign(tables: set[str], database: Database) -> None:
    if not tables or LEDGER in tables:
        return
    path = getattr(database, "path", None)  # only SQLite is a file
    shown = ", ".join(sorted(tables)[:MOST_SHOWN]) + (", …" if len(tables) > MOST_SHOWN else "")
    raise ConfigError(
        f"DATABASE_URL: {path or 'this database'} belongs to another program (its tables are "
        f"{shown}): name a new or an empty database"
    )


def _refuse_the_future(applied: set[int], known: tuple[Migration, ...]) -> None:
    newest = max((migration.version for migration in known), default=0)
    if max(applied, default=0) > newest:
        raise ConfigError(
            f"DATABASE_URL: this database was made by a newer ClawFeed (schema {max(applied)}, "
            f"this version knows {newest}): upgrade ClawFeed, or name another database"
        )
