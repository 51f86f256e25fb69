"""The worker that triggers editions: how often, what it survives, how it ends (S002-1, S002-15)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from datetime import datetime, timedelta

import pytest

from clawfeed.digest.driver.driver import StepReport
from clawfeed.digest.driver.trigger_log import DaysTask
from clawfeed.digest.edition_config import EditionConfig
from clawfeed.digest.triggers.trigger_worker import LOOK_EVERY, EditionWorker, TriggerRound
from clawfeed.digest.triggers.triggers import EditionTriggers
from clawfeed.domain.editions.edition import ArticleState, TaskState
from clawfeed.domain.errors import StorageError
from clawfeed.storage.database import Database
from clawfeed.storage.editions.edition_metrics import (
    HEARTBEAT_HOLDS,
    daily_state,
    edition_figures,
    is_trigger_missed,
    last_trigger,
    save_trigger_heartbeat,
)
from tests.support.clocks import NOON, FakeClock
from tests.support.edition_driving import Lists, driver_of
from tests.support.items import add_item, add_source

TODAY = "2026-11-15"
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
EVERY = 10 * MINUTE


class Bell:
    """Triggers that only count; *due* is when the next reader's edition is."""

    def __init__(self, clock: FakeClock) -> None:
        self.clock = clock
        self.rang: list[datetime] = []
        self.due: datetime | None = None
        self.first: datetime | None = None
        self.made: list[datetime] = []
        self.fault: Exception | None = None

    async def trigger(self) -> Sequence[StepReport]:
        self.rang.append(self.clock())
        if self.fault:
            raise self.fault
        return []

    async def next_due(self) -> datetime | None:
        if isinstance(self.fault, StorageError):
            raise self.fault
        return self.due

    async def first_due(self) -> datetime | None:
        return self.first

    async def make_first(self) -> Sequence[StepReport]:
        self.made.append(self.clock())
        raise ValueError("a bug")


async def watch(worker: EditionWorker, clock: FakeClock, until: datetime) -> None:
    """Live through the time until then, waiting as long as the worker says."""
    while clock() < until:
        clock.advance(await worker.look())


def worker_of(bell: Bell, clock: FakeClock) -> EditionWorker:
    async def unsigned(_now: datetime) -> None:
        pass

    async def today(_now: datetime) -> DaysTask:
        return DaysTask(date=TODAY, state=None)

    return EditionWorker(bell, TriggerRound(bell, clock, unsigned, today), clock, EVERY)


def minutes(bell: Bell) -> list[float]:
    return [(at - NOON) / MINUTE for at in bell.rang]


async def test_it_triggers_at_the_start_and_then_every_interval() -> None:
    """(S002-1)."""
    clock = FakeClock()
    bell = Bell(clock)

    await watch(worker_of(bell, clock), clock, NOON + 35 * MINUTE)

    assert minutes(bell) == [0, 10, 20, 30]


async def test_a_readers_edition_is_begun_at_its_moment_and_the_interval_goes_on_from_there() -> (
    None
):
    """(S002-1): though it was asked for when the worker was asleep already."""
    clock = FakeClock()
    bell = Bell(clock)
    worker = worker_of(bell, clock)
    await watch(worker, clock, NOON + MINUTE)

    bell.due = NOON + 3.5 * MINUTE
    await watch(worker, clock, NOON + 4 * MINUTE)
    bell.due = None
    await watch(worker, clock, NOON + 15 * MINUTE)

    assert minutes(bell) == [0, 3.5, 13.5]


