"""What only SQLite has: files, locks, disks and old libraries."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from clawfeed.domain.errors import StorageError
from clawfeed.storage.database import Statement, Steps, execute
from clawfeed.storage.drivers.sqlite import SqliteDatabase
from clawfeed.storage.drivers.sqlite_connection import connect_writer
from clawfeed.storage.drivers.sqlite_errors import is_fatal, translate
from clawfeed.storage.drivers.sqlite_library import VERSION, is_safe_to_share, sqlite3
from clawfeed.storage.drivers.sqlite_lock import open_share
from tests.support.processes import wait_until


async def test_a_write_ahead_log_with_full_syncs_is_the_default(tmp_path: Path) -> None:
    """F4: `NORMAL` lost acknowledged commits in 217 of 300 simulated power cuts, `FULL` none."""
    database = SqliteDatabase(tmp_path / "a.db")

    [mode] = await execute(database, "PRAGMA journal_mode")
    [sync] = await execute(database, "PRAGMA synchronous")

    assert (mode["journal_mode"], sync["synchronous"]) == ("wal", 2)
    await database.close()


async def test_the_write_ahead_log_can_be_turned_off(tmp_path: Path) -> None:
    """(S003-6) `storage.enable_wal`."""
    database = SqliteDatabase(tmp_path / "a.db", enable_wal=False)

    [mode] = await execute(database, "PRAGMA journal_mode")

    assert mode["journal_mode"] == "delete"
    await database.close()


async def test_a_closed_file_alone_holds_everything(tmp_path: Path) -> None:
    """Also when a reader was open, and while another process goes on with the file."""
    ours, other = SqliteDatabase(tmp_path / "a.db"), SqliteDatabase(tmp_path / "a.db")
    await execute(ours, "CREATE TABLE t (n INTEGER)")
    await other.read("SELECT n FROM t")

    await ours.close()

    assert _tables_in_a_copy(tmp_path / "a.db") == {"t"}
    await execute(other, "CREATE TABLE u (n INTEGER)")
    await other.close()
    assert _tables_in_a_copy(tmp_path / "a.db") == {"t", "u"}
    assert not (tmp_path / "a.db-wal").exists()


async def test_a_quiet_moment_copies_the_log_into_the_file(tmp_path: Path) -> None:
    database = SqliteDatabase(tmp_path / "a.db", quiet=0.01)

    await execute(database, "CREATE TABLE t (n INTEGER)")

    wait_until(lambda: bool(_tables_in_a_copy(tmp_path / "a.db")))
    found = _tables_in_a_copy(tmp_path / "a.db")
    await database.close()
    assert found == {"t"}


def _tables_in_a_copy(path: Path) -> set[str]:
    """The tables of the file alone, as `cp` takes it."""
    copy = path.with_name("copy.db")
    copy.write_bytes(path.read_bytes())
    with closing(sqlite3.connect(copy)) as connection:
        return {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}


async def test_only_its_owner_may_read_the_file_and_its_log(tmp_path: Path) -> None:
    database = SqliteDatabase(tmp_path / "a.db")
    await execute(database, "CREATE TABLE t (n INTEGER)")

    modes = {each.name: each.stat().st_mode & 0o777 for each in tmp_path.iterdir()}

    assert {"a.db", "a.db-wal", "a.db-shm"} <= modes.keys()
    assert set(modes.values()) == {0o600}
    await database.close()


@pytest.mark.parametrize(
    ("version", "is_safe"),
    [("3.51.2", False), ("3.51.3", True), ("3.40.1", False), ("3.53.4", True), ("4.0.0", True)],
)
def test_only_a_sqlite_without_the_wal_reset_bug_may_share_a_file(
    version: str, is_safe: bool
) -> None:
    assert is_safe_to_share(version) is is_safe


def test_an_old_sqlite_is_refused_a_file_that_is_in_use(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    holder = open_share(path, may_share=True, version=VERSION)

    with pytest.raises(StorageError, match=r"3\.40\.1 cannot share.*PostgreSQL"):
        open_share(path, may_share=False, version="3.40.1")

    assert holder is not None
    holder.close()
    alone = open_share(path, may_share=False, version="3.40.1")
    with pytest.raises(StorageError, match="cannot share it safely; stop that process"):
        open_share(path, may_share=True, version=VERSION)
    assert alone is not None
    alone.close()


async def test_two_owners_share_one_file_where_sqlite_can_and_else_the_second_is_told(
    tmp_path: Path,
) -> None:
    first = SqliteDatabase(tmp_path / "a.db")
    if not is_safe_to_share():
        with pytest.raises(StorageError, match="cannot share"):
            SqliteDatabase(tmp_path / "a.db")
        await first.close()
        return
    second = SqliteDatabase(tmp_path / "a.db")
    await execute(first, "CREATE TABLE t (n INTEGER)")

    await execute(second, "INSERT INTO t VALUES (1)")

    assert [row["n"] for row in await first.read("SELECT n FROM t")] == [1]
    await first.close()
    await second.close()


async def test_what_arrives_during_a_transaction_shares_its_commit(tmp_path: Path) -> None:
    database = SqliteDatabase(tmp_path / "a.db")
    await execute(database, "CREATE TABLE t (n INTEGER)")
    texts: list[str] = []
    database._writer._connection.set_trace_callback(texts.append)
    is_queued = threading.Event()

    def first() -> Steps[None]:
        yield Statement("INSERT INTO t VALUES (1)")
        assert is_queued.wait(10)

    running = asyncio.create_task(database.run(first))
    await asyncio.sleep(0)
    later = asyncio.create_task(execute(database, "INSERT INTO t VALUES (2)"))
    await asyncio.sleep(0)
    is_queued.set()
    await asyncio.gather(running, later)

    assert texts.count("COMMIT") == 1
    assert [row["n"] for row in await database.read("SELECT n FROM t ORDER BY n")] == [1, 2]
    await database.close()


async def test_those_who_wait_behind_a_locked_file_fail_with_the_first(tmp_path: Path) -> None:
    """Each would wait as long for the same lock, one after the other."""
    database = SqliteDatabase(tmp_path / "a.db", busy=1.0)
    await execute(database, "CREATE TABLE t (n INTEGER)")
    other = sqlite3.connect(tmp_path / "a.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    started = asyncio.get_running_loop().time()
    writes = (execute(database, "INSERT INTO t VALUES (1)") for _ in range(20))
    answers = await asyncio.gather(*writes, return_exceptions=True)

    assert all(isinstance(answer, StorageError) for answer in answers)
    assert asyncio.get_running_loop().time() - started < 20 * 1.0  # one after the other
    other.close()
    await database.close()


async def test_a_locked_file_is_one_sentence_and_works_again_afterwards(tmp_path: Path) -> None:
    """F7."""
    database = SqliteDatabase(tmp_path / "a.db", busy=0.1)
    await execute(database, "CREATE TABLE t (n INTEGER)")
    other = sqlite3.connect(tmp_path / "a.db", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")

    with pytest.raises(StorageError, match=r"a\.db is locked by another program") as caught:
        await execute(database, "INSERT INTO t VALUES (1)")

    assert "\n" not in str(caught.value)
    other.execute("ROLLBACK")
    other.close()
    await execute(database, "INSERT INTO t VALUES (2)")
    assert [row["n"] for row in await database.read("SELECT n FROM t")] == [2]
    await database.close()


def test_a_file_that_is_no_database_is_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    path.write_bytes(b"this is a letter, not a database" * 100)

    with pytest.raises(StorageError, match=r"a\.db is not a SQLite database"):
        SqliteDatabase(path)


def test_a_data_directory_that_cannot_be_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file where the directory should be")

    with pytest.raises(StorageError, match="cannot write to the data directory"):
        SqliteDatabase(tmp_path / "data" / "a.db")


# Root may write anywhere, so it becomes somebody who may not; imports come before that.
READ_ONLY = """
import os, sys
from pathlib import Path
from clawfeed.domain.errors import StorageError
from clawfeed.storage.drivers.sqlite import SqliteDatabase
if os.geteuid() == 0:
    os.setuid(65534)
