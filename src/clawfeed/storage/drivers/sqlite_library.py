"""Which SQLite this process uses, and whether processes may share a file with it."""

from __future__ import annotations

import sqlite3 as standard
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3
else:
    # The wheel carries a current SQLite; the standard library has whatever the system had.
    try:
        import pysqlite3.dbapi2 as sqlite3
    except ImportError:
        sqlite3 = standard

__all__ = ["VERSION", "is_safe_to_share", "sqlite3"]

VERSION: str = sqlite3.sqlite_version

# Before this, two writing processes could lose committed pages when one of them reset the
# write-ahead log (fixed in SQLite 3.51.3, March 2026).
SAFE_TO_SHARE = (3, 51, 3)


def is_safe_to_share(version: str = VERSION) -> bool:
    """Whether several processes may write one file with this SQLite."""
    return tuple(int(part) for part in version.split(".")) >= SAFE_TO_SHARE