async def test_the_houses_first_edition_is_made_when_there_is_enough_and_a_failure_waits() -> None:
    """A look finds it within seconds; one that fails is tried no more often than any other."""
    clock = FakeClock()
    bell = Bell(clock)
    worker = worker_of(bell, clock)
    await watch(worker, clock, NOON + MINUTE)

    bell.first = NOON + 1.5 * MINUTE
    await watch(worker, clock, NOON + 14 * MINUTE)
    bell.first = None
    await watch(worker, clock, NOON + 30 * MINUTE)

    first, again = bell.made
    assert NOON + 1.5 * MINUTE <= first < NOON + 1.5 * MINUTE + LOOK_EVERY
    assert EVERY <= again - first < EVERY + LOOK_EVERY
    assert minutes(bell)[:2] == [0, 10]


async def test_what_stays_due_is_no_reason_to_hurry() -> None:
    """Another process makes it, or it fails each time: the next interval looks again."""
    clock = FakeClock()
    bell = Bell(clock)
    bell.due = NOON - HOUR

    await watch(worker_of(bell, clock), clock, NOON + 15 * MINUTE)

    assert minutes(bell) == [0, 10]


@pytest.mark.parametrize("jump", [-7 * HOUR, 7 * HOUR])
async def test_a_clock_that_is_set_stops_nothing(jump: timedelta) -> None:
    """(F15)."""
    clock = FakeClock()
    bell = Bell(clock)
    worker = worker_of(bell, clock)
    await worker.look()

    clock.advance(jump)
    wait = await worker.look()

    assert bell.rang == [NOON, NOON + jump]
    assert wait == LOOK_EVERY


@pytest.mark.parametrize("fault", [ValueError("a bug"), StorageError("no database")])
async def test_a_trigger_that_crashes_is_logged_with_its_stack_and_tried_again(
    caplog: pytest.LogCaptureFixture, fault: Exception
) -> None:
    """(S002-15)."""
    clock = FakeClock()
    bell = Bell(clock)
    bell.fault = fault
    worker = worker_of(bell, clock)

    await watch(worker, clock, NOON + 5 * MINUTE)
    bell.fault = None
    await watch(worker, clock, NOON + 15 * MINUTE)

    [error] = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert error.exc_info
    assert error.exc_info[1] is fault
    assert minutes(bell) == [0, 10]


async def test_a_stop_lets_a_running_trigger_end_and_begins_no_other() -> None:
    """(S000-14)."""
    begun, gate, ended = asyncio.Event(), asyncio.Event(), []
    clock = FakeClock()

    async def long_round() -> None:
        begun.set()
        await gate.wait()
        ended.append(clock())

    worker = EditionWorker(Bell(clock), long_round, clock, EVERY)
    running = asyncio.create_task(worker.run())
    await begun.wait()
    worker.stop()
    gate.set()
    await running

    assert ended == [NOON]


