"""The file a SQLite database lives in: made for its owner alone, and never by who only reads."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from clawfeed.domain.errors import StorageError
from clawfeed.storage.database import NoDatabaseError
from clawfeed.storage.drivers.sqlite_library import VERSION, is_safe_to_share
from clawfeed.storage.drivers.sqlite_lock import FileShare, open_share


def prepare_file(path: Path, *, may_create: bool) -> FileShare | None:
    """Our share in *path*, which is there afterwards; unless it *may_create*, it was before."""
    if path.is_dir():
        raise StorageError(f"{path} is a directory: name a file in it in DATABASE_URL")
    if not may_create and not path.exists():
        raise NoDatabaseError.of(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        share = open_share(path, may_share=is_safe_to_share(), version=VERSION)
        if may_create:
            make_private_file(path)
    except OSError as error:
        raise StorageError(
            f"cannot write to the data directory {path.parent} ({error.strerror}): "
            "make it writable, or name another file in DATABASE_URL"
        ) from error
    return share


def make_private_file(path: Path) -> None:
    """An empty file at *path* that only its owner may read, unless there is one.

    SQLite gives its log the mode of the file.
    """
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600))
