"""kill -9 between any two transactions of an edition, on both databases: one edition, told once."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from clawfeed.app.clock import system_clock
from clawfeed.domain.ids import SourceId
from clawfeed.storage.database import Database
from clawfeed.storage.drivers.connect import StorageConfig, open_database
from tests.support.api_callers import ANNA, BEN, add_people
from tests.support.databases import PostgresServer
from tests.support.deliveries import add_channel
from tests.support.items import add_item, add_source, subscribe

NEVER = 10**6
ROOT = Path(__file__).parents[2]
TITLES = (
    "Ferry strike stops the harbour of Valparaíso",
    "A comet is seen over the southern hemisphere",
    "Kernel release drops support for old printers",
    "Bakers win the tug of war after eleven years",
    "Glacier survey finds a lake nobody knew about",
)

pytestmark = pytest.mark.slow

# Makes a fresh, migrated database for as long as it lasts.
NewDatabase = Callable[[], AbstractContextManager[str]]


@pytest.fixture(params=["sqlite", "postgresql"])
def new_database(
    request: pytest.FixtureRequest, tmp_path: Path, sqlite_template: Path
) -> NewDatabase:
    @contextmanager
    def copied() -> Iterator[str]:
        path = tmp_path / "copy.db"
        for old in tmp_path.glob("copy.db*"):
            old.unlink()
        shutil.copy(sqlite_template, path)
        yield f"sqlite:///{path}"

    @contextmanager
    def served() -> Iterator[str]:
        server: PostgresServer = request.getfixturevalue("postgres")
        url = server.new_database()
        yield url
        server.drop(url)

    return served if request.param == "postgresql" else copied


@contextmanager
def maker() -> Iterator[Callable[..., list[str]]]:
    """Makes editions on a database in a process that dies after so many transactions."""
    command = (sys.executable, "-m", "tests.support.dying_editions")
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as process:
        assert process.stdin
        assert process.stdout
        stdin, stdout = process.stdin, process.stdout

        def make(url: str, left: int = NEVER) -> list[str]:
            stdin.write(f"{url} {left}\n")
            stdin.flush()
            return stdout.readline().split()

        yield make
        stdin.close()


async def furnished(url: str) -> None:
    """Five stories of the last hours, two readers of the same sources and a third set."""
    database = await open_database(StorageConfig(url=url))
    await add_people(database)
    await add_channel(database, "house", kind="unknown here")
    at = system_clock() - timedelta(hours=2)
    sources: list[SourceId] = []
    for number, title in enumerate(TITLES):
        sources.append(await add_source(database, f"s{number}"))
        await add_item(database, sources[-1], title, at=at, content=f"{title}, people there said.")
    for source in sources:
        await subscribe(database, ANNA, source)
        await subscribe(database, BEN, source)
    await database.close()


async def check(database: Database) -> None:
    """(I6, S002-7, S002-8): one edition per scope, whole, with its messages; nothing left held."""
    digests = await database.read("SELECT scope, content FROM digests ORDER BY scope")
    assert [row["scope"].split("-")[0] for row in digests] == ["set", "system"]
    for row in digests:
        assert all(row["content"].count(title) for title in TITLES)
    told = await database.read(
        "SELECT story_id, count(*) AS n FROM story_tellings GROUP BY story_id ORDER BY story_id"
    )
    assert [row["n"] for row in told] == [1] * 2 * len(TITLES)
    tasks = await database.read("SELECT state, lease_until FROM edition_tasks")
    assert {(row["state"], row["lease_until"]) for row in tasks} == {("published", None)}
    articles = await database.read("SELECT state, lease_until FROM edition_articles")
    assert {(row["state"], row["lease_until"]) for row in articles} == {("completed", None)}
    batches = await database.read("SELECT outcome FROM edition_batches WHERE outcome IS NULL")
    assert batches == []
    # The system's edition came with its message: of a kind that nobody knows, so it is given up.
    messages = await database.read(
        "SELECT d.scope, o.state FROM outbox o JOIN digests d ON d.id = o.digest_id"
    )
    assert [(row["scope"], row["state"]) for row in messages] == [("system", "dead")]


async def finish_and_check(make: Callable[[str], list[str]], url: str) -> None:
    assert make(url)[0] == "done"
    database = await open_database(StorageConfig(url=url))
    await check(database)
    await database.close()


@pytest.mark.timeout(300)
def test_an_edition_survives_a_kill_at_every_moment(new_database: NewDatabase) -> None:
    """(S002-9, S002-10, S002-15, F1, F2, I6): whoever comes after goes on where it stood."""
    kill_after = 0
    with maker() as make:
        while True:
            with new_database() as url:
                asyncio.run(furnished(url))
                if make(url, kill_after)[0] == "done":
                    break
                asyncio.run(finish_and_check(make, url))
                # A database of PostgreSQL takes a second to make: every third moment there.
                kill_after += 3 if url.startswith("postgresql") else 1

    assert kill_after > 30
