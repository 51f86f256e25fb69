"""Editions are driven move by move, whoever triggers, dies or wakes up late (S002)."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from datetime import timedelta

import pytest

from clawfeed.digest.driver.driver import action_of
from clawfeed.domain.editions.digest import LeftOutStory
from clawfeed.domain.editions.edition import ArchiveReason, ArticleState, TaskState
from clawfeed.domain.editions.edition_decision import (
    ALARM_AFTER,
    BatchOutcome,
    IdleReason,
    NothingToDo,
)
from clawfeed.domain.editions.edition_failure import EditionFailure, FailureCode
from clawfeed.domain.editions.selection import DropReason
from clawfeed.domain.errors import StorageError
from clawfeed.domain.ids import TaskId
from clawfeed.storage.database import Database, Statement, Steps
from clawfeed.storage.dead_workers import holders
from clawfeed.storage.digests.digests import DigestStore
from clawfeed.storage.drivers.connect import StorageConfig, open_database
from clawfeed.storage.editions.edition_articles import article_counts, batches
from clawfeed.storage.editions.edition_claims import EDITION_TABLES, EditionClaims
from clawfeed.storage.editions.editions import EditionStore
from clawfeed.storage.editions.stories import read_timeline
from tests.support.clocks import NOON, FakeClock
from tests.support.edition_driving import HOLDER, Lists, Words, driver_of, take_back
from tests.support.editions import NEW

INIT, LIST_FETCHED, PROCESSING, AGGREGATING, PUBLISHED, ARCHIVED = TaskState
MINUTE = timedelta(minutes=1)


async def task_id(database: Database, batch_size: int = 2) -> TaskId:
    new = replace(NEW, batch_size=batch_size)
    return (await EditionStore(database).get_or_add(new, now=NOON)).id


async def test_each_trigger_makes_one_move_until_it_is_published(database: Database) -> None:
    """(S002-4, S002-5, S002-6, S002-7, S002-8, S002-16)."""
    task, clock = await task_id(database), FakeClock()
    driver = driver_of(database, clock=clock)

    moves = []
    for _ in range(7):
        report = await driver.advance(task)
        moves.append((action_of(report.step), report.after.state, report.after.batch_index))
        clock.advance(10 * MINUTE)

    assert moves == [
        ("fetch_list", LIST_FETCHED, 0),
        ("start_batch", PROCESSING, 1),
        ("start_batch", PROCESSING, 2),
        ("end_batches", AGGREGATING, 2),
        ("publish", PUBLISHED, 2),
        ("already_published", PUBLISHED, 2),
        ("already_published", PUBLISHED, 2),
    ]
    rows = await batches(database, task)
    assert [(row.index, row.articles, row.outcome) for row in rows] == [
        (1, 2, BatchOutcome.SUCCESS),
        (2, 1, BatchOutcome.SUCCESS),
    ]
    assert [row.started_at for row in rows] == [NOON + 10 * MINUTE, NOON + 20 * MINUTE]


async def test_a_finished_edition_says_what_it_tells_and_what_it_left_out(
    database: Database,
) -> None:
    """(S002-7)."""
    task = await task_id(database)

    await driver_of(database).run_to_end(task)
    found = await DigestStore(database).of_task(task)

    assert found is not None
    assert found.title == "3 stories, en"
    assert found.published_at == NOON
    content = found.content
    assert [story.words.headline[:2] for story in content.stories] == ["t1", "t2", "t3"]
    assert (content.numbers.items, content.numbers.sources, content.numbers.stories) == (10, 2, 3)
    assert content.left_out_counts == {DropReason.EDITION_FULL: 1}
    [left] = content.left_out
    assert isinstance(left, LeftOutStory)
    assert (left.headline, left.because) == ("left out", DropReason.EDITION_FULL)
    first = content.stories[0]
    [told] = await read_timeline(database, first.story_id)
    assert (told.fingerprint, told.digest_id, told.told_at) == ("f1", found.id, NOON)


async def test_fifty_triggers_at_once_do_one_move(database: Database, database_url: str) -> None:
    """(S002-9, F17): over the connections of two processes."""
    task, words = await task_id(database), Words()
    other = await open_database(StorageConfig(url=database_url))
    drivers = [driver_of(database, words=words), driver_of(other, words=words, worker="two")]
    await drivers[0].advance(task)

    words.gate.clear()
    running = [asyncio.create_task(drivers[n % 2].advance(task)) for n in range(50)]
    done, still = await asyncio.wait(running, timeout=30, return_when=asyncio.FIRST_COMPLETED)
    while len(done) < 49:
        more, still = await asyncio.wait(still, return_when=asyncio.FIRST_COMPLETED)
        done |= more
    words.gate.set()
    reports = [*[task.result() for task in done], await still.pop()]
    await other.close()

    steps = sorted(action_of(report.step) for report in reports)
    assert steps == ["previous_batch_still_running"] * 49 + ["start_batch"]
    assert len(words.begun) == 2
    assert len(await batches(database, task)) == 1


async def test_a_trigger_while_a_batch_runs_says_so_and_does_nothing(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    """(S002-10, S002-15)."""
    task, words = await task_id(database), Words()
    driver = driver_of(database, words=words)
    await driver.advance(task)
    words.gate.clear()
    running = asyncio.create_task(driver.advance(task))
    await words.until_begun(1)

    with caplog.at_level(logging.INFO, logger="clawfeed.digest.driver.driver"):
        report = await driver_of(database, worker="two").advance(task)
    words.gate.set()
    await running

    assert report.step == NothingToDo(reason=IdleReason.BATCH_RUNNING)
    assert report.after.state is PROCESSING
    [line] = caplog.records
    assert line.__dict__["action"] == "previous_batch_still_running"
    assert (line.__dict__["date"], line.__dict__["state"]) == (NEW.period, PROCESSING)


async def test_what_a_crash_would_leave_is_free_after_a_quarter_of_an_hour(
    database: Database,
) -> None:
    """(S002-10): the articles of a batch are leased for 15 minutes, by the database's clock."""
    task, words = await task_id(database), Words()
    driver = driver_of(database, words=words)
    await driver.advance(task)
    words.gate.clear()
    running = asyncio.create_task(driver.advance(task))
    await words.until_begun(1)

    left = await database.read(
        f"SELECT lease_until - {database.dialect.now} AS seconds FROM edition_articles "
        "WHERE state = 'processing'"
    )
    words.gate.set()
    await running

    # However slow the machine was, it was leased for no longer; and for not much less.
    assert left
    assert all(10 * 60 < row["seconds"] <= 15 * 60 for row in left)


