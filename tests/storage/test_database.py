"""What both drivers promise, on both databases."""

from __future__ import annotations

import asyncio

import pytest

from clawfeed.app.clock import system_clock
from clawfeed.domain.errors import StorageError
from clawfeed.storage.database import (
    ConstraintError,
    Database,
    Insert,
    Statement,
    Steps,
    execute,
)

SET = "INSERT INTO config (key, value, updated_at) VALUES (:key, :value, 0)"


async def keys(database: Database) -> list[str]:
    rows = await database.read("SELECT key FROM config ORDER BY key")
    return [row["key"] for row in rows]


async def test_a_write_can_be_read_once_acknowledged(database: Database) -> None:
    await execute(database, SET, {"key": "a", "value": "1"})

    rows = await database.read("SELECT value FROM config WHERE key = :key", {"key": "a"})

    assert [row["value"] for row in rows] == ["1"]


async def test_a_transaction_sees_its_own_rows_and_returns_its_value(database: Database) -> None:
    def steps() -> Steps[int]:
        yield Statement(SET, {"key": "a", "value": "1"})
        rows = yield Statement("SELECT count(*) AS n FROM config")
        return int(rows[0]["n"])

    assert await database.run(steps) == 1


async def test_an_exception_inside_leaves_no_trace_and_reaches_the_caller(
    database: Database,
) -> None:
    def steps() -> Steps[None]:
        yield Statement(SET, {"key": "a", "value": "1"})
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await database.run(steps)

    assert await keys(database) == []


async def test_one_failing_transaction_does_not_spoil_its_neighbours(database: Database) -> None:
    """Requests share a commit on SQLite, yet each stands or falls alone."""
    await execute(database, SET, {"key": "twice", "value": "1"})
    names = ["a", "twice", "b", "twice", "c"]

    results = await asyncio.gather(
        *(execute(database, SET, {"key": name, "value": "2"}) for name in names),
        return_exceptions=True,
    )

    assert [isinstance(result, ConstraintError) for result in results] == [
        name == "twice" for name in names
    ]
    assert await keys(database) == ["a", "b", "c", "twice"]


async def test_neighbours_of_a_failing_transaction_are_stored_once(database: Database) -> None:
    """SQLite runs the whole group again, each alone; what was counted before must not count."""
    await execute(database, SET, {"key": "n", "value": "0"})
    count = "UPDATE config SET updated_at = updated_at + 1 WHERE key = 'n'"
    work = [count, count, "INSERT INTO config (key) VALUES ('no value')", count]

    results = await asyncio.gather(
        *(execute(database, sql) for sql in work), return_exceptions=True
    )

    [row] = await database.read("SELECT updated_at FROM config")
    assert [isinstance(result, ConstraintError) for result in results] == [
        False,
        False,
        True,
        False,
    ]
    assert row["updated_at"] == 3


async def test_a_statement_that_must_change_a_row_raises_what_it_was_given(
    database: Database,
) -> None:
    def steps(key: str) -> Steps[str]:
        yield Statement(SET, {"key": "before", "value": "1"})
        yield Statement(
            "UPDATE config SET value = '2' WHERE key = :key", {"key": key}, LookupError(key)
        )
        return "changed"

    with pytest.raises(LookupError):
        await database.run(lambda: steps("absent"))
    nothing = await keys(database)

    assert nothing == []
    assert await database.run(lambda: steps("before")) == "changed"


async def test_fifty_tasks_write_single_rows_side_by_side(database: Database) -> None:
    async def write(task: int) -> None:
        for n in range(10):
            await execute(database, SET, {"key": f"{task:02}-{n}", "value": "x"})

    await asyncio.gather(*(write(task) for task in range(50)))

    assert len(await keys(database)) == 500


async def test_an_insert_returns_only_the_rows_that_were_new(database: Database) -> None:
    def steps(*names: str) -> Steps[list[str]]:
        rows = yield Insert(
            table="config",
            columns=("key", "value", "updated_at"),
            rows=[(name, "x", 0.0) for name in names],
            returning="key",
        )
        return sorted(row["key"] for row in rows)

    first = await database.run(lambda: steps("a", "b"))
    second = await database.run(lambda: steps("b", "c"))
    nothing = await database.run(steps)

    assert (first, second, nothing) == (["a", "b"], ["c"], [])


async def test_an_insert_that_asks_for_nothing_back_inserts_all_the_same(
    database: Database,
) -> None:
    def steps() -> Steps[int]:
        rows = yield Insert(
            table="config",
            columns=("key", "value", "updated_at"),
            rows=[("a", "x", 0.0), ("b", "x", 0.0)],
        )
        return len(rows)

    assert await database.run(steps) == 0
    assert await keys(database) == ["a", "b"]


async def test_a_wrong_statement_is_a_storage_error_and_the_next_one_works(
    database: Database,
) -> None:
    with pytest.raises(StorageError, match="no_such_table"):
        await database.read("SELECT * FROM no_such_table")
    with pytest.raises(StorageError, match="no_such_table"):
        await execute(database, "DELETE FROM no_such_table")

    await execute(database, SET, {"key": "a", "value": "1"})
    assert await keys(database) == ["a"]


async def test_text_of_every_kind_comes_back_as_it_went_in(database: Database) -> None:
    text = "naïve 中文 🦀 ' \" ; -- \\ \x01 :name $1"

    await execute(database, SET, {"key": "text", "value": text})

    rows = await database.read("SELECT value FROM config")
    assert rows[0]["value"] == text


async def test_the_databases_clock_agrees_with_ours_within_a_minute(database: Database) -> None:
    rows = await database.read(f"SELECT {database.dialect.now} AS now")

    assert abs(rows[0]["now"] - system_clock().timestamp()) < 60


async def test_a_cancelled_writer_does_not_disturb_the_others(database: Database) -> None:
    doomed = asyncio.create_task(execute(database, SET, {"key": "doomed", "value": "1"}))
    await asyncio.sleep(0)
    doomed.cancel()

    await execute(database, SET, {"key": "fine", "value": "1"})

    assert "fine" in await keys(database)


async def test_the_database_says_what_it_is(database: Database) -> None:
    assert (await database.version()).split()[0].lower() == database.dialect.name
