"""What a trigger does: which editions there are to be made now, and one move of each (S002-1)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import TypeVar

from clawfeed.digest.dispatch import Dispatch
from clawfeed.digest.driver import StepReport, failed
from clawfeed.digest.edition_config import EditionConfig
from clawfeed.digest.first_of_house import FirstOfHouse
from clawfeed.digest.late_driver import Drives
from clawfeed.domain.edition import SYSTEM_SCOPE, EditionTask, NewTask
from clawfeed.domain.edition_period import EditionType, Period, period_at
from clawfeed.domain.edition_scope import (
    MADE_FROM,
    first_task,
    task_of_period,
)
from clawfeed.domain.errors import QuotaError, StorageError
from clawfeed.domain.ids import SourceId
from clawfeed.storage.database import ConstraintError, Database
from clawfeed.storage.digests import DigestStore
from clawfeed.storage.edition_readers import DueReader, EditionReaders
from clawfeed.storage.editions import EditionStore
from clawfeed.storage.first_items import first_items
from clawfeed.storage.subscriptions import default_sources
from clawfeed.storage.told_digests import told_digests

log = logging.getLogger(__name__)

# Whose sources brought nothing yet, or whose edition could not be begun, waits this long.
PATIENCE = timedelta(minutes=2)
# While some of them were never polled: their first items are a matter of seconds.
SOON = timedelta(seconds=15)
# Taken together; a trigger goes on until nobody is left: all may want theirs at the same hour.
MOST_READERS = 500
MOST_TASKS = 1_000
# Of readers' editions: while one waits for a model's words, another is chosen.
EDITIONS_AT_ONCE = 4
# Whoever changes their sources, hour or language is in another scope, and may ask for its edition:
# so often within a day. All four types for a day are nine.
MOST_A_DAY = 24
TOO_MANY = f"{MOST_A_DAY} editions within a day are the most; ask tomorrow"

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
        is_dead: Callable[[str], bool],
        *,
        dispatch: Dispatch | None = None,
        at_once: int = MOST_READERS,
    ) -> None:
        self._db, self._driver, self._config = database, driver, config
        self._clock, self._is_dead, self._at_once = clock, is_dead, at_once
        self._store, self._digests = EditionStore(database), DigestStore(database)
        self._readers = EditionReaders(database, config.usual)
        self._dispatch = dispatch
        self._first = FirstOfHouse(database, config)

    async def trigger(self) -> list[StepReport]:
        """One move of each of the system's editions; readers' own run to their end.

        An edition that fails is logged with its stack and tried again next time; it stops no
        other (S002-15).
        """
        await self._take_back_from_dead()
        await self._plan_in_time()
        return [*await self._advance_all(), *await self.trigger_readers()]

    async def trigger_readers(self) -> list[StepReport]:
        """The editions of readers whose time has come, each to its end, back to back."""
        now = self._clock()
        await self._readers.welcome(now=now)
        reports, seen = list[StepReport](), set[DueReader]()

        async def make(reader: DueReader) -> list[StepReport]:
            task = await self._enrolled(reader)
            if task is None or task.is_over:
                return []
            return await self._guarded(task, to_end=True)

        while some := set(await self._readers.due(now=now, limit=self._at_once)) - seen:
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
        await self._take_back_from_dead()
        task = await self.system_task(self._first.type)
        return [] if task is None or task.is_over else await self._guarded(task, to_end=True)

    async def task_for(self, reader: DueReader) -> EditionTask | None:
        """The reader's own edition of now, begun if it is not there; None while there is nothing.

        However often they ask, it is one edition of their scope and period (I6). `QuotaError` for
        who had more than anybody reads in a day: each costs all a core, and maybe money (T26).
        """
        begun = await self._readers.begun(reader.id, since=self._clock() - timedelta(days=1))
        return await self._enrol(reader, may_begin=begun < MOST_A_DAY)

    async def want_now(self, reader: DueReader) -> None:
        """Let the next trigger make the reader's edition, as soon as there is enough to tell.

        `QuotaError` as for `task_for`.
        """
        now = self._clock()
        if await self._readers.begun(reader.id, since=now - timedelta(days=1)) >= MOST_A_DAY:
            raise QuotaError(TOO_MANY)
        await self._readers.want(reader, now)

    async def next_due(self) -> datetime | None:
        """When the next reader's edition is to be begun; None if nobody waits for one."""
        return await self._readers.next_due()

    async def plan_system(self) -> list[EditionTask]:
        """The system's editions of the periods that are now, made if they are not there (S002-13).

        What was missed while the house was dark is not made up: only the last period counts (F15).
        """
        planned = [await self.system_task(kind) for kind in self._config.edition_types]
        return [task for task in planned if task is not None]

    async def _plan_in_time(self) -> None:
        """Plan, unless a house without any edition is about to have more to tell of."""
        if not await self._first.is_early(self._clock()):
            await self.plan_system()

    async def system_task(self, kind: EditionType) -> EditionTask | None:
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
        sources = await self._db.run(lambda: default_sources(self._config.default_content))
        timely = await self._timely(new, sources, now)
        return None if timely is None else await self._store.get_or_add(timely, now=now)

    async def _timely(
        self, new: NewTask, sources: Sequence[SourceId], now: datetime, *, waits: bool = False
    ) -> NewTask | None:
        """*new*; for a scope's first edition what is there already; None while there is nothing.

        If it *waits*, also while sources are read that might tell more: not for who asks.
        """
        made_from = MADE_FROM.get(new.type)
        if made_from is not None:
            earlier = await told_digests(
                self._db, new.scope, made_from, since=new.covers_from, until=new.covers_until
            )
            return new if earlier else None
        if await self._digests.has_any(new.scope, new.type):
            return new
        found = await first_items(self._db, sources)
        is_enough = found.is_enough(now) if waits else found.first_item_at is not None
        return first_task(new, now) if is_enough else None

    async def _enrolled(self, reader: DueReader) -> EditionTask | None:
        """`_enrol` for who is due: what is wrong with one reader's rows stops no other's edition.

        They leave the head of the queue for a while; else five hundred of them would fill it.
        """
        try:
            return await self._enrol(reader, waits=True)
        except Exception as error:
            # A reader who was deleted meanwhile has no row to refer to: that is one reader's, too.
            if isinstance(error, StorageError) and not isinstance(error, ConstraintError):
                raise  # nobody's edition can be begun
            log.exception(
                "edition of a reader not begun; tried again later",
                extra={"reader": reader.id, "type": reader.type},
            )
            await self._readers.postpone(reader, self._clock() + PATIENCE)
            return None

    async def _enrol(
        self, reader: DueReader, *, may_begin: bool = True, waits: bool = False
    ) -> EditionTask | None:
        """The reader's edition of now, with the date of their next one; None if it has to wait."""
        now = self._clock()
        settings = await self._readers.settings(reader.id)
        scope = await self._readers.scope(reader.id)
        period = period_at(reader.type, now, settings.calendar)
        new = task_of_period(
            scope.name, period, batch_size=self._config.batch_size, language=settings.language
        )
        new = await self._not_taken(new, period, now)
        is_known = await self._store.find(new) is not None
        if not is_known and not may_begin:
            raise QuotaError(TOO_MANY)
        if not is_known and reader.type in MADE_FROM:
            # A new scope has to know what its reader was told before this looks for it.
            await self._readers.remember(reader.id, scope, now=now)
        timely = new if is_known else await self._timely(new, scope.sources, now, waits=waits)
        if timely is None:
            # A longer edition without shorter ones waits for its next period, and so does who
            # follows only what is gone.
            may_come = scope.sources and reader.type not in MADE_FROM
            again = await self._again_at(scope.sources, now) if may_come else period.ends_at
            await self._readers.postpone(reader, again)
            return None
        task = await self._readers.enrol(reader, scope, timely, next_due_at=period.ends_at, now=now)
        # Who shares it with others may come when it is written already. If it is written only now,
        # whoever writes it finds them before it is published.
        if self._dispatch is not None:
            await self._dispatch.add_missing(task, reader.id)
        return task

    async def _again_at(self, sources: Sequence[SourceId], now: datetime) -> datetime:
        return now + (SOON if (await first_items(self._db, sources)).unread else PATIENCE)

    async def _not_taken(self, new: NewTask, period: Period, now: datetime) -> NewTask:
        """*new* under a name of its own, for a scope whose reader moved their hour or their zone.

        A day that begins again later is a second edition of that date. Whoever has an edition of
        later than *period* already has it.
        """
        latest = await self._store.latest(new, now=now)
        if latest is None or latest.due_at == period.starts_at:
            return new
        if latest.due_at > period.starts_at:
            return replace(new, period=latest.period)
        if latest.period != new.period or new.type in MADE_FROM:
            return new
        return replace(new, period=f"{new.period}T{period.calendar.begins:%H:%M}")

    async def _advance_all(self) -> list[StepReport]:
        """The system's tasks make one move; readers' that somebody left unfinished go on."""
        unfinished = await self._store.unfinished(now=self._clock(), limit=MOST_TASKS)
        reports: list[StepReport] = []
        for task in unfinished:
            if task.scope == SYSTEM_SCOPE:
                reports += await self._guarded(task, to_end=False)
        left = [task for task in unfinished if task.scope != SYSTEM_SCOPE]
        return reports + await _side_by_side(partial(self._guarded, to_end=True), left)

    async def _guarded(self, task: EditionTask, *, to_end: bool) -> list[StepReport]:
        reports: list[StepReport] = []
        try:
            if to_end:
                await self._driver.run_to_end(task.id, reports.append)
            else:
                reports.append(await self._driver.advance(task.id))
        except Exception as error:
            log.exception(
                "edition failed; its next trigger tries again",
                extra={"task": task.id, "date": task.period, "state": task.state},
            )
            reports.append(failed(task, error))
        return reports

    async def _take_back_from_dead(self) -> None:
        dead = [worker for worker in await self._store.holders() if self._is_dead(worker)]
        freed = await self._store.take_back(dead)
        if freed:
            log.info("editions of a dead worker taken back", extra={"count": freed})


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
