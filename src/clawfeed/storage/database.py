"""What the rest of storage asks of a database, and nothing it does not.

A transaction is a generator: it yields statements and is sent their rows. The driver runs it,
SQLite inside its writer thread and PostgreSQL over the wire, so each query is written once
(docs/decisions/0002).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias, TypeVar, cast

from clawfeed.domain.errors import StorageError

SqlValue: TypeAlias = "str | int | float | bytes | None"
T = TypeVar("T")


class Row(Protocol):
    """A result row; its values are taken out, typed, by the function that asked for it."""

    def __getitem__(self, column: str, /) -> Any: ...  # noqa: ANN401 -- the edge of SQL


@dataclass(frozen=True, slots=True)
class Statement:
    """One SQL statement with `:named` parameters.

    *otherwise* is raised if an UPDATE finds no row: half the price of asking by RETURNING.
    """

    sql: str
    params: Mapping[str, SqlValue] = field(default_factory=dict)
    otherwise: Exception | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Insert:
    """Many rows at once; rows that meet an existing key are left out, not an error.

    Answers with one row of *returning*, if given, for each row that was really inserted. Sort
    *rows* by key: two writers that take the same keys in the same order cannot deadlock.
    """

    table: str
    columns: Sequence[str]
    rows: Sequence[Sequence[SqlValue]]
    returning: str | None = None


Step: TypeAlias = Statement | Insert
Steps: TypeAlias = Generator[Step, list[Row], T]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialect:
    """The few spellings that differ. Everything else is the same SQL on both."""

    name: str
    id: str
    bytes: str
    real: str
    now: str  # the database's own clock, as seconds since 1970: it decides leases
    skip_locked: str  # ends a claiming SELECT over the alias `t`
    as_json: str  # an aggregate: all values of a column as one JSON array
    texts_in_json: str  # a table of one column, the texts in the JSON array `:json`
    migration_lock: str | None  # held until the migrating transaction ends
    # True if `asked.value` is nobody else's until our transaction ends. None: one writer anyway.
    host_lock: str | None
    # One claim of messages at a time: two would both count who is under way before either took any.
    outbox_lock: str | None


class ConstraintError(StorageError):
    """A row broke a constraint; the transaction left no trace."""


class NoDatabaseError(StorageError):
    """There is nothing of ours to read yet, and whoever asked may not make it."""

    @classmethod
    def of(cls, place: object) -> NoDatabaseError:
        return cls(
            f"there is no ClawFeed database at {place} yet: `clawfeed run` or `clawfeed migrate` "
            "makes it, or name another one in DATABASE_URL"
        )


class Database(Protocol):
    """One open database. Safe to use from many tasks of one event loop."""

    @property
    def dialect(self) -> Dialect: ...

    async def read(self, sql: str, params: Mapping[str, SqlValue] | None = None) -> list[Row]:
        """The rows of one SELECT, as last committed."""
        ...

    async def run(self, steps: Callable[[], Steps[T]]) -> T:
        """Run *steps* as one transaction and return what it returns, once durable.

        An exception inside leaves no trace. *steps* is called again if the database asks for
        a retry, so it must have no effect of its own.
        """
        ...

    async def version(self) -> str:
        """Which database this is, for people: `SQLite 3.53.4`."""
        ...

    async def close(self) -> None: ...


async def execute(
    database: Database, sql: str, params: Mapping[str, SqlValue] | None = None
) -> list[Row]:
    """Run one writing statement as a transaction of its own."""

    def steps() -> Steps[list[Row]]:
        return (yield Statement(sql, params or {}))

    return await database.run(steps)


async def read_by(database: Database, steps: Steps[T]) -> T:
    """What *steps* returns, each of its statements a read of its own: for steps that only read."""
    rows: list[Row] | None = None
    while True:
        try:
            step = next(steps) if rows is None else steps.send(rows)
        except StopIteration as end:
            return cast("T", end.value)
        if isinstance(step, Insert):
            raise TypeError("steps that write need a transaction")
        rows = await database.read(step.sql, step.params)


def in_order(row: Row) -> Iterable[Any]:
    """The values of a row: both drivers give them in the order of the SELECT."""
    return cast("Iterable[Any]", row)
