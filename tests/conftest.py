"""Fixtures every test may use: storage tests run on both databases by asking for `database`."""

from __future__ import annotations

import logging
import os
import shutil
import signal
from collections.abc import AsyncIterator, Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from clawfeed.storage.database import Database
from clawfeed.storage.drivers.connect import StorageConfig, open_database
from tests.support.databases import PostgresServer, migrated, postgres_server
from tests.support.memory_files import keep_temporary_files_in_memory

# A busy machine is no counterexample; `timeout` ends what hangs.
settings.register_profile("house", deadline=None)
settings.load_profile("house")


def pytest_configure() -> None:
    keep_temporary_files_in_memory()
    # A shell lets what it starts in the background ignore Ctrl-C, and all that this starts.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Under CI a test that is skipped has failed: nobody would notice it otherwise."""
    report = yield
    if report.skipped and os.environ.get("CI") == "true":
        report.outcome = "failed"
    return report


@pytest.fixture(autouse=True)
def logs_as_they_were() -> Iterator[None]:
    """A command within the test's process sets up its logs; the next test must not notice."""
    root = logging.getLogger()
    level, handlers = root.level, root.handlers[:]
    yield
    root.setLevel(level)
    root.handlers[:] = handlers


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    with postgres_server() as server:
        yield server


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    import asyncio

    path = tmp_path_factory.mktemp("template") / "template.db"
    asyncio.run(migrated(f"sqlite:///{path}"))
    return path


# `make check` proves things on SQLite, `make test` on both.
KINDS = ["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)]


@pytest.hookimpl(tryfirst=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Who is marked so is spared the second kind: what differs there is proved by others."""
    test = metafunc.definition
    is_marked = test.get_closest_marker("one_database") and "database_url" in metafunc.fixturenames
    is_chosen = any("database_url" in each.args[0] for each in test.iter_markers("parametrize"))
    if is_marked and not is_chosen:
        test.add_marker(pytest.mark.parametrize("database_url", ["sqlite"], indirect=True))


@pytest.fixture(params=KINDS)
def database_url(
    request: pytest.FixtureRequest, tmp_path: Path, sqlite_template: Path
) -> Iterator[str]:
    """A fresh, migrated database; the test runs once on each kind."""
    if request.param == "postgresql":
        server: PostgresServer = request.getfixturevalue("postgres")
        url = server.new_database()
        yield url
        server.drop(url)
    else:
        path = tmp_path / "clawfeed.db"
        shutil.copy(sqlite_template, path)
        yield f"sqlite:///{path}"


@pytest.fixture(params=KINDS)
def empty_database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A database without any table; the test runs once on each kind."""
    if request.param == "postgresql":
        server: PostgresServer = request.getfixturevalue("postgres")
        url = server.empty_database()
        yield url
        server.drop(url)
    else:
        yield f"sqlite:///{tmp_path / 'empty.db'}"


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    database = await open_database(StorageConfig(url=database_url))
    yield database
    await database.close()
