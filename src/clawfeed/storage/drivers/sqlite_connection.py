"""Connections to a SQLite file: the one that writes, and those that only read."""

from __future__ import annotations

from pathlib import Path

from clawfeed.storage.drivers.sqlite_errors import translate
from clawfeed.storage.drivers.sqlite_library import sqlite3
from clawfeed.storage.migrate import LEDGER, TABLES

# How long a statement waits for another process's transaction before it gives up.
BUSY_SECONDS = 5.0
# A commit of many polls dirties 2 MB, which is all of SQLite's usual cache: pages would be written
# before their time, and read back. Negative means KiB, not pages.
CACHE_KIB = -16_384
# 16 MB of log before it is copied into the file: pages that every poll changes are copied a quarter
# as often. Together a tenth of what storing costs.
PAGES_IN_LOG = 4000
# Prepared statements kept. The library's cache of 128 lets nothing new in for good once it is full
# of others: the migrations of a fresh file alone filled it, and every statement of every poll was
# prepared anew (2.5 times the time in the writer).
STATEMENTS_KEPT = 2000


def connect_writer(
    path: Path, *, enable_wal: bool, may_create: bool, busy: float
) -> sqlite3.Connection:
    connection = _connect(path, "rwc" if may_create else "rw", busy)
    try:
        names = {row["name"] for row in connection.execute(TABLES["sqlite"])}
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


def connect_reader(path: Path, busy: float) -> sqlite3.Connection:
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