async def test_an_article_without_words_is_tried_three_times_and_then_left_out(
    database: Database,
) -> None:
    """(S002-10): the others are not held up."""
    task = await task_id(database)
    words = Words(faults={"t1": 99})

    await driver_of(database, words=words, max_retries=3).run_to_end(task)

    counts = await article_counts(database, task)
    assert counts[ArticleState.COMPLETED] == 2
    assert counts[ArticleState.FAILED] == 1
    assert words.begun.count("t1") == 4
    found = await DigestStore(database).of_task(task)
    assert found is not None
    assert [story.words.headline[:2] for story in found.content.stories] == ["t2", "t3"]
    assert BatchOutcome.PARTIAL in {row.outcome for row in await batches(database, task)}


async def test_an_article_that_fails_once_is_told_in_the_end(database: Database) -> None:
    """(S002-10)."""
    task = await task_id(database)

    await driver_of(database, words=Words(faults={"t1": 1})).run_to_end(task)

    found = await DigestStore(database).of_task(task)
    assert found is not None
    assert len(found.content.stories) == 3


async def test_what_a_dead_worker_held_is_written_by_another_and_its_late_answer_is_dropped(
    database: Database,
) -> None:
    """(S002-10, F16): a claim number fences off who wakes up late."""
    task, slow = await task_id(database, batch_size=3), Words()
    first = driver_of(database, words=slow)
    await first.advance(task)
    slow.gate.clear()
    late = asyncio.create_task(first.advance(task))
    await slow.until_begun(3)
    await take_back(database, "one")

    await driver_of(database, worker="two").run_to_end(task)
    before = await DigestStore(database).of_task(task)
    slow.gate.set()
    await late
    after = await DigestStore(database).of_task(task)

    assert before == after
    assert before is not None
    assert {story.words.headline for story in before.content.stories} == {
        "t1 by 1",
        "t2 by 2",
        "t3 by 3",
    }
    rows = await batches(database, task)
    assert [(row.index, row.outcome) for row in rows] == [
        (1, BatchOutcome.FAILED),
        (2, BatchOutcome.SUCCESS),
    ]


async def test_what_goes_wrong_leaves_the_state_and_is_tried_again(database: Database) -> None:
    """(S002-15)."""
    task = await task_id(database)
    driver = driver_of(database, lists=Lists(fault=StorageError("the disk is full")))
    store = EditionStore(database)

    with pytest.raises(StorageError, match="the disk is full"):
        await driver.advance(task)
    failed = await store.get(task)
    await driver.advance(task)
    tried = await store.get(task)

    full = EditionFailure(code=FailureCode.DATABASE, detail="the disk is full")
    assert (failed.state, failed.failure) == (INIT, full)
    assert (tried.state, tried.failure) == (LIST_FETCHED, None)
    assert await holders(database, EDITION_TABLES) == set()


