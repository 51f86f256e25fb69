"""Readers who change what they follow, their hour or their zone: nothing twice, nothing lost."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from itertools import pairwise

import pytest

from clawfeed.digest.driver.article_batch import BatchWriter
from clawfeed.digest.driver.composer import Composer
from clawfeed.digest.driver.driver import EditionDriver
from clawfeed.digest.edition_config import EditionConfig
from clawfeed.digest.edition_lists.list_maker import EditionListMaker
from clawfeed.digest.summaries.rollup_writer import TellingsWriter
from clawfeed.digest.triggers.triggers import EditionTriggers
from clawfeed.domain.editions.digest import DigestContent
from clawfeed.domain.editions.edition import EditionTask
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.editions.edition_scope import ReaderSettings
from clawfeed.domain.ids import SourceId
from clawfeed.storage.database import Database, execute
from clawfeed.storage.digests.digests import DigestStore
from clawfeed.storage.editions.edition_readers import readers_of
from clawfeed.storage.editions.editions import EditionStore
from clawfeed.storage.readers.reader_settings import ReaderSettingsStore, SavedReaderSettings
from tests.support.api_callers import ANNA, BEN, add_people
from tests.support.clocks import FakeClock
from tests.support.edition_driving import Front, driver_of
from tests.support.items import add_item, add_source, subscribe

DAY, HOUR = timedelta(days=1), timedelta(hours=1)
DAILY, WEEKLY = EditionType.DAILY, EditionType.WEEKLY
# A Wednesday, ten minutes before half past seven.
MORNING = datetime(2026, 11, 18, 7, 20, tzinfo=UTC)


@dataclass
class Reader:
    """Anna, who follows two sources and has interests of her own; her editions at her moments."""

    database: Database
    clock: FakeClock
    triggers: EditionTriggers

    async def wants(
        self, at: time, zone: str = "UTC", types: tuple[EditionType, ...] = (DAILY,)
    ) -> datetime | None:
        saved = SavedReaderSettings(
            settings=ReaderSettings(edition_time=at, zone=zone), types=types
        )
        store = ReaderSettingsStore(self.database, ReaderSettings())
        return (await store.save(ANNA, saved, now=self.clock())).next_due_at

    async def until(self, end: datetime) -> None:
        """Every trigger that readers are due for, up to *end*."""
        while (due := await self.triggers.next_due()) and due <= end:
            self.clock.now = max(due, self.clock.now)
            await self.triggers.trigger_readers()
        self.clock.now = end

    async def editions(self, kind: EditionType = DAILY) -> list[EditionTask]:
        found = await EditionStore(self.database).recent(limit=100)
        mine = [task for task in found if ANNA in await readers_of(self.database, task.id)]
        return [task for task in reversed(mine) if task.type is kind]


async def reader(database: Database, *, is_personal: bool = True) -> Reader:
    await add_people(database)
    for name in ("a", "b"):
        source = await add_source(database, name)
        await subscribe(database, ANNA, source)
        await add_item(database, source, f"of {name}", at=MORNING - HOUR)
    if is_personal:
        await vote(database)
    clock = FakeClock(MORNING - 1.5 * DAY)
    driver = driver_of(database, clock=clock)
    triggers = EditionTriggers(database, driver, EditionConfig(), clock, lambda _: False)
    return Reader(database, clock, triggers)


async def vote(database: Database) -> None:
    await execute(
        database,
        "INSERT INTO interests (user_id, kind, text, created_at) VALUES (:u, 'word', 'rust', 0)",
        {"u": ANNA},
    )


@pytest.mark.parametrize("is_personal", [True, False])
async def test_an_hour_moved_to_later_the_same_day_is_kept_that_day(
    database: Database, *, is_personal: bool
) -> None:
    """She read hers at half past seven and wants it at eight in the evening: so it comes."""
    anna = await reader(database, is_personal=is_personal)
    await anna.wants(time(7, 30))
    await anna.until(MORNING + 2 * HOUR)

    promised = await anna.wants(time(20, 0))
    await anna.until(MORNING + DAY)

    evening = MORNING.replace(hour=19, minute=50)
    assert promised == evening
    assert [task.due_at for task in await anna.editions()][-2:] == [MORNING, evening]


async def test_an_hour_moved_to_earlier_than_now_is_made_up_at_once(database: Database) -> None:
    """Else she would have none from one evening to the morning after the next."""
    anna = await reader(database)
    await anna.wants(time(20, 0))
    await anna.until(MORNING + 3 * HOUR)

    promised = await anna.wants(time(7, 30))
    await anna.until(MORNING + 2 * DAY)

    last = (await anna.editions())[-4:]
    assert promised == MORNING + 3 * HOUR
    assert [task.period[-2:] for task in last] == ["17", "18", "19", "20"]
    # What came in between two editions is told by the later one.
    pairs = pairwise(last)
    assert all(later.covers_from <= earlier.covers_until for earlier, later in pairs)


async def test_an_hour_moved_within_the_day_is_no_second_edition(database: Database) -> None:
    anna = await reader(database)
    await anna.wants(time(7, 30))
    await anna.until(MORNING + 3 * HOUR)

    promised = await anna.wants(time(9, 0))
    await anna.until(MORNING + DAY)

    assert promised == MORNING + DAY + 1.5 * HOUR
    assert [task.due_at for task in await anna.editions()][-1] == MORNING


async def test_who_flies_around_the_world_finds_an_edition_every_morning(
    database: Database,
) -> None:
    """From Tokyo back to the evening before in Honolulu."""
    anna = await reader(database)
    await anna.wants(time(7, 30), "Asia/Tokyo")
    await anna.until(MORNING)

    promised = await anna.wants(time(7, 30), "Pacific/Honolulu")
    await anna.until(MORNING + 2 * DAY)

    *_, tokyo, first, second = await anna.editions()
    assert promised == first.due_at == datetime(2026, 11, 18, 17, 20, tzinfo=UTC)
    assert tokyo.due_at == datetime(2026, 11, 17, 22, 20, tzinfo=UTC)
    assert second.due_at == first.due_at + DAY
    assert first.covers_from <= tokyo.covers_until


async def test_a_week_is_told_once_whatever_the_zone(database: Database) -> None:
    """Monday begins again for who flies west; the week was read already."""
    monday = MORNING + 5 * DAY
    anna = await reader(database)
    await anna.wants(time(7, 30), types=(DAILY, WEEKLY))
    await anna.until(monday + HOUR)
    before = [task.period for task in await anna.editions(WEEKLY)]

    await anna.wants(time(7, 30), "Pacific/Honolulu", (DAILY, WEEKLY))
    await anna.until(monday + 6 * DAY)

    assert before == ["2026-W48"]
    assert [task.period for task in await anna.editions(WEEKLY)] == before


# The week of a reader whose scope is new


STORY = "Ferry strike stops all traffic to the islands"


async def fed(database: Database, sources: list[SourceId], days: int, start: datetime) -> None:
    """A story that goes on: every day each source tells that it is another day longer."""
    for day in range(days):
        for source in sources:
            number = f"{day + 2} days, {1200 * (day + 1)} passengers wait"
            await add_item(
                database,
                source,
                f"{STORY}: {number}",
                at=start + day * DAY - (1 + source / 10) * HOUR,
                content=f"<p>The ferry strike stops all traffic to the islands. {number}.</p>",
            )


async def weekly_of(database: Database, reader_id: int) -> list[DigestContent]:
    store = DigestStore(database)
    heads = await store.list(type(ANNA)(reader_id), kind=WEEKLY, limit=10)
    found = [await store.get(head.id, type(ANNA)(reader_id)) for head in heads]
    return [digest.content for digest in found if digest]


def real_triggers(database: Database, clock: FakeClock) -> EditionTriggers:
    config = EditionConfig()
    driver = EditionDriver(
        database,
        lists=EditionListMaker(database, config),
        batches=BatchWriter(database, lambda _: TellingsWriter(), clock, max_retries=3),
        composer=Composer(database, lambda _: Front(), clock),
        clock=clock,
        worker="one",
        max_retries=3,
    )
    return EditionTriggers(database, driver, config, clock, lambda _: False)


async def test_a_first_vote_on_sunday_leaves_the_week_what_it_was(database: Database) -> None:
    """(S001-19): a scope of her own, and the week she read; weeks are made from days told."""
    await add_people(database)
    sources = [await add_source(database, name) for name in ("a", "b", "c")]
    gone = await add_source(database, "d")
    for source in (*sources, gone):
        await subscribe(database, ANNA, source)
    monday = MORNING - 2 * DAY
    await fed(database, [*sources, gone], 7, monday)
    clock = FakeClock(monday)
    anna = Reader(database, clock, real_triggers(database, clock))
    await anna.wants(time(7, 30), types=(DAILY, WEEKLY))
    await anna.until(monday + 6 * DAY + HOUR)
    told = len(await anna.editions())

    await vote(database)
    await execute(database, "DELETE FROM user_subscriptions WHERE source_id = :s", {"s": gone})
    await anna.until(monday + 7 * DAY + HOUR)

    [week] = await weekly_of(database, ANNA)
    [story] = week.stories
    [task] = await anna.editions(WEEKLY)
    assert told == 7
    assert task.scope == f"reader-{ANNA}"
    assert story.reason.days_told >= 5
    assert gone not in {each.source_id for each in story.sources}
    assert await weekly_of(database, BEN) == []
