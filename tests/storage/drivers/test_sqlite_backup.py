"""Backups of a SQLite file: whole, private, beside those who write, and never over anything."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from clawfeed.domain.errors import (
    AlreadyExistsError,
    InvalidInputError,
    NotFoundError,
    StorageError,
)
from clawfeed.storage.drivers.connect import StorageConfig, open_database
from clawfeed.storage.drivers.sqlite_backup import back_up, restore
from clawfeed.storage.drivers.sqlite_library import sqlite3
from clawfeed.storage.migrate import migrate
from clawfeed.storage.sources.sources import NewSource, SourceStore
from tests.support.clocks import NOON
from tests.support.databases import migrated


@pytest.fixture
async def path(tmp_path: Path) -> Path:
    await migrated(f"sqlite:///{tmp_path / 'a.db'}")
    return tmp_path / "a.db"


async def test_what_was_committed_a_moment_ago_is_in_the_backup_and_comes_back(
    path: Path, tmp_path: Path
) -> None:
    """While the database is open, its newest pages are in the log."""
    database = await open_database(StorageConfig(url=f"sqlite:///{path}"))
    await SourceStore(database).add(NewSource(type="rss", name="Tide"), now=NOON)

    (tmp_path / "copies").mkdir()
    made = back_up(path, tmp_path / "copies" / "b.db")
    await database.close()
    restored = restore(made.path, tmp_path / "new" / "c.db")

    assert (made.sources, restored.sources) == (1, 1)
    assert made.path.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in made.path.parent.iterdir()] == ["b.db"]
    database = await open_database(StorageConfig(url=f"sqlite:///{restored.path}"))
    assert await migrate(database, now=NOON) == []
    assert [each.name for each in await SourceStore(database).list()] == ["Tide"]
    await database.close()


async def test_nothing_is_overwritten_by_a_backup_or_a_restore(path: Path, tmp_path: Path) -> None:
    """A log that was left behind would be read into the restored file, so it counts as well."""
    made = back_up(path, tmp_path / "b.db")
    left_behind = tmp_path / "new.db-wal"
    left_behind.write_bytes(b"old")

    with pytest.raises(StorageError, match=r"cannot write .*No such file or directory"):
        back_up(path, tmp_path / "not mounted" / "b.db")
    with pytest.raises(AlreadyExistsError, match=r"b\.db is there already"):
        back_up(path, made.path)
    with pytest.raises(AlreadyExistsError, match=r"a\.db would be overwritten: stop ClawFeed"):
        restore(made.path, path)
    with pytest.raises(AlreadyExistsError, match=r"new\.db-wal would be overwritten"):
        restore(made.path, tmp_path / "new.db")


async def test_a_file_in_use_is_not_replaced_even_if_it_was_moved_away(
    path: Path, tmp_path: Path
) -> None:
    made = back_up(path, tmp_path / "b.db")
    database = await open_database(StorageConfig(url=f"sqlite:///{path}"))
    path.rename(tmp_path / "moved.db")

    with pytest.raises(StorageError, match="is in use by a ClawFeed process"):
        restore(made.path, path)

    await database.close()


def _bad_backups(folder: Path) -> Iterator[tuple[Path, str]]:
    (folder / "text").write_bytes(b"a letter" * 1000)
    yield folder / "text", "is no database of ClawFeed's"
    (folder / "empty").touch()
    yield folder / "empty", "is no database of ClawFeed's"
    whole = (folder / "a.db").read_bytes()
    (folder / "torn").write_bytes(whole[: len(whole) // 2])
    yield folder / "torn", "is (damaged|no database)"
    (folder / "future").write_bytes(whole)
    with sqlite3.connect(folder / "future") as connection:
        connection.execute("INSERT INTO schema_migrations VALUES (999, 'future', 0)")
    connection.close()
    yield folder / "future", "newer ClawFeed"


async def test_what_is_no_whole_backup_is_refused_and_leaves_nothing(
    path: Path, tmp_path: Path
) -> None:
    target = tmp_path / "new" / "c.db"

    for file, why in _bad_backups(path.parent):
        with pytest.raises(InvalidInputError, match=why):
            restore(file, target)
    with pytest.raises(NotFoundError, match="nowhere is not a file"):
        restore(tmp_path / "nowhere", target)

    assert not target.parent.exists()
