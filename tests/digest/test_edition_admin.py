"""What people do with an edition by its date (S002-11 to S002-16)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import TypeVar

import pytest

from clawfeed.digest.driver.driver import EditionDriver
from clawfeed.digest.edition_admin import EditionAdmin
from clawfeed.digest.edition_config import EditionConfig
from clawfeed.digest.triggers.triggers import EditionTriggers
from clawfeed.domain.editions.edition import ArticleState, TaskState
from clawfeed.domain.editions.edition_decision import BatchOutcome, IdleReason, NothingToDo
from clawfeed.domain.editions.edition_interventions import PersonMove
from clawfeed.domain.errors import InvalidInputError, NotFoundError, RefusalCode
from clawfeed.storage.audit import AuditLog, Hand
from clawfeed.storage.database import Database, Steps, execute
from clawfeed.storage.digests.digests import DigestStore
from clawfeed.storage.editions.edition_retention import (
    AT_A_TIME,
    STORIES_KEPT,
    WORKINGS_KEPT,
    remove_old_stories,
    remove_old_workings,
)
from tests.support.api_callers import ADMIN, add_people
from tests.support.clocks import NOON, FakeClock
from tests.support.counting_database import CountingDatabase
from tests.support.edition_driving import Lists, Words, driver_of
from tests.support.items import add_item, add_source

TODAY = "2026-11-15"
BY_ADMIN = Hand(by=ADMIN, client="here", now=NOON)
T = TypeVar("T")
CONFIG = EditionConfig(batch_size=2, max_retries=1, interval=timedelta(minutes=10))


class OvertakenDatabase(CountingDatabase):
    """Before the first thing that is stored through it, somebody else stores theirs."""

    def __init__(self, database: Database, overtake: Callable[[], Awaitable[object]]) -> None:
        super().__init__(database)
        self._overtake = overtake

    async def run(self, steps: Callable[[], Steps[T]]) -> T:
        if not self.writes:
            await self._overtake()
        return await super().run(steps)


async def written(database: Database) -> list[str]:
    """The audit log, the oldest first."""
    return [event.detail for event in reversed(await AuditLog(database).list(limit=9))]


async def admin_of(
    database: Database,
    *,
    words: Words | None = None,
    lists: Lists | None = None,
    clock: FakeClock | None = None,
) -> tuple[EditionAdmin, EditionDriver]:
    """An admin of a house that has collected something."""
    await add_people(database)
    await add_item(database, await add_source(database, "a"), "first", at=NOON)
    clock = clock or FakeClock()
    driver = driver_of(database, words=words, lists=lists, clock=clock, max_retries=1)
    triggers = EditionTriggers(database, driver, CONFIG, clock, lambda _: False)
    return EditionAdmin(database, driver, triggers, CONFIG, clock), driver


async def test_the_plan_and_every_batch_are_shown(database: Database) -> None:
    """(S002-11, S002-16): three by two every ten minutes are two batches and twenty minutes."""
    admin, driver = await admin_of(database)
    begun = await admin.start(hand=BY_ADMIN)
    await driver.advance(begun.task.id)

    listed = await admin.status(TODAY)
    done = await admin.run_to_end(hand=BY_ADMIN)

    assert begun.task.state is TaskState.INIT
    assert listed.articles[ArticleState.PENDING] == 3
    assert (listed.plan.batches, listed.plan.duration) == (2, timedelta(minutes=20))
    assert [batch.outcome for batch in done.batches] == [BatchOutcome.SUCCESS] * 2
    assert done.task.state is TaskState.PUBLISHED
    assert done.digest_id is not None


async def test_a_second_run_to_the_end_changes_nothing(database: Database) -> None:
    """(S002-8, S002-14)."""
    admin, _ = await admin_of(database)
    first = await admin.run_to_end(hand=BY_ADMIN)

    second = await admin.run_to_end(TODAY, hand=BY_ADMIN)

    assert second == first


async def test_who_triggers_by_hand_is_written_down_once(database: Database) -> None:
    """(S002-14): whatever it took, and not for what is there, over, or held by another."""
    admin, _ = await admin_of(database, words=(words := Words()))
    begun = await admin.start(hand=BY_ADMIN)
    await admin.start(hand=BY_ADMIN)
    words.gate.clear()
    making = asyncio.create_task(admin.run_to_end(hand=BY_ADMIN))
    await words.until_begun(1)
    held = await admin.advance(begun.task.id, hand=BY_ADMIN)
    words.gate.set()
    done = await making
    await admin.run_to_end(hand=BY_ADMIN)

    assert held.step == NothingToDo(reason=IdleReason.BATCH_RUNNING)
    assert done.task.state is TaskState.PUBLISHED
    assert await written(database) == [
        f"begin {begun.task.title}",
        f"trigger {begun.task.title}",
    ]


async def test_what_fails_was_triggered_all_the_same(database: Database) -> None:
    """(S002-15)."""
    admin, _ = await admin_of(database, lists=Lists(fault=ValueError("secret text")))
    begun = await admin.start(hand=BY_ADMIN)

    report = await admin.advance(begun.task.id, hand=BY_ADMIN)

    assert report.error == "ValueError"
    assert await written(database) == [
        f"begin {begun.task.title}",
        f"trigger {begun.task.title}",
    ]


async def test_whoever_is_a_moment_late_is_told_so_and_changes_nothing(database: Database) -> None:
    """(S002-9): somebody else moved the edition after it was looked at."""
    admin, driver = await admin_of(database)
    begun = await admin.start(hand=BY_ADMIN)
    overtaken = OvertakenDatabase(database, partial(driver.advance, begun.task.id))
    triggers = EditionTriggers(overtaken, driver, CONFIG, FakeClock(), lambda _: False)
    late = EditionAdmin(overtaken, driver, triggers, CONFIG, FakeClock())

    with pytest.raises(InvalidInputError, match="moved on this very moment") as refusal:
        await late.move(PersonMove.RESET, TODAY, hand=BY_ADMIN)

    assert refusal.value.told is RefusalCode.EDITION_MOVED
    assert (await admin.status()).task.state is TaskState.LIST_FETCHED
    assert await written(database) == [f"begin {begun.task.title}"]


async def test_failed_articles_are_tried_again_as_often_as_was_asked_for(
    database: Database,
) -> None:
    """(S002-16)."""
    words = Words(faults={"t1": 99, "t2": 99, "t3": 99})
    admin, _ = await admin_of(database, words=words)
    stuck = await admin.run_to_end(hand=BY_ADMIN)

    words.faults.clear()
    retried = await admin.move(PersonMove.RETRY_FAILED, TODAY, hand=BY_ADMIN, max_retries=0)
    done = await admin.run_to_end(hand=BY_ADMIN)

    assert (stuck.task.state, stuck.articles[ArticleState.FAILED]) == (TaskState.AGGREGATING, 3)
    assert retried.articles[ArticleState.PENDING] == 3
    assert done.task.state is TaskState.PUBLISHED


async def test_no_more_tries_than_were_asked_for(database: Database) -> None:
    """(S002-16): `maxRetries` 0 is one try."""
    words = Words(faults={"t1": 99})
    admin, driver = await admin_of(database, words=words)
    begun = await admin.start(hand=BY_ADMIN)
    while (await driver.advance(begun.task.id)).after.state is not TaskState.AGGREGATING:
        pass
    before = words.begun.count("t1")

    await admin.move(PersonMove.RETRY_FAILED, TODAY, hand=BY_ADMIN, max_retries=0)
    await admin.run_to_end(hand=BY_ADMIN)

    assert words.begun.count("t1") == before + 1


async def test_force_publishes_what_is_completed_and_nobodys_late_words(
    database: Database,
) -> None:
    """(S002-16): a batch that hangs holds up nobody who asks for the rest."""
    words = Words()
    admin, driver = await admin_of(database, words=words)
    begun = await admin.start(hand=BY_ADMIN)
    await driver.advance(begun.task.id)
    await driver.advance(begun.task.id)
    words.gate.clear()
    hanging = asyncio.create_task(driver.advance(begun.task.id))
    await words.until_begun(3)

    forced = await admin.move(PersonMove.FORCE_PUBLISH, TODAY, hand=BY_ADMIN)
    other = driver_of(database, worker="two")
    await other.run_to_end(begun.task.id)
    words.gate.set()
    await hanging

    assert forced.task.state is TaskState.AGGREGATING
    done = await admin.status()
    assert done.task.state is TaskState.PUBLISHED
    digest = await DigestStore(database).of_task(done.task.id)
    assert digest is not None
    assert len(digest.content.stories) == 2
    assert done.articles[ArticleState.COMPLETED] == 2
    assert all(batch.outcome is not None for batch in done.batches)


async def test_force_publishes_nothing_of_nothing(database: Database) -> None:
    """(S002-16, S002-17)."""
    admin, driver = await admin_of(database, words=Words(faults={f"t{n}": 99 for n in (1, 2, 3)}))
    begun = await admin.start(hand=BY_ADMIN)
    await driver.advance(begun.task.id)
    await driver.advance(begun.task.id)

    with pytest.raises(InvalidInputError, match="no completed article"):
        await admin.move(PersonMove.FORCE_PUBLISH, TODAY, hand=BY_ADMIN)


async def test_a_reset_begins_anew(database: Database) -> None:
    """(S002-12)."""
    lists = Lists()
    admin, driver = await admin_of(database, lists=lists)
    begun = await admin.start(hand=BY_ADMIN)
    await driver.advance(begun.task.id)
    await driver.advance(begun.task.id)
    lists.stories = 2

    reset = await admin.move(PersonMove.RESET, TODAY, hand=BY_ADMIN)
    done = await admin.run_to_end(hand=BY_ADMIN)

    assert (reset.task.state, sum(reset.articles.values()), reset.batches) == (
        TaskState.INIT,
        0,
        (),
    )
    assert sum(done.articles.values()) == 2


async def test_yesterdays_edition_can_be_reopened_by_its_date(database: Database) -> None:
    """(S002-13): it goes on where it stood."""
    clock = FakeClock()
    admin, driver = await admin_of(database, clock=clock)
    begun = await admin.start(hand=BY_ADMIN)
    await driver.advance(begun.task.id)
    await driver.advance(begun.task.id)
    clock.advance(timedelta(days=1))
    await driver.advance(begun.task.id)

    by_admin = replace(BY_ADMIN, now=clock())
    reopened = await admin.move(PersonMove.REOPEN, TODAY, hand=by_admin)
    done = await admin.run_to_end(TODAY, hand=BY_ADMIN)

    assert (reopened.task.state, reopened.task.batch_index) == (TaskState.PROCESSING, 1)
    assert done.task.state is TaskState.PUBLISHED


async def test_a_date_without_an_edition_is_one_sentence(database: Database) -> None:
    admin, _ = await admin_of(database)

    with pytest.raises(NotFoundError, match="no edition of 2026-11-01 was begun"):
        await admin.status("2026-11-01")
    with pytest.raises(InvalidInputError, match="write it like"):
        await admin.status("yesterday")


async def test_where_nothing_was_collected_there_is_nothing_to_make(database: Database) -> None:
    clock = FakeClock()
    driver = driver_of(database, clock=clock)
    triggers = EditionTriggers(database, driver, CONFIG, clock, lambda _: False)

    with pytest.raises(NotFoundError, match="nothing was collected yet"):
        await EditionAdmin(database, driver, triggers, CONFIG, clock).start(hand=BY_ADMIN)


async def test_old_workings_go_and_the_edition_stays(database: Database) -> None:
    admin, _ = await admin_of(database)
    done = await admin.run_to_end(hand=BY_ADMIN)
    at = NOON + WORKINGS_KEPT

    early = await remove_old_workings(database, now=at)
    late = await remove_old_workings(database, now=at + timedelta(seconds=1))
    again = await remove_old_workings(database, now=at + timedelta(seconds=1))

    assert (early, late, again) == (0, 1, 0)
    assert sum((await admin.status()).articles.values()) == 0
    digest = await DigestStore(database).of_task(done.task.id)
    assert digest is not None
    assert len(digest.content.stories) == 3


async def test_candidates_of_an_edition_without_articles_go_too(database: Database) -> None:
    """A quiet day chooses nothing, and still considered a hundred stories."""
    admin, _ = await admin_of(database)
    await admin.run_to_end(hand=BY_ADMIN)
    await execute(database, "DELETE FROM edition_articles")

    removed = await remove_old_workings(database, now=NOON + WORKINGS_KEPT + timedelta(seconds=1))

    assert removed == 1
    assert await database.read("SELECT story_id FROM edition_candidates") == []


async def test_stories_and_scopes_that_are_long_over_go_in_portions(database: Database) -> None:
    """More than one transaction's worth; what is alive stays."""
    for age, name in ((STORIES_KEPT, "alive"), (STORIES_KEPT + timedelta(seconds=1), "over")):
        at = (NOON - age).timestamp()
        await execute(
            database,
            "INSERT INTO edition_scopes (scope, source_ids, created_at, updated_at) "
            "VALUES (:name, '[]', :at, :at)",
            {"name": name, "at": at},
        )
        for _ in range(AT_A_TIME + 1):
            await execute(
                database,
                "INSERT INTO stories (scope, title, first_seen_at, last_seen_at) "
                "VALUES (:name, 't', :at, :at)",
                {"name": name, "at": at},
            )

    removed = await remove_old_stories(database, now=NOON)

    assert removed == AT_A_TIME + 1
    left = await database.read("SELECT DISTINCT scope FROM stories")
    assert [row["scope"] for row in left] == ["alive"]
    [scope] = await database.read("SELECT scope FROM edition_scopes")
    assert scope["scope"] == "alive"
