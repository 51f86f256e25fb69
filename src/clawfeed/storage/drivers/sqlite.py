"""SQLite: one writer thread that commits in groups, a few read-only connections.

Every acknowledged write is on disk (`synchronous=FULL`). Writers that arrive while a commit is
being synced share the next one: 50 tasks cost about as many syncs as 3 would alone.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from clawfeed.domain.errors import StorageError
from clawfeed.storage.database import (
    Dialect,
    Insert,
    Row,
    SqlValue,
    Statement,
    Step,
    Steps,
)
from clawfeed.storage.drivers.sqlite_errors import is_fatal, translate
from clawfeed.storage.drivers.sqlite_file import prepare_file
from clawfeed.storage.drivers.sqlite_library import VERSION, sqlite3
from clawfeed.storage.migrate import LEDGER, TABLES

log = logging.getLogger(__name__)
T = TypeVar("T")

DIALECT = Dialect(
    name="sqlite",
    id="INTEGER PRIMARY KEY AUTOINCREMENT",
    bytes="BLOB",
    real="REAL",
    # Works on every SQLite, with milliseconds; unixepoch('subsec') needs 3.42.
    now="((julianday('now') - 2440587.5) * 86400.0)",
    skip_locked="",
    as_json="json_group_array",
    texts_in_json="json_each(:json)",
    migration_lock=None,
    host_lock=None,
    outbox_lock=None,
)
# How long a statement waits for another process's transaction before it gives up.
BUSY_SECONDS = 5.0
READERS = 4
# A commit of many polls dirties 2 MB, which is all of SQLite's usual cache: pages would be written
# before their time, and read back. Negative means KiB, not pages.
CACHE_KIB = -16_384
# 16 MB of log before it is copied into the file: pages that every poll changes are copied a quarter
# as often. Together a tenth of what storing costs.
PAGES_IN_LOG = 4000
# Rows in one INSERT: each statement is a wait for the interpreter's lock, and texts of 64 lengths
# still fit into the cache of prepared statements.
ROWS_AT_ONCE = 64
# Prepared statements kept. The library's cache of 128 lets nothing new in for good once it is full
# of others: the migrations of a fresh file alone filled it, and every statement of every poll was
# prepared anew (2.5 times the time in the writer).
STATEMENTS_KEPT = 2000
# Without a write for this long, the log is copied into the file: whoever then takes the file alone
# has everything.
QUIET_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class _Request:
    """A transaction waiting for the writer, and the task waiting for the transaction."""

    steps: Callable[[], Steps[Any]]
    future: asyncio.Future[Any]
    loop: asyncio.AbstractEventLoop


@dataclass(frozen=True, slots=True)
class _Done:
    request: _Request
    result: Any = None
    error: BaseException | None = None


class SqliteDatabase:
    """One SQLite file, open for this process; unless it *may_create*, one that is there already."""

    def __init__(
        self,
        path: Path,
        *,
        batch_size: int = 100,
        enable_wal: bool = True,
        may_create: bool = True,
        quiet: float = QUIET_SECONDS,
        busy: float = BUSY_SECONDS,
    ) -> None:
        self._path, self._busy = path, busy
        self._share = prepare_file(path, may_create=may_create)
        try:
            connection = _connect_writer(
                path, enable_wal=enable_wal, may_create=may_create, busy=busy
            )
            self._writer = _Writer(connection, path, batch_size, quiet, busy)
        except BaseException:
            if self._share:
                self._share.close()
            raise
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="sqlite-read")
        self._local = threading.local()
        self._connections: list[sqlite3.Connection] = []
        self._writer.start()

    @property
    def dialect(self) -> Dialect:
        return DIALECT

    @property
    def path(self) -> Path:
        return self._path

    async def read(self, sql: str, params: Mapping[str, SqlValue] | None = None) -> list[Row]:
        self._writer.check_open()
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._readers, self._read, sql, params or {})
        except sqlite3.Error as error:
            raise translate(error, self._path) from error

    async def run(self, steps: Callable[[], Steps[T]]) -> T:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        self._writer.put(_Request(steps, future, loop))
        return await future

    async def version(self) -> str:
        return f"SQLite {VERSION}"

    async def close(self) -> None:
        """Finish what is queued, then let the file go; closing twice is fine."""
        if self._writer.is_closed:
            return
        self._writer.is_closed = True
        # The writer goes last: SQLite copies the log into the file when the last connection
        # closes, and one that only reads cannot do that.
        await asyncio.to_thread(self._readers.shutdown)
        for connection in self._connections:
            connection.close()
        await asyncio.to_thread(self._writer.finish)
        if self._share:
            self._share.close()

    def _read(self, sql: str, params: Mapping[str, SqlValue]) -> list[Row]:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = _connect_reader(self._path, self._busy)
            self._connections.append(connection)
        return connection.execute(sql, params).fetchall()


class _Writer(threading.Thread):
    """The only place that writes, and the only one that checkpoints."""

    def __init__(
        self, connection: sqlite3.Connection, path: Path, batch_size: int, quiet: float, busy: float
    ) -> None:
        super().__init__(name="sqlite-write", daemon=True)
        self._connection, self._path, self._batch_size = connection, path, batch_size
        self._quiet, self._busy, self._has_written = quiet, busy, False
        self._queue: SimpleQueue[_Request | None] = SimpleQueue()
        self._broken: StorageError | None = None
        self._is_ending = False
        self.is_closed = False

    def put(self, request: _Request) -> None:
        self.check_open()
        self._queue.put(request)

    def check_open(self) -> None:
        if self.is_closed:
            raise StorageError(f"{self._path} is closed")

    def finish(self) -> None:
        """Write what is queued, then end. Blocks until done."""
        self._queue.put(None)
        self.join()

    def run(self) -> None:
        while not self._is_ending:
            try:
                request = self._queue.get(timeout=self._quiet if self._has_written else None)
            except Empty:
                self._checkpoint("PASSIVE")
                continue
            if request is None:
                break
            self._has_written = True
            _deliver(self._transaction(request))
        # Other processes may go on with the file, so it is not the last connection that closes.
        self._checkpoint("TRUNCATE")
        self._connection.close()

    def _checkpoint(self, mode: str) -> None:
        """Copy the log into the file as far as nobody else needs it, without waiting for them."""
        self._has_written = False
        if self._broken:
            return
        try:
            self._connection.execute("PRAGMA busy_timeout=0")
            self._connection.execute(f"PRAGMA wal_checkpoint({mode})").fetchall()
            self._connection.execute(f"PRAGMA busy_timeout={self._busy * 1000:.0f}")
        except sqlite3.Error as error:
            # Nothing is lost: all of it is in the log, and the next checkpoint tries again.
            log.warning("checkpoint failed", extra={"why": str(translate(error, self._path))})

    def _transaction(self, first: _Request) -> list[_Done]:
        """Run the request and what comes in meanwhile, and sync all of it with one commit."""
        taken: list[_Request] = []
        arriving = self._arriving(first, taken)
        if self._broken:
            return [_Done(request, error=self._broken) for request in arriving]
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            done = self._run_all(arriving, taken)
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            # Those behind share the fate of the first: each would wait as long for the same lock.
            return self._all_failed(taken or list(arriving), error)
        return done

    def _arriving(self, first: _Request, taken: list[_Request]) -> Iterator[_Request]:
        """The first request, and those queued by the time the one before them is done."""
        request: _Request | None = first
        while request is not None:
            taken.append(request)
            yield request
            if len(taken) >= self._batch_size:
                return
            try:
                request = self._queue.get_nowait()
            except Empty:
                return
        self._is_ending = True

    def _run_all(self, arriving: Iterator[_Request], taken: list[_Request]) -> list[_Done]:
        """Run the requests as if none could fail; if one does, all again, each in a savepoint.

        One's error is not the others'. Errors are rare, and a savepoint copies every page that is
        changed within it: a fifth of what storing an unchanged poll costs. Steps have no effect of
        their own, so they may rerun.
        """
        try:
            return [_Done(request, self._drive(request.steps())) for request in arriving]
        except Exception as error:
            if self._is_over(error):
                raise
        self._connection.execute("ROLLBACK")
        self._connection.execute("BEGIN IMMEDIATE")
        return [self._run_alone(request) for request in taken]

    def _run_alone(self, request: _Request) -> _Done:
        self._connection.execute("SAVEPOINT request")
        try:
            done = _Done(request, self._drive(request.steps()))
        except Exception as error:
            if self._is_over(error):
                raise
            self._connection.execute("ROLLBACK TO request")
            done = _Done(request, error=self._translated(error))
        self._connection.execute("RELEASE request")
        return done

    def _is_over(self, error: Exception) -> bool:
        """Whether SQLite gave up the whole transaction, or the disk did: nobody is served."""
        return not self._connection.in_transaction or _is_fatal(error)

    def _drive(self, steps: Steps[T]) -> T:
        try:
            step = next(steps)
            while True:
                step = steps.send(self._perform(step))
        except StopIteration as stop:
            result: T = stop.value
            return result
        finally:
            steps.close()

    def _perform(self, step: Step) -> list[Row]:
        match step:
            case Statement(sql, params, otherwise):
                cursor = self._connection.execute(sql, params)
                if otherwise is not None and cursor.rowcount == 0:
                    raise otherwise
                return cursor.fetchall()
            case Insert():
                return self._insert(step)

    def _insert(self, step: Insert) -> list[Row]:
        found: list[Row] = []
        for start in range(0, len(step.rows), ROWS_AT_ONCE):
            rows = step.rows[start : start + ROWS_AT_ONCE]
            values = tuple(chain.from_iterable(rows))
            found += self._connection.execute(_insert_sql(step, len(rows)), values).fetchall()
        return found

    def _translated(self, error: Exception) -> Exception:
        return translate(error, self._path) if isinstance(error, sqlite3.Error) else error

    def _all_failed(self, batch: list[_Request], error: sqlite3.Error) -> list[_Done]:
        problem = translate(error, self._path)
        if is_fatal(error):
            # A failed sync may have dropped pages; retrying could acknowledge what is gone.
            log.critical("the database file failed; no further writes", extra={"why": str(problem)})
            self._broken = problem
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")
        return [_Done(request, error=problem) for request in batch]


def _insert_sql(step: Insert, rows: int) -> str:
    row = f"({', '.join('?' * len(step.columns))})"
    return (
        f"INSERT INTO {step.table} ({', '.join(step.columns)}) VALUES {', '.join([row] * rows)} "  # noqa: S608 -- names from our own code
        f"ON CONFLICT DO NOTHING{f' RETURNING {step.returning}' if step.returning else ''}"
    )


def _is_fatal(error: Exception) -> bool:
    return isinstance(error, sqlite3.Error) and is_fatal(error)


def _deliver(done: list[_Done]) -> None:
    """Wake every waiting task, with one call per event loop."""
    by_loop: dict[asyncio.AbstractEventLoop, list[_Done]] = {}
    for each in done:
        by_loop.setdefault(each.request.loop, []).append(each)
    for loop, group in by_loop.items():
        if not loop.is_closed():
            loop.call_soon_threadsafe(_resolve, group)


def _resolve(group: list[_Done]) -> None:
    for done in group:
        future = done.request.future
        if future.done():
            continue  # the task gave up waiting; the write is durable all the same
        if done.error is None:
            future.set_result(done.result)
        else:
            future.set_exception(done.error)


def _connect_writer(
    path: Path, *, enable_wal: bool, may_create: bool = True, busy: float = BUSY_SECONDS
) -> sqlite3.Connection:
    connection = _connect(path, "rwc" if may_create else "rw", busy)
    try:
        names = {row["name"] for row in connection.execute(TABLES[DIALECT.name])}
        # The mode is written into the file: `migrate` will refuse another program's, and one that
        # is empty stays so unless it may be filled.
        if LEDGER in names or (may_create and not names):
            connection.execute(f"PRAGMA journal_mode={'WAL' if enable_wal else 'DELETE'}")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA foreign_keys=ON")
        connection.execute(f"PRAGMA cache_size={CACHE_KIB}")
        connection.execute(f"PRAGMA wal_autocheckpoint={PAGES_IN_LOG}")
    except sqlite3.Error as error:
        connection.close()
        raise translate(error, path) from error
    return connection


def _connect_reader(path: Path, busy: float) -> sqlite3.Connection:
    connection = _connect(path, "ro", busy)
    connection.execute("PRAGMA query_only=ON")
    connection.execute("PRAGMA wal_autocheckpoint=0")
    return connection


def _connect(path: Path, mode: str, busy: float) -> sqlite3.Connection:
    try:
        connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode={mode}",
            uri=True,
            timeout=busy,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=STATEMENTS_KEPT,
        )
    except sqlite3.Error as error:
        raise translate(error, path) from error
    connection.row_factory = sqlite3.Row
    return connection
