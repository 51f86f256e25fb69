"""Polls of a feed against a real database: what the cursor knows is never ahead of the items."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from clawfeed.domain.because import Because, Rule
from clawfeed.domain.errors import LeaseLostError
from clawfeed.domain.schedule.schedule import Mode, NextPoll, PollDecision, Rhythm
from clawfeed.domain.sources.source import Fetched
from clawfeed.sources.fetchers.feed import Feed
from clawfeed.sources.parsing.pool import ParsePool
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.storage.database import Database, execute
from clawfeed.storage.items.retention import remove_old_items
from clawfeed.storage.polling.host_queue import ClaimRequest
from clawfeed.storage.polling.poll_queue import Claim, PollQueue
from clawfeed.storage.polling.poll_results import PollFinisher, PollRecord, StoredPoll
from clawfeed.storage.sources.sources import NewSource, SourceStore
from tests.sources.simulated_world import DAY, Stage, fetched, rss, staged
from tests.support.clocks import NOON

PATH = "/feeds/harbour-times.xml"
DECISION = PollDecision(
    rhythm=Rhythm(check_count=1),
    next_poll=NextPoll(at=NOON, because=Because(Rule.STARTED_ANEW), mode=Mode.FIXED),
)


class Poller:
    """One feed, claimed, fetched and finished as a collector does it, step by step."""

    def __init__(self, stage: Stage, parse: ParsePool, database: Database) -> None:
        self.stage, self.database = stage, database
        self.feed = Feed(egress=stage.egress, parse=parse, clock=stage.clock)

    def publish(self, *numbers: int) -> None:
        items = (f"<title>{n}</title><link>https://a.example/{n}</link>" for n in numbers)
        self.stage.answer_with(PATH, rss(*items), "application/rss+xml")

    async def claim(self) -> Claim:
        store = SourceStore(self.database)
        if not await store.list():
            url = self.stage.url + PATH
            await store.add(NewSource(type="rss", name="A", config={"url": url}), now=NOON)
        [source] = await store.list()
        order = ClaimRequest(now=NOON, limit=1, lease=timedelta(minutes=5), worker="w1")
        claim = await PollQueue(self.database, types=BUILT_IN).claim_one(source.id, order)
        assert claim is not None
        return claim

    async def finish(self, claim: Claim, outcome: Fetched) -> StoredPoll:
        poll = PollRecord(
            claim=claim, outcome=outcome, started_at=NOON, finished_at=NOON, worker="w1",
            decide=lambda _found: DECISION,
        )  # fmt: skip
        return await PollFinisher(self.database).finish(poll)

    async def poll(self) -> tuple[Fetched, int]:
        """What a whole poll fetched, and how much of it was new."""
        claim = await self.claim()
        result = fetched(await self.feed.fetch(claim.source))
        return result, (await self.finish(claim, result)).inserted

    async def titles(self) -> list[str]:
        rows = await self.database.read("SELECT title FROM raw_items ORDER BY title")
        return [row["title"] for row in rows]


@pytest.fixture
async def poller(tmp_path: Path, database: Database) -> AsyncIterator[Poller]:
    async with staged(tmp_path) as stage, ParsePool() as parse:
        yield Poller(stage, parse, database)


async def test_the_second_poll_fetches_what_is_new_and_no_more(poller: Poller) -> None:
    poller.publish(1, 2)
    first, stored = await poller.poll()
    poller.publish(3, 1, 2)
    second, added = await poller.poll()

    assert (len(first.drafts), stored) == (2, 2)
    assert ([draft.title for draft in second.drafts], second.known, added) == (["3"], 2, 1)
    assert await poller.titles() == ["1", "2", "3"]


async def test_a_poll_that_dies_between_fetching_and_storing_loses_nothing(
    poller: Poller,
) -> None:
    """(I5): the next one starts from the cursor of the last that was stored."""
    poller.publish(1)
    await poller.poll()
    poller.publish(2, 1)
    dead = await poller.claim()
    lost = fetched(await poller.feed.fetch(dead.source))
    await execute(poller.database, "UPDATE source_stats SET lease_until = 1")

    again, added = await poller.poll()
    with pytest.raises(LeaseLostError):
        await poller.finish(dead, lost)

    assert again.drafts == lost.drafts
    assert added == 1
    assert await poller.titles() == ["1", "2"]


async def test_an_emptied_cursor_has_all_cleaned_again_and_nothing_stored_twice(
    poller: Poller,
) -> None:
    poller.publish(1, 2)
    await poller.poll()
    await execute(poller.database, "UPDATE sources SET cursor = '{}'")

    again, added = await poller.poll()

    assert (len(again.drafts), again.known, added) == (2, 0, 0)


async def test_items_removed_by_age_stay_known(poller: Poller) -> None:
    """(S001-4)."""
    poller.publish(1, 2)
    await poller.poll()
    await remove_old_items(poller.database, now=NOON + 2 * DAY, ttl=DAY)
    poller.publish(3, 1, 2)

    again, added = await poller.poll()

    assert (again.known, added) == (2, 1)
    assert await poller.titles() == ["3"]
