"""SQLite's writer: a thread that runs the transactions of all tasks, and commits them in groups."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from clawfeed.domain.errors import StorageError
from clawfeed.storage.database import Insert, Row, Statement, Step, Steps
from clawfeed.storage.drivers.sqlite_errors import is_fatal, translate
from clawfeed.storage.drivers.sqlite_library import sqlite3

log = logging.getLogger(__name__)
T = TypeVar("T")

# Rows in one INSERT: each statement is a wait for the interpreter's lock, and texts of 64 lengths
# still fit into the cache of prepared statements.
ROWS_AT_ONCE = 64


@dataclass(frozen=True, slots=True)
class WriteRequest:
    """A transaction waiting for the writer, and the task waiting for the transaction."""

    steps: Callable[[], Steps[Any]]
    future: asyncio.Future[Any]
    loop: asyncio.AbstractEventLoop


@dataclass(frozen=True, slots=True)
class _Done:
    request: WriteRequest
    result: Any = None
    error: BaseException | None = None


class Writer(threading.Thread):
    """The only place that writes, and the only one that checkpoints."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        path: Path,
        *,
        batch_size: int,
        quiet: float,
        busy: float,
    ) -> None:
        super().__init__(name="sqlite-write", daemon=True)
        self._connection, self._path, self._batch_size = connection, path, batch_size
        self._quiet, self._busy, self._has_written = quiet, busy, False
        self._queue: SimpleQueue[WriteRequest | None] = SimpleQueue()
        self._broken: StorageError | None = None
        self._is_ending = False
        self.is_closed = False

    def put(self, request: WriteRequest) -> None:
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

    def _transaction(self, first: WriteRequest) -> list[_Done]:
        """Run the request and what comes in meanwhile, and sync all of it with one commit."""
        taken: list[WriteRequest] = []
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

    def _arriving(self, first: WriteRequest, taken: list[WriteRequest]) -> Iterator[WriteRequest]:
        """The first request, and those queued by the time the one before them is done."""
        request: WriteRequest | None = first
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

    def _run_all(self, arriving: Iterator[WriteRequest], taken: list[WriteRequest]) -> list[_Done]:
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

    def _run_alone(self, request: WriteRequest) -> _Done:
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
            sql = _insert_sql(step.table, tuple(step.columns), step.returning, len(rows))
            found += self._connection.execute(sql, values).fetchall()
        return found

    def _translated(self, error: Exception) -> Exception:
        return translate(error, self._path) if isinstance(error, sqlite3.Error) else error

    def _all_failed(self, batch: list[WriteRequest], error: sqlite3.Error) -> list[_Done]:
        problem = translate(error, self._path)
        if is_fatal(error):
            # A failed sync may have dropped pages; retrying could acknowledge what is gone.
            log.critical("the database file failed; no further writes", extra={"why": str(problem)})
            self._broken = problem
        if self._connection.in_transaction:
            self._connection.execute("ROLLBACK")
        return [_Done(request, error=problem) for request in batch]


# Each is 2 KB, and the library finds its prepared statement by the hash of the text.
@lru_cache(maxsize=16 * ROWS_AT_ONCE)
def _insert_sql(table: str, columns: tuple[str, ...], returning: str | None, rows: int) -> str:
    row = f"({', '.join('?' * len(columns))})"
    return (
        f"INSERT INTO {table} ({', '.join(columns)}) VALUES {', '.join([row] * rows)} "  # noqa: S608 -- names from our own code
        f"ON CONFLICT DO NOTHING{f' RETURNING {returning}' if returning else ''}"
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
