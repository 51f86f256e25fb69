"""Most of what a model does is the same on any database: SQLite alone, unless `either` is asked."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from clawfeed.storage.database import Database
from clawfeed.storage.drivers.connect import StorageConfig, open_database


@pytest.fixture
async def database(tmp_path: Path, sqlite_template: Path) -> AsyncIterator[Database]:
    path = tmp_path / "clawfeed.db"
    shutil.copy(sqlite_template, path)
    database = await open_database(StorageConfig(url=f"sqlite:///{path}"))
    yield database
    await database.close()


@pytest.fixture
async def either(database_url: str) -> AsyncIterator[Database]:
    """The test runs once on each kind of database."""
    database = await open_database(StorageConfig(url=database_url))
    yield database
    await database.close()
