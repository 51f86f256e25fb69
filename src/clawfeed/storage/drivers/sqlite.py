"""SQLite: one writer thread that commits in groups, a few read-only connections.

Every acknowledged write is on disk (`synchronous=FULL`). Writers that arrive while a commit is
being synced share the next one: 50 tasks cost about as many syncs as 3 would alone.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from clawfeed.storage.database import Dialect, Row, SqlValue, Steps
from clawfeed.storage.drivers.sqlite_connection import BUSY_SECONDS, connect_reader, connect_writer
from clawfeed.storage.drivers.sqlite_errors import translate
from clawfeed.storage.drivers.sqlite_file import prepare_file
from clawfeed.storage.drivers.sqlite_library import VERSION, sqlite3
from clawfeed.storage.drivers.sqlite_writer import Writer, WriteRequest

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
READERS = 4
# Without a write for this long, the log is copied into the file: whoever then takes the file alone
# has everything.
QUIET_SECONDS = 5.0


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
            connection = connect_writer(
                path, enable_wal=enable_wal, may_create=may_create, busy=busy
            )
            self._writer = Writer(connection, path, batch_size=batch_size, quiet=quiet, busy=busy)
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
        self._writer.put(WriteRequest(steps, future, loop))
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
            connection = self._local.connection = connect_reader(self._path, self._busy)
            self._connections.append(connection)
        return connection.execute(sql, params).fetchall()
