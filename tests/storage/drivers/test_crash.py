"""kill -9 while writing: what was acknowledged is there (F1, F2, I12)."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from clawfeed.storage.drivers.connect import StorageConfig, open_database
from clawfeed.storage.drivers.sqlite_library import sqlite3

KILLS = 20

# Eight tasks write rows as fast as they can and report each one only once acknowledged.
WRITER = """
import asyncio, os, sys
from clawfeed.storage.database import execute
from clawfeed.storage.drivers.connect import StorageConfig, open_database

async def write(database, run, task):
    n = 0
    while True:
        key = f"{run}-{task}-{n}"
        await execute(
            database,
            "INSERT INTO config (key, value, updated_at) VALUES (:key, 'x', 0)",
            {"key": key},
        )
        os.write(1, (key + "\\n").encode())
        n += 1

async def main(url, run):
    database = await open_database(StorageConfig(url=url))
    await asyncio.gather(*(write(database, run, task) for task in range(8)))

asyncio.run(main(sys.argv[1], sys.argv[2]))
"""


def write_until_killed(url: str, run: int) -> set[str]:
    """The keys one writer reported before it was killed in the middle of its work."""
    child = subprocess.Popen([sys.executable, "-c", WRITER, url, str(run)], stdout=subprocess.PIPE)
    assert child.stdout is not None
    first = child.stdout.readline()
    # A different moment each time, spread over several commits.
    time.sleep(0.003 * run)
    os.kill(child.pid, signal.SIGKILL)
    rest, _ = child.communicate()
    # The last line may be torn by the kill; a torn report is no report.
    whole = (first + rest).decode().rpartition("\n")[0]
    return set(whole.splitlines())


async def stored_keys(url: str) -> set[str]:
    database = await open_database(StorageConfig(url=url))
    rows = await database.read("SELECT key FROM config")
    await database.close()
    return {row["key"] for row in rows}


@pytest.mark.slow
def test_no_acknowledged_write_is_lost_to_kill_9(database_url: str) -> None:
    acknowledged: set[str] = set()

    for run in range(KILLS):
        reported = write_until_killed(database_url, run)
        assert reported, "the writer must have been writing when it was killed"
        acknowledged |= reported

    assert acknowledged - asyncio.run(stored_keys(database_url)) == set()
    if database_url.startswith("sqlite"):
        path = Path(database_url.removeprefix("sqlite:///"))
        with sqlite3.connect(path) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        connection.close()
