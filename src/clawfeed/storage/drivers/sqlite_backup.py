"""A SQLite database as one file that can be carried away, and back.

The copy is taken from what is committed, beside those who write: they do not wait for it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import mkstemp

from clawfeed.domain.errors import (
    AlreadyExistsError,
    InvalidInputError,
    NotFoundError,
    StorageError,
)
from clawfeed.storage.database import NoDatabaseError
from clawfeed.storage.drivers.sqlite_errors import translate
from clawfeed.storage.drivers.sqlite_library import VERSION, is_safe_to_share, sqlite3
from clawfeed.storage.drivers.sqlite_lock import open_share
from clawfeed.storage.migrate import LEDGER, migrations

# What SQLite keeps beside a file. An old log beside a restored file would be read into it.
COMPANIONS = ("-wal", "-shm", "-journal")


@dataclass(frozen=True, slots=True, kw_only=True)
class Backup:
    """What a file holds, as it was read again from the disk."""

    path: Path
    size: int
    schema: int
    sources: int
    items: int


def back_up(database: Path, target: Path) -> Backup:
    """Copy *database* into a new file at *target* and read it again.

    Raises `AlreadyExistsError` rather than write over anything.
    """
    if not database.exists():
        raise NoDatabaseError.of(database)
    if target.exists() or target.is_symlink():
        raise AlreadyExistsError(f"{target} is there already: name a new file for the backup")
    return _copy(database, target)


def restore(backup: Path, database: Path) -> Backup:
    """Put a copy of *backup* where *database* belongs, and read it again.

    Raises `AlreadyExistsError` if there is a database, and `StorageError` while a process has it.
    """
    if not backup.is_file():
        raise NotFoundError(f"{backup} is not a file: name the file that `clawfeed backup` made")
    examine(backup)
    with _nobody_else(database):
        there = [each for each in (database, *companions(database)) if each.exists()]
        if there:
            raise AlreadyExistsError(
                f"{', '.join(map(str, there))} would be overwritten: stop ClawFeed and move it "
                "away first"
            )
        return _copy(backup, database)


def examine(path: Path) -> Backup:
    """What the file at *path* holds; `InvalidInputError` if that is no whole database of ours."""
    try:
        with closing(_connect(path, "ro")) as connection:
            verdict = str(connection.execute("PRAGMA integrity_check(1)").fetchone()[0])
            names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
            if verdict != "ok" or LEDGER not in names:
                why = f"damaged ({verdict})" if verdict != "ok" else "no database of ClawFeed's"
                raise InvalidInputError(f"{path} is {why}: name another file")
            [schema], [sources], [items] = (
                connection.execute(query).fetchone()
                for query in (
                    f"SELECT max(version) FROM {LEDGER}",  # noqa: S608 -- our own constant
                    "SELECT count(*) FROM sources WHERE is_deleted = 0",
                    "SELECT count(*) FROM raw_items",
                )
            )
    except sqlite3.Error as error:
        raise InvalidInputError(f"{path} is no database of ClawFeed's ({error})") from error
    newest = migrations()[-1].version
    if schema > newest:
        raise InvalidInputError(
            f"{path} was made by a newer ClawFeed (schema {schema}, this version knows {newest}): "
            "upgrade ClawFeed first"
        )
    size = path.stat().st_size
    return Backup(path=path, size=size, schema=schema, sources=sources, items=items)


def companions(database: Path) -> list[Path]:
    return [database.with_name(database.name + end) for end in COMPANIONS]


def _copy(origin: Path, target: Path) -> Backup:
    """Under another name first: a file called *target* is always a whole one."""
    try:
        with _unfinished(target) as part:
            _copy_pages(origin, part)
            found = examine(part)
            os.link(part, target)  # fails where rename would overwrite
    except FileExistsError:
        raise AlreadyExistsError(f"{target} is there already: it was not overwritten") from None
    except OSError as error:
        raise StorageError(f"cannot write {target} ({error.strerror})") from error
    return replace(found, path=target)


def _copy_pages(origin: Path, part: Path) -> None:
    """All pages in one step: in smaller ones, every write meanwhile would start it anew."""
    # Whoever only reads leaves an empty log behind if they were alone; older ones may do no more.
    mode = "rw" if is_safe_to_share() else "ro"
    try:
        with closing(_connect(origin, mode)) as source, closing(_connect(part, "rw")) as copy:
            source.backup(copy, pages=-1)
            copy.execute("PRAGMA journal_mode=DELETE")  # one file, without a log beside it
    except sqlite3.Error as error:
        raise translate(error, origin) from error
    with part.open("rb+") as file:
        os.fsync(file.fileno())


@contextmanager
def _unfinished(target: Path) -> Iterator[Path]:
    """An empty file beside *target* that only its owner may read; gone afterwards."""
    descriptor, name = mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    os.close(descriptor)
    part = Path(name)
    try:
        yield part
    finally:
        for each in (part, *companions(part)):
            each.unlink(missing_ok=True)


@contextmanager
def _nobody_else(database: Path) -> Iterator[None]:
    """No process of ours has *database* open now, and none can open it meanwhile."""
    try:
        database.parent.mkdir(parents=True, exist_ok=True)
        share = open_share(database, may_share=False, version=VERSION)
    except OSError as error:
        raise StorageError(f"cannot write to {database.parent} ({error.strerror})") from error
    except StorageError:
        raise StorageError(
            f"{database} is in use by a ClawFeed process: stop it first, and move the file away"
        ) from None
    try:
        yield
    finally:
        if share:
            share.close()


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode={mode}", uri=True)
