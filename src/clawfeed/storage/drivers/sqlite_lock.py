"""A lock file beside the database: shared by those who can share it, held alone by the others."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from types import ModuleType

from clawfeed.domain.errors import StorageError

fcntl: ModuleType | None
try:
    fcntl = import_module("fcntl")
except ImportError:  # Windows: SQLite's own locks are all there is
    fcntl = None


class FileShare:
    """Our share in a database file, until closed or until the process ends, however it ends."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def close(self) -> None:
        os.close(self._descriptor)


def open_share(database: Path, *, may_share: bool, version: str) -> FileShare | None:
    """Take our share in *database*, or say why it cannot be had."""
    if fcntl is None:
        return None
    descriptor = os.open(f"{database}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if may_share else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise StorageError(_refusal(database, may_share=may_share, version=version)) from None
    return FileShare(descriptor)


def _refusal(database: Path, *, may_share: bool, version: str) -> str:
    if may_share:
        return (
            f"{database} is held by a ClawFeed process whose SQLite cannot share it safely; "
            "stop that process, or install the pysqlite3 wheel for it"
        )
    return (
        f"{database} is in use by another ClawFeed process, and SQLite {version} cannot share a "
        "file between processes safely (3.51.3 can): stop the other process, install the "
        "pysqlite3 wheel, or use PostgreSQL"
    )
