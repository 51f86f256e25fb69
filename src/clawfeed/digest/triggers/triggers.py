"""What a trigger does: which editions there are to be made now, and one move of each (S002-1)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from datetime import datetime, timedelta
from functools import partial
from typing import TypeVar

from clawfeed.digest.driver.driver import StepReport
from clawfeed.digest.driver.guarded_move import guarded_move
from clawfeed.digest.driver.lazy_driver import Drives
from clawfeed.digest.driver.publish_interface import Dispatch
from clawfeed.digest.edition_config import EditionConfig
from clawfeed.digest.triggers.first_edition import SystemFirstEdition
from clawfeed.digest.triggers.reader_editions import MOST_A_DAY, TOO_MANY, ReaderEditions
from clawfeed.domain.editions.edition import SYSTEM_SCOPE, EditionTask
from clawfeed.domain.editions.edition_period import EditionType, period_at
from clawfeed.domain.editions.edition_scope import (
    task_of_period,
)
from clawfeed.domain.errors import QuotaError, RefusalCode
from clawfeed.storage.audit import Hand
from clawfeed.storage.database import Database
from clawfeed.storage.dead_workers import IsDead, take_back_from_dead
from clawfeed.storage.editions.edition_claims import EDITION_TABLES
from clawfeed.storage.editions.edition_readers import begun_for
from clawfeed.storage.editions.editions import EditionStore
from clawfeed.storage.editions.reader_queue import DueReader, ReaderQueue
from clawfeed.storage.sources.subscriptions import read_default_sources

# Taken together; a trigger goes on until nobody is left: all may want theirs at the same hour.
MOST_READERS = 500
MOST_TASKS = 1_000
# Of readers' editions: while one waits for a model's words, another is chosen.
EDITIONS_AT_ONCE = 4

T = TypeVar("T")


class EditionTriggers:
    """One trigger at a time in a process; any number of processes.

    *is_dead* knows whether a worker of this machine is gone: what it held is freed at once.
    """

    def __init__(
        self,
        database: Database,
        driver: Drives,
        config: EditionConfig,
        clock: Callable[[], datetime],
        is_dead: IsDead,
        *,
        dispatch: Dispatch | None = None,
        at_once: int = MOST_READERS,
    ) -> None:
        self._db, self._driver, self._config = database, driver, config
        self._clock, self._is_dead, self._at_once = clock, is_dead, at_once
        self._store = EditionStore(database)
        self._queue = ReaderQueue(database)
        self._enrolment = ReaderEditions(database, config, clock, dispatch)
        self._first = SystemFirstEdition(database, config)

    async def trigger(self) -> list[StepReport]:
        """One move of each of the system's editions; readers' own run to their end.

        An edition that fails is logged with its stack and tried again next time; it stops no
        other (S002-15).
        """
        await take_back_from_dead(self._db, EDITION_TABLES, self._is_dead)
        await self._plan_in_time()
        return [*await self._advance_all(), *await self.trigger_readers()]

    async def trigger_readers(self) -> list[StepReport]:
        """The editions of readers whose time has come, each to its end, back to back."""
        now = self._clock()
        await self._queue.welcome(now=now)
        reports, seen = list[StepReport](), set[DueReader]()

        async def make(reader: DueReader) -> list[StepReport]:
            task = await self._enrolment.enrolled(reader)
            if task is None or task.is_over:
                return []
            return await guarded_move(self._driver, task, to_end=True)

        while some := set(await self._queue.due(now=now, limit=self._at_once)) - seen:
            seen |= some
            reports += await _side_by_side(make, some)
        return reports

    async def first_due(self) -> datetime | None:
        """From when on there is enough for the house's first edition.

        None before anything came in, and once there is one.
        """
        return await self._first.due()

    async def make_first(self) -> list[StepReport]:
        """The house's first edition, from where it stands to its end, as if a person asked for it.

        Who has just set the house up sits in front of it: step by step it would take an hour. All
        moves are those of any trigger, so whoever is killed in between is followed by the next.
        """
        await take_back_from_dead(self._db, EDITION_TABLES, self._is_dead)
        task = await self.system_task(self._first.type)
        if task is None or task.is_over:
            return []
        return await guarded_move(self._driver, task, to_end=True)

    async def task_for(self, reader: DueReader) -> EditionTask | None:
        """The reader's own edition of now, begun if it is not there; None while there is nothing.

        However often they ask, it is one edition of their scope and period (I6). `QuotaError` for
        who had more than anybody reads in a day: each costs all a core, and maybe money (T26).
        """
        begun = await begun_for(self._db, reader.id, since=self._clock() - timedelta(days=1))
        return await self._enrolment.enrol(reader, may_begin=begun < MOST_A_DAY)

    async def want_now(self, reader: DueReader) -> None:
        """Let the next trigger make the reader's edition, as soon as there is enough to tell.

        `QuotaError` as for `task_for`.
        """
        now = self._clock()
        if await begun_for(self._db, reader.id, since=now - timedelta(days=1)) >= MOST_A_DAY:
            raise QuotaError(TOO_MANY, RefusalCode.EDITIONS_A_DAY, most=MOST_A_DAY)
        await self._queue.want(reader, now)

    async def next_due(self) -> datetime | None:
        """When the next reader's edition is to be begun; None if nobody waits for one."""
        return await self._queue.next_due()

    async def plan_system(self, hand: Hand | None = None) -> list[EditionTask]:
        """The system's editions of the periods that are now, made if they are not there (S002-13).

        What was missed while the house was dark is not made up: only the last period counts (F15).
        *hand* is the person's who asked; None for what triggers by itself.
        """
        planned = [await self.system_task(kind, hand) for kind in self._config.edition_types]
        return [task for task in planned if task is not None]

    async def _plan_in_time(self) -> None:
        """Plan, unless a house without any edition is about to have more to tell of."""
        if not await self._first.is_early(self._clock()):
            await self.plan_system()

    async def system_task(self, kind: EditionType, hand: Hand | None = None) -> EditionTask | None:
        """The system's edition of now, made if it is not there; None while there is nothing."""
        now = self._clock()
        period = period_at(kind, now, self._config.calendar)
        new = task_of_period(
            SYSTEM_SCOPE,
            period,
            batch_size=self._config.batch_size,
            language=self._config.language,
        )
        known = await self._store.find(new)
        if known is not None:
            return known
        sources = await read_default_sources(self._db, self._config.default_content)
        timely = await self._enrolment.timely(new, sources, now)
        if timely is None:
            return None
        return await self._store.get_or_add(timely, now=now, hand=hand)

    async def _advance_all(self) -> list[StepReport]:
        """The system's tasks make one move; readers' that somebody left unfinished go on."""
        unfinished = await self._store.unfinished(now=self._clock(), limit=MOST_TASKS)
        reports: list[StepReport] = []
        for task in unfinished:
            if task.scope == SYSTEM_SCOPE:
                reports += await guarded_move(self._driver, task, to_end=False)
        left = [task for task in unfinished if task.scope != SYSTEM_SCOPE]
        return reports + await _side_by_side(partial(guarded_move, self._driver, to_end=True), left)


async def _side_by_side(
    make: Callable[[T], Awaitable[list[StepReport]]], wanted: Iterable[T]
) -> list[StepReport]:
    """What *make* did about each, some at a time; in the order they were done."""
    slots, reports = asyncio.Semaphore(EDITIONS_AT_ONCE), list[StepReport]()

    async def made(one: T) -> None:
        async with slots:
            reports.extend(await make(one))

    async with asyncio.TaskGroup() as group:
        for one in wanted:
            group.create_task(made(one))
    return reports
