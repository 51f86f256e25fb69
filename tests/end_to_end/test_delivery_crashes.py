"""kill -9 at every moment of a delivery, on both databases: each part once, or visibly unknown."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from clawfeed.domain.editions.delivery import Recovery
from clawfeed.storage.database import Database, execute
from clawfeed.storage.drivers.connect import StorageConfig, open_database
from tests.support.databases import PostgresServer
from tests.support.deliveries import add_channel, until, write_edition
from tests.support.message_service import MessageService, open_message_service

NEVER = 10**6
ROOT = Path(__file__).parents[2]
PARTS = [f"News {part}/2 in en" for part in (1, 2)]

pytestmark = pytest.mark.slow


@dataclass(frozen=True, slots=True, kw_only=True)
class Senders:
    """Processes that empty the outbox, one after another."""

    process: asyncio.subprocess.Process
    box: MessageService

    async def begin(self, url: str, left: int = NEVER, when: str = "next") -> int:
        """Begin to send; the process that does."""
        assert self.process.stdin
        self.process.stdin.write(f"{url} {self.box.url} {left} {when}\n".encode())
        return int((await self._line())[0])

    async def end(self) -> list[str]:
        """How it ended."""
        return await self._line()

    async def send(self, url: str, left: int = NEVER, when: str = "next") -> list[str]:
        await self.begin(url, left, when)
        return await self.end()

    async def _line(self) -> list[str]:
        assert self.process.stdout
        return (await self.process.stdout.readline()).decode().split()


@asynccontextmanager
async def senders(box: MessageService) -> AsyncIterator[Senders]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.support.dying_deliveries"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        cwd=ROOT,
    )
    try:
        yield Senders(process=process, box=box)
    finally:
        assert process.stdin
        process.stdin.close()
        await process.wait()


async def furnished(database: Database) -> None:
    """An edition of two parts on its way to a channel of each kind."""
    for recovery in Recovery:
        config = {"parts": 2}
        await add_channel(database, str(recovery), kind=f"box_{recovery}", config=config)
    await write_edition(database)


async def check(database: Database, box: MessageService, place: str = "") -> None:
    """(I7): once where the channel can tell; else at most once, and what is unknown is shown."""
    rows = await database.read(
        "SELECT c.address, o.state, o.lease_until FROM outbox o "
        "JOIN channels c ON c.id = o.channel_id ORDER BY o.id"
    )
    states: dict[str, list[str]] = {}
    for row in rows:
        assert row["lease_until"] is None
        states.setdefault(row["address"], []).append(row["state"])
    for recovery in (Recovery.RESEND, Recovery.READ_BACK):
        assert (states[recovery], box.arrived(recovery)) == (["sent", "sent"], PARTS), place
    arrived = box.arrived(Recovery.ASK)
    assert arrived == PARTS[: len(arrived)], place
    match states[Recovery.ASK]:
        case ["sent", "sent"]:
            assert arrived == PARTS
        case ["sent", "uncertain"]:
            assert arrived[:1] == PARTS[:1]
        case other:
            assert other == ["uncertain", "pending"], place
    [task] = await database.read("SELECT state FROM edition_tasks")
    assert task["state"] == "published"


@pytest.fixture
def copies(tmp_path: Path, sqlite_template: Path) -> Iterator[str]:
    """As many fresh SQLite databases as one likes."""

    def copied() -> Iterator[str]:
        number = 0
        while True:
            path = tmp_path / f"copy{number}.db"
            shutil.copy(sqlite_template, path)
            yield f"sqlite:///{path}"
            number += 1

    return copied()


@pytest.fixture
def served(postgres: PostgresServer) -> Iterator[str]:
    """As many fresh PostgreSQL databases as one likes."""

    def made() -> Iterator[str]:
        while True:
            url = postgres.new_database()
            yield url
            postgres.drop(url)

    return made()


async def killed_everywhere(urls: Iterator[str], *, step: int) -> int:
    """Kill at every *step*-th moment, each on a database of its own; at how many."""
    kills = 0
    for when in ("next", "at_once"):
        left = 1
        async with open_message_service() as first, senders(first) as sending:
            while True:
                async with open_message_service() as box:
                    url = await asyncio.to_thread(next, urls)
                    database = await open_database(StorageConfig(url=url))
                    await furnished(database)
                    ours = Senders(process=sending.process, box=box)
                    end = await ours.send(url, left, when)
                    if end[0] == "killed":
                        kills += 1
                        assert (await ours.send(url))[0] == "done"
                    await check(database, box, f"killed {when} after {left}")
                    await database.close()
                if end[0] == "done":
                    break
                left += step
    return kills


@pytest.mark.timeout(300)
async def test_a_delivery_survives_a_kill_at_every_moment(copies: Iterator[str]) -> None:
    """(S002-8, F20, I7): nothing stays in `sending`, no part twice, none lost unseen."""
    assert await killed_everywhere(copies, step=1) > 20


@pytest.mark.timeout(300)
async def test_a_delivery_survives_kills_on_postgresql(served: Iterator[str]) -> None:
    """(S002-8, F20, I7): the same; a database there takes a second to make, so fewer moments."""
    assert await killed_everywhere(served, step=5) > 4


@pytest.mark.parametrize("fate", [signal.SIGKILL, signal.SIGSTOP])
async def test_a_sender_that_dies_or_freezes_while_it_waits_for_answers(
    database_url: str, fate: signal.Signals
) -> None:
    """(F16, F20, I7): the requests were carried out, and nobody heard the answers.

    Who was frozen past its lease wakes up to find that others went on; its late results count for
    nothing.
    """
    database = await open_database(StorageConfig(url=database_url))
    await furnished(database)
    async with open_message_service() as box, senders(box) as first, senders(box) as second:
        for recovery in Recovery:
            box.answer(recovery, "held")
        sender = await first.begin(database_url)
        await until(lambda: len(box.arrived()) == len(Recovery))
        os.kill(sender, fate)
        if fate is signal.SIGSTOP:
            await execute(database, "UPDATE outbox SET lease_until = 1 WHERE state = 'sending'")
        ended = await second.send(database_url)
        box.held.set()
        if fate is signal.SIGSTOP:
            os.kill(sender, signal.SIGCONT)
        assert ended[0] == "done"
        assert (await first.end())[0] == ("killed" if fate is signal.SIGKILL else "done")

        await check(database, box)
        rows = await database.read("SELECT DISTINCT state FROM outbox")
        assert "uncertain" in {row["state"] for row in rows}
    await database.close()
