"""What SQLite's errors mean to the person who runs ClawFeed."""

from __future__ import annotations

from pathlib import Path

from clawfeed.domain.errors import StorageError
from clawfeed.storage.database import ConstraintError
from clawfeed.storage.drivers.sqlite_library import sqlite3

# By the primary result code's name; the extended names start with it.
SENTENCES = {
    "SQLITE_BUSY": "{path} is locked by another program; it will work again once that one is done",
    "SQLITE_LOCKED": "{path} is locked by another program; it will work again once that is done",
    "SQLITE_FULL": "the disk that holds {path} is full; free some space, nothing was half written",
    "SQLITE_READONLY": "{path} cannot be written; check the owner and mode of it and its directory",
    "SQLITE_CANTOPEN": "{path} cannot be opened; check that its directory exists and is writable",
    "SQLITE_NOTADB": "{path} is not a SQLite database; name another file in DATABASE_URL",
    "SQLITE_CORRUPT": "{path} is damaged; restore it from a backup",
    "SQLITE_IOERR": "the disk that holds {path} failed; check it, then restart ClawFeed",
    "SQLITE_AUTH": "{path} refused the operation",
}
# After these the file's state is unknown: going on would acknowledge what may not be there.
FATAL_ERRORS = ("SQLITE_IOERR", "SQLITE_CORRUPT", "SQLITE_NOTADB")


def translate(error: sqlite3.Error, path: Path) -> StorageError:
    """Put a driver error into one sentence that names the file and the way out."""
    name = code_name(error)
    if isinstance(error, sqlite3.IntegrityError):
        return ConstraintError(str(error))
    for prefix, sentence in SENTENCES.items():
        if name.startswith(prefix):
            return StorageError(sentence.format(path=path))
    return StorageError(f"{path}: {error}")


def is_fatal(error: sqlite3.Error) -> bool:
    """Whether no further write may be acknowledged after *error*."""
    return code_name(error).startswith(FATAL_ERRORS)


def code_name(error: sqlite3.Error) -> str:
    return getattr(error, "sqlite_errorname", None) or ""