try:
    SqliteDatabase(Path(sys.argv[1]))
except StorageError as error:
    print(error)
"""


def test_a_read_only_data_directory_is_one_sentence() -> None:
    with TemporaryDirectory() as folder:  # not tmp_path: others may not even look in there
        Path(folder).chmod(0o555)
        child = subprocess.run(
            [sys.executable, "-c", READ_ONLY, f"{folder}/a.db"],
            capture_output=True,
            text=True,
            check=False,
        )

    assert child.stdout.startswith("cannot write to the data directory"), child.stderr
    assert child.stdout.count("\n") == 1


async def test_a_full_disk_refuses_cleanly_and_recovers(tmp_path: Path) -> None:
    """F5: what was acknowledged is there, what was refused is not, and life goes on."""
    database = SqliteDatabase(tmp_path / "a.db")
    await execute(database, "CREATE TABLE t (n INTEGER, x BLOB)")
    [pages] = await execute(database, "PRAGMA page_count")
    await execute(database, f"PRAGMA max_page_count = {pages['page_count'] + 10}")
    acknowledged = 0
    refusal = ""

    while not refusal:
        try:
            await execute(database, "INSERT INTO t VALUES (0, zeroblob(8000))")
            acknowledged += 1
        except StorageError as error:
            refusal = str(error)

    assert "is full" in refusal
    rows = await database.read("SELECT count(*) AS n FROM t")
    assert rows[0]["n"] == acknowledged
    await execute(database, "PRAGMA max_page_count = 100000")
    await execute(database, "INSERT INTO t VALUES (-1, NULL)")
    await database.close()


async def test_a_closed_database_says_so(tmp_path: Path) -> None:
    database = SqliteDatabase(tmp_path / "a.db")
    await database.close()

    with pytest.raises(StorageError, match="is closed"):
        await execute(database, "SELECT 1")


@pytest.mark.parametrize(
    ("name", "sentence", "fatal"),
    [
        ("SQLITE_IOERR_FSYNC", "the disk that holds a.db failed", True),
        ("SQLITE_CORRUPT", "a.db is damaged", True),
        ("SQLITE_BUSY_SNAPSHOT", "a.db is locked", False),
        ("SQLITE_SOMETHING", "a.db: oops", False),
    ],
)
def test_each_error_becomes_one_sentence(name: str, sentence: str, fatal: bool) -> None:
    """F6: after a failed sync nothing more may be acknowledged."""
    error = sqlite3.OperationalError("oops")
    error.sqlite_errorname = name

    assert str(translate(error, Path("a.db"))).startswith(sentence)
    assert is_fatal(error) is fatal


def test_a_statement_is_prepared_once_however_many_others_came_before(tmp_path: Path) -> None:
    """Migrations, and lists of every length, are hundreds of texts."""
    connection = connect_writer(tmp_path / "x.db", enable_wal=True, may_create=True, busy=5.0)
    for number in range(1000):
        connection.execute(f"SELECT {number}")
    prepared: list[int] = []

    def note(action: int, *_: object) -> int:
        """SQLite asks this while it prepares a statement, not when it runs one."""
        prepared.append(action)
        return 0

    connection.set_authorizer(note)

    for _ in range(3):
        connection.execute("SELECT 'each poll'")
        connection.execute("SELECT 'each claim'")

    connection.close()
    assert len(prepared) == 2
