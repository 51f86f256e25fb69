"""Polls of a page without a feed against a real database: each change is one item (S001-7)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import orjson
import pytest

from clawfeed.domain.because import Because, Rule
from clawfeed.domain.schedule.schedule import Mode, NextPoll, PollDecision, Rhythm
from clawfeed.domain.sources.source import Fetched, NotModified
from clawfeed.sources.fetchers.feed import Feed
from clawfeed.sources.fetchers.website import Website
from clawfeed.sources.parsing.pool import ParsePool
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.storage.database import Database, execute
from clawfeed.storage.items.retention import remove_old_items
from clawfeed.storage.polling.host_queue import ClaimRequest
from clawfeed.storage.polling.poll_queue import Claim, PollQueue
from clawfeed.storage.polling.poll_results import PollFinisher, PollRecord
from clawfeed.storage.sources.sources import NewSource, SourceStore
from tests.sources.simulated_world import DAY, Stage, staged
from tests.support.clocks import NOON

PATH = "/site/status-page"
DECISION = PollDecision(
    rhythm=Rhythm(check_count=1),
    next_poll=NextPoll(at=NOON, because=Because(Rule.STARTED_ANEW), mode=Mode.FIXED),
)


class Watcher:
    """One page, polled as collectors do it: each with nothing but what the database remembers."""

    def __init__(self, stage: Stage, parse: ParsePool, database: Database) -> None:
        self.stage, self.parse, self.database = stage, parse, database

    def show(self, title: str, links: str = "") -> None:
        self.stage.answer_with(PATH, f"<title>{title}</title>{links}<p>x")

    async def claim(self) -> Claim:
        store = SourceStore(self.database)
        if not await store.list():
            page = {"url": self.stage.url + PATH}
            await store.add(NewSource(type="website", name="A", config=page), now=NOON)
        [source] = await store.list()
        await execute(self.database, "UPDATE source_stats SET lease_until = NULL")
        order = ClaimRequest(now=NOON, limit=1, lease=timedelta(minutes=5), worker="w1")
        claim = await PollQueue(self.database, types=BUILT_IN).claim_one(source.id, order)
        assert claim is not None
        return claim

    async def fetch(self, claim: Claim) -> Fetched | NotModified:
        tools = {"egress": self.stage.egress, "parse": self.parse, "clock": self.stage.clock}
        return await Website(**tools, feed=Feed(**tools)).fetch(claim.source)  # type: ignore[arg-type]

    async def poll(self) -> int:
        """How many items a whole poll stored."""
        claim = await self.claim()
        self.stage.clock.advance(timedelta(hours=4))
        poll = PollRecord(
            claim=claim, outcome=await self.fetch(claim), started_at=NOON, finished_at=NOON,
            worker="w1", decide=lambda _found: DECISION,
        )  # fmt: skip
        return (await PollFinisher(self.database).finish(poll)).inserted

    async def titles(self) -> list[str]:
        rows = await self.database.read("SELECT title FROM raw_items ORDER BY id")
        return [row["title"] for row in rows]


@pytest.fixture
async def watcher(tmp_path: Path, database: Database) -> AsyncIterator[Watcher]:
    async with staged(tmp_path) as stage, ParsePool() as parse:
        yield Watcher(stage, parse, database)


async def test_each_change_is_one_item_though_it_was_seen_before(watcher: Watcher) -> None:
    """(S001-7, settled 6): what is shown twice in a row is one, whoever asks the second time."""
    stored = []
    for state in "ABACB":
        watcher.show(state)
        stored.append([await watcher.poll() for _ in range(3)])

    assert stored == [[1, 0, 0]] * 5
    assert await watcher.titles() == [*"ABACB"]


async def test_one_that_alternates_is_told_each_time(watcher: Watcher) -> None:
    """(S001-7): long after any memory of single states would be full."""
    for turn in range(60):
        watcher.show("AB"[turn % 2])
        assert await watcher.poll() == 1


async def test_a_poll_that_dies_before_it_is_stored_is_told_once(watcher: Watcher) -> None:
    """(S001-7, I5): kill -9 after the answer; the next poll goes on from the last stored one."""
    for state in "ABA":
        watcher.show(state)
        lost = await watcher.fetch(await watcher.claim())
        again = await watcher.fetch(await watcher.claim())

        assert isinstance(lost, Fetched)
        assert isinstance(again, Fetched)
        assert lost.drafts == again.drafts
        assert await watcher.poll() == 1
        assert await watcher.poll() == 0


async def test_what_was_removed_as_old_comes_back_only_by_a_change(watcher: Watcher) -> None:
    """(S001-4, S001-7, settled 5)."""
    for state in "AB":
        watcher.show(state)
        await watcher.poll()
    await remove_old_items(watcher.database, now=NOON + 31 * DAY, ttl=30 * DAY)

    unchanged = await watcher.poll()
    watcher.show("A")
    changed = await watcher.poll()

    assert (unchanged, changed) == (0, 1)
    assert await watcher.titles() == ["A"]


async def test_a_page_that_had_a_feed_for_a_while_goes_on_where_it_was(watcher: Watcher) -> None:
    """(S001-7)."""
    for state in "AB":
        watcher.show(state)
        await watcher.poll()
    feed = '<link rel="alternate" type="application/rss+xml" href="/feeds/harbour-times.xml">'
    watcher.show("B", feed)
    await watcher.poll()
    through_feed = len(await watcher.titles())
    watcher.show("B")
    watcher.stage.clock.advance(8 * DAY)

    same = await watcher.poll()
    watcher.show("A")
    changed = await watcher.poll()

    assert through_feed > 2
    assert (same, changed) == (0, 1)


async def test_a_lost_cursor_tells_at_most_once_what_is_shown(watcher: Watcher) -> None:
    """And the changes after it are news, though the same ones were seen before."""
    for state in "AB":
        watcher.show(state)
        await watcher.poll()
    watcher.show("A")
    await execute(watcher.database, "UPDATE sources SET cursor = '{}'")

    lost = await watcher.poll()
    watcher.show("B")
    changed = await watcher.poll()

    assert (lost, changed) == (0, 1)


async def test_the_cursor_of_an_older_release_is_understood(watcher: Watcher) -> None:
    """It knew what was shown, and no turn."""
    watcher.show("A")
    await watcher.poll()
    [row] = await watcher.database.read("SELECT cursor FROM sources")
    older = orjson.loads(row["cursor"])
    del older["turn"]
    written = {"cursor": orjson.dumps(older).decode()}
    await execute(watcher.database, "UPDATE sources SET cursor = :cursor", written)

    same = await watcher.poll()
    stored = []
    for state in "BA":
        watcher.show(state)
        stored.append(await watcher.poll())

    assert (same, stored) == (0, [1, 1])
