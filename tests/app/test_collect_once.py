"""A poll by hand that is cut off gives its source back, however early that was."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from clawfeed.app.clock import system_clock
from clawfeed.app.collect_once import CollectSource
from clawfeed.app.settings.config_loading import load_config
from clawfeed.app.wiring.collector import opened_parts
from clawfeed.storage.database import Database, Steps
from clawfeed.storage.sources.sources import NewSource, SourceStore
from tests.support.counting_database import CountingDatabase

T = TypeVar("T")


class LateAnswers(CountingDatabase):
    """Tells what a transaction brought only once *gate* is open: it is committed long before."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.is_committed, self.gate = asyncio.Event(), asyncio.Event()

    async def run(self, steps: Callable[[], Steps[T]]) -> T:
        answer = await super().run(steps)
        self.is_committed.set()
        await self.gate.wait()
        return answer


@pytest.mark.one_database
async def test_who_is_cut_off_does_not_wait_for_a_database_that_hangs(
    database: Database, tmp_path: Path
) -> None:
    """(S000-14): the second Ctrl-C ends the command; the lease lapses by itself."""
    new = NewSource(type="rss", name="A", config={"url": "http://127.0.0.1:1/"})
    source = await SourceStore(database).add(new, now=system_clock())
    hanging = LateAnswers(database)  # whose gate nobody opens
    config = load_config({}, directory=tmp_path)

    async with opened_parts(config, hanging, lambda _result: None, uses_queue=False) as parts:
        poll = asyncio.create_task(CollectSource(parts, source.id).run())
        await hanging.is_committed.wait()
        poll.cancel()
        ended, _ = await asyncio.wait([poll], timeout=60)
        hanging.gate.set()

    assert ended == {poll}
    assert poll.cancelled()


async def test_who_is_cut_off_while_it_claims_gives_the_source_back(
    database: Database, tmp_path: Path
) -> None:
    """(S000-14): nobody else has to wait for the lease."""
    new = NewSource(type="rss", name="A", config={"url": "http://127.0.0.1:1/"})
    source = await SourceStore(database).add(new, now=system_clock())
    late = LateAnswers(database)
    config = load_config({}, directory=tmp_path)

    async with opened_parts(config, late, lambda _result: None, uses_queue=False) as parts:
        poll = asyncio.create_task(CollectSource(parts, source.id).run())
        await late.is_committed.wait()
        [before] = await database.read("SELECT lease_until FROM source_stats")
        poll.cancel()
        late.gate.set()
        with pytest.raises(asyncio.CancelledError):
            await poll

    [after] = await database.read("SELECT lease_until FROM source_stats")
    assert before["lease_until"] is not None
    assert after["lease_until"] is None
