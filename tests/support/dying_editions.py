"""Makes editions in processes that kill themselves with SIGKILL after the n-th transaction.

Run as a program. Each line of its input is `URL N`; it forks a process that triggers editions on
the database at URL until there is nothing to do, or until N transactions are committed, and answers
with a line: `killed`, or `done` and how many transactions it took. Forking from a program that has
no threads and has imported everything makes a kill cost milliseconds. Much is only imported on the
way: each process that comes to its end tells what it had.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import TypeVar

from clawfeed.app.settings.config_loading import load_config
from clawfeed.app.wiring.editions import opened_editions
from clawfeed.domain.editions.edition_decision import NothingToDo
from clawfeed.storage.database import Database, Dialect, Row, SqlValue, Steps
from clawfeed.storage.drivers.connect import StorageConfig, open_database

T = TypeVar("T")
MOST_TRIGGERS = 40


class DyingDatabase:
    """Does what the database it wraps does, until *left* transactions are committed.

    Then its process is killed: with the next transaction, or *at_once*.
    """

    def __init__(self, database: Database, left: int, *, at_once: bool = False) -> None:
        self._db, self._left, self._at_once = database, left, at_once
        self.committed = 0

    @property
    def dialect(self) -> Dialect:
        return self._db.dialect

    async def read(self, sql: str, params: Mapping[str, SqlValue] | None = None) -> list[Row]:
        return await self._db.read(sql, params)

    async def run(self, steps: Callable[[], Steps[T]]) -> T:
        if self.committed >= self._left:  # several may be under way
            os.kill(os.getpid(), signal.SIGKILL)
        found = await self._db.run(steps)
        self.committed += 1
        if self._at_once and self.committed >= self._left:
            os.kill(os.getpid(), signal.SIGKILL)
        return found

    async def version(self) -> str:
        return await self._db.version()

    async def close(self) -> None:
        await self._db.close()


async def make_editions(url: str, left: int) -> int:
    """Trigger until nothing happens any more; how many transactions that took."""
    database = DyingDatabase(await open_database(StorageConfig(url=url)), left)
    config = load_config({"DATABASE_URL": url, "TASK_BATCH_SIZE": "2"}, directory=Path("/"))
    async with opened_editions(config, database) as editions:
        for _ in range(MOST_TRIGGERS):
            reports = await editions.triggers.trigger()
            if all(isinstance(report.step, NothingToDo) for report in reports):
                break
    await database.close()
    return database.committed


def forked(url: str, left: int) -> tuple[int, list[str]]:
    """How the process ended, and what it said: its transactions, and our modules it had."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        committed = asyncio.run(make_editions(url, left))
        ours = [name for name in sys.modules if name.startswith("clawfeed.")]
        with os.fdopen(writer, "w") as pipe:
            pipe.write(" ".join([str(committed), *ours]))
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        said = pipe.read().split()
    return os.waitpid(child, 0)[1], said


def main() -> None:
    for line in sys.stdin:
        url, left = line.split()
        status, said = forked(url, int(left))
        for name in said[1:]:
            import_module(name)
        if os.WIFSIGNALED(status):
            print("killed", flush=True)  # noqa: T201 -- its answer
        else:
            print("done" if not status else f"failed {status}", *said[:1], flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