async def test_a_batch_that_outlasts_its_lease_is_taken_over_by_nobody(
    database: Database,
) -> None:
    """A slow model's words are not paid for twice: another's trigger and batch free nothing."""
    lease, words = timedelta(seconds=20), Words()
    task, store = await task_id(database), EditionStore(database)
    another = await store.get_or_add(replace(NEW, scope="another"), now=NOON)
    slow = driver_of(database, words=words, lease=lease)
    other = driver_of(database, worker="other", lease=lease)
    await slow.advance(task)
    words.gate.clear()
    writing = asyncio.create_task(slow.advance(task))
    await words.until_begun(2)
    began = await _leases_end(database)

    async with asyncio.timeout(60):
        while any(  # noqa: ASYNC110 -- only the database knows
            end <= start for start, end in zip(began, await _leases_end(database), strict=True)
        ):
            await asyncio.sleep(0.1)
    seen = action_of((await other.advance(task)).step)
    await other.run_to_end(another.id)
    words.gate.set()
    written = await writing

    assert seen == "previous_batch_still_running"
    assert (written.after.state, len(words.begun)) == (PROCESSING, 2)
    assert [row.outcome for row in await batches(database, task)] == [BatchOutcome.SUCCESS]


async def _leases_end(database: Database) -> tuple[float, ...]:
    """When the task's and the first article's leases end."""
    ends = []
    for table in ("edition_tasks", "edition_articles"):
        rows = await database.read(f"SELECT min(lease_until) AS at FROM {table}")
        ends.append(float(rows[0]["at"]))
    return tuple(ends)


async def test_a_cancelled_trigger_gives_its_task_back(database: Database) -> None:
    task, words = await task_id(database), Words()
    driver = driver_of(database, words=words)
    await driver.advance(task)
    words.gate.clear()
    running = asyncio.create_task(driver.advance(task))
    await words.until_begun(1)

    running.cancel()
    await asyncio.wait({running})

    assert running.cancelled()
    assert await holders(database, EDITION_TABLES) == set()
    assert await EditionClaims(database).claim(task, HOLDER) is not None


async def _rename(database: Database, before: str, after: str) -> None:
    def steps() -> Steps[None]:
        yield Statement(f"ALTER TABLE {before} RENAME TO {after}")

    await database.run(steps)


async def test_a_batch_that_the_database_broke_off_goes_on_at_the_next_trigger(
    database: Database,
) -> None:
    """(S002-15): nobody writes it any more, so nobody waits for its lease."""
    task, words = await task_id(database), Words()
    driver = driver_of(database, words=words)
    await driver.advance(task)
    words.gate.clear()
    running = asyncio.create_task(driver.advance(task))
    await words.until_begun(2)

    await _rename(database, "edition_articles", "articles_away")
    await _rename(database, "edition_tasks", "tasks_away")
    words.gate.set()
    with pytest.raises(StorageError):
        await running
    await _rename(database, "tasks_away", "edition_tasks")
    await _rename(database, "articles_away", "edition_articles")
    again = await driver.advance(task)

    assert action_of(again.step) == "start_batch"
    assert again.after.batch_index == 2
    assert await holders(database, EDITION_TABLES) == set()


async def test_nothing_to_tell_is_not_published(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    """(S002-17)."""
    task = await task_id(database)

    with caplog.at_level(logging.WARNING):
        report = await driver_of(database, lists=Lists(stories=0)).run_to_end(task)

    assert report.after.state is ARCHIVED
    assert report.after.archived_because is ArchiveReason.NO_ITEMS
    assert await DigestStore(database).of_task(task) is None
    assert [record.message for record in caplog.records] == ["edition archived"]


async def test_two_hours_ring_once_and_the_edition_goes_on(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    """(S002-12)."""
    task, clock = await task_id(database), FakeClock()
    driver = driver_of(database, clock=clock)
    await driver.advance(task)
    clock.advance(ALARM_AFTER + MINUTE)

    with caplog.at_level(logging.ERROR):
        await driver.run_to_end(task)

    assert [record.message for record in caplog.records] == ["edition unfinished"]
    assert (await EditionStore(database).get(task)).state is PUBLISHED


async def test_an_edition_whose_day_ended_is_archived_with_a_warning_if_it_was_being_written(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    """(S002-13)."""
    task, clock = await task_id(database), FakeClock()
    driver = driver_of(database, clock=clock)
    await driver.advance(task)
    await driver.advance(task)
    clock.now = NEW.expires_at

    with caplog.at_level(logging.WARNING):
        report = await driver.advance(task)

    assert (report.after.state, report.after.archived_from) == (ARCHIVED, PROCESSING)
    assert [record.message for record in caplog.records] == ["edition archived"]