async def test_a_trigger_that_does_not_end_is_cut_short_within_the_services_patience(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """(S000-14): each of its steps is one transaction, so it goes on where it stood."""
    begun, cut = asyncio.Event(), []

    async def endless() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cut.append(True)
            raise

    worker = EditionWorker(
        Bell(FakeClock()), endless, FakeClock(), EVERY, patience=timedelta(milliseconds=20)
    )
    running = asyncio.create_task(worker.run())
    await begun.wait()
    worker.stop()
    await running

    assert cut == [True]
    assert "cut short" in caplog.text


async def test_every_trigger_tells_when_which_edition_its_state_and_what_was_done(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    """(S002-8, S002-15): also of a day that is not begun, and of one that is published."""
    caplog.set_level(logging.INFO)
    clock = FakeClock()
    trigger = round_of(database, clock)
    await trigger()
    await add_item(database, await add_source(database, "a"), "first", at=NOON - MINUTE)

    for _ in range(5):
        await trigger()

    told = [record for record in caplog.records if record.message == "edition triggered"]
    names = ("at", "date", "state", "action")
    assert [tuple(getattr(record, name) for name in names) for record in told] == [
        ("2026-11-15T12:00:00+00:00", TODAY, "not_begun", "nothing_to_do"),
        ("2026-11-15T12:00:00+00:00", TODAY, "init", "fetch_list"),
        ("2026-11-15T12:00:00+00:00", TODAY, "list_fetched", "start_batch"),
        ("2026-11-15T12:00:00+00:00", TODAY, "processing", "end_batches"),
        ("2026-11-15T12:00:00+00:00", TODAY, "aggregating", "publish"),
        ("2026-11-15T12:00:00+00:00", TODAY, "published", "already_published"),
    ]
    assert {record.levelno for record in told} == {logging.INFO}


async def test_an_exception_leaves_the_state_as_it_was(
    database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    """(S002-15): ERROR with the stack; the next trigger does it."""
    await add_item(database, await add_source(database, "a"), "first", at=NOON - MINUTE)
    trigger = round_of(database, FakeClock(), Lists(fault=ValueError("no list")))

    [failed] = await trigger() or []
    state = await daily_state(database, TODAY)
    [done] = await trigger() or []

    [error] = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert error.exc_info
    assert (failed.error, state) == ("ValueError", TaskState.INIT)
    assert done.after.state is TaskState.LIST_FETCHED


async def test_a_trigger_leaves_a_sign_and_a_failed_one_does_not(database: Database) -> None:
    """(S002-1): so that somebody hears of it when nobody triggers."""
    clock = FakeClock()
    bell = Bell(clock)

    async def sign(now: datetime) -> None:
        await save_trigger_heartbeat(database, now)

    async def today(_now: datetime) -> DaysTask:
        return DaysTask(date=TODAY, state=None)

    trigger = TriggerRound(bell, clock, sign, today)
    never = await last_trigger(database)
    await trigger()
    clock.advance(HOUR)
    bell.fault = ValueError()
    await trigger()

    assert (never, await last_trigger(database)) == (None, NOON)


@pytest.mark.parametrize(
    ("ago", "every", "is_missed"),
    [
        (None, EVERY, True),
        (HEARTBEAT_HOLDS, EVERY, False),
        (HEARTBEAT_HOLDS + MINUTE, EVERY, True),
        (11 * HOUR, 6 * HOUR, False),
        (13 * HOUR, 6 * HOUR, True),
    ],
)
def test_a_trigger_is_missed_after_two_hours_or_two_intervals(
    ago: timedelta | None, every: timedelta, *, is_missed: bool
) -> None:
    last = None if ago is None else NOON - ago

    assert is_trigger_missed(last, NOON, every=every) is is_missed


async def test_the_figures_are_of_the_systems_edition_of_the_day(database: Database) -> None:
    await add_item(database, await add_source(database, "a"), "first", at=NOON - MINUTE)
    trigger = round_of(database, FakeClock())
    before = await edition_figures(database, period=TODAY)

    await trigger()
    listed = await edition_figures(database, period=TODAY)
    for _ in range(3):
        await trigger()

    done = await edition_figures(database, period=TODAY)
    assert (before.state, before.triggered_at, sum(before.articles.values())) == (None, None, 0)
    assert (listed.state, listed.articles[ArticleState.PENDING]) == (TaskState.LIST_FETCHED, 3)
    assert (done.state, done.articles[ArticleState.COMPLETED]) == (TaskState.PUBLISHED, 3)
    assert (done.published_at, done.triggered_at) == (NOON, NOON)
    assert done.last_published_at == NOON


def round_of(database: Database, clock: FakeClock, lists: Lists | None = None) -> TriggerRound:
    """One trigger of the real machine, with words a test decides about."""
    driver = driver_of(database, lists=lists, clock=clock)
    triggers = EditionTriggers(database, driver, EditionConfig(), clock, lambda _: False)

    async def today(now: datetime) -> DaysTask:
        date = f"{now:%Y-%m-%d}"
        return DaysTask(date=date, state=await daily_state(database, date))

    async def sign(now: datetime) -> None:
        await save_trigger_heartbeat(database, now)

    return TriggerRound(triggers, clock, sign, today)
