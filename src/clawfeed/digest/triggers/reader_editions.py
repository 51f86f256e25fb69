"""Which edition a reader is to have now, and whether there is enough to tell for its first one."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from clawfeed.digest.driver.publish_interface import Dispatch
from clawfeed.digest.edition_config import EditionConfig
from clawfeed.domain.editions.edition import EditionTask, NewTask
from clawfeed.domain.editions.edition_period import Period, period_at
from clawfeed.domain.editions.edition_scope import (
    MADE_FROM,
    first_task,
    task_of_period,
)
from clawfeed.domain.errors import QuotaError, RefusalCode, StorageError
from clawfeed.domain.ids import SourceId
from clawfeed.storage.database import ConstraintError, Database
from clawfeed.storage.digests.digests import DigestStore
from clawfeed.storage.digests.told_digests import told_digests
from clawfeed.storage.editions.edition_scopes import ReaderScopes
from clawfeed.storage.editions.editions import EditionStore
from clawfeed.storage.editions.first_poll_progress import first_items
from clawfeed.storage.editions.reader_queue import DueReader, ReaderQueue

log = logging.getLogger(__name__)

# Whose sources brought nothing yet, or whose edition could not be begun, waits this long.
RETRY_WAIT = timedelta(minutes=2)
# While some of them were never polled: their first items are a matter of seconds.
FIRST_POLL_WAIT = timedelta(seconds=15)
# Whoever changes their sources, hour or language is in another scope, and may ask for its edition:
# so often within a day. All four types for a day are nine.
MOST_A_DAY = 24
TOO_MANY = f"{MOST_A_DAY} editions within a day are the most; ask tomorrow"


class ReaderEditions:
    """Readers' editions begun, and their next dates set."""

    def __init__(
        self,
        database: Database,
        config: EditionConfig,
        clock: Callable[[], datetime],
        dispatch: Dispatch | None,
    ) -> None:
        self._db, self._config, self._clock = database, config, clock
        self._queue, self._dispatch = ReaderQueue(database), dispatch
        self._scopes = ReaderScopes(database, config.defaults)
        self._store, self._digests = EditionStore(database), DigestStore(database)

    async def timely(
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

    async def enrolled(self, reader: DueReader) -> EditionTask | None:
        """`enrol` for who is due: what is wrong with one reader's rows stops no other's edition.

        They leave the head of the queue for a while; else five hundred of them would fill it.
        """
        try:
            return await self.enrol(reader, waits=True)
        except Exception as error:
            # A reader who was deleted meanwhile has no row to refer to: that is one reader's, too.
            if isinstance(error, StorageError) and not isinstance(error, ConstraintError):
                raise  # nobody's edition can be begun
            log.exception(
                "edition of a reader not begun; tried again later",
                extra={"reader": reader.id, "type": reader.type},
            )
            await self._queue.postpone(reader, self._clock() + RETRY_WAIT)
            return None

    async def enrol(
        self, reader: DueReader, *, may_begin: bool = True, waits: bool = False
    ) -> EditionTask | None:
        """The reader's edition of now, with the date of their next one; None if it has to wait."""
        now = self._clock()
        settings = await self._scopes.settings(reader.id)
        scope = await self._scopes.scope(reader.id)
        period = period_at(reader.type, now, settings.calendar)
        new = task_of_period(
            scope.name, period, batch_size=self._config.batch_size, language=settings.language
        )
        new = await self._not_taken(new, period, now)
        is_known = await self._store.find(new) is not None
        if not is_known and not may_begin:
            raise QuotaError(TOO_MANY, RefusalCode.EDITIONS_A_DAY, most=MOST_A_DAY)
        if not is_known and reader.type in MADE_FROM:
            # A new scope has to know what its reader was told before this looks for it.
            await self._scopes.remember(reader.id, scope, now=now)
        timely = new if is_known else await self.timely(new, scope.sources, now, waits=waits)
        if timely is None:
            # A longer edition without shorter ones waits for its next period, and so does who
            # follows only what is gone.
            may_come = scope.sources and reader.type not in MADE_FROM
            again = await self._again_at(scope.sources, now) if may_come else period.ends_at
            await self._queue.postpone(reader, again)
            return None
        task = await self._queue.enrol(reader, scope, timely, next_due_at=period.ends_at, now=now)
        # Who shares it with others may come when it is written already. If it is written only now,
        # whoever writes it finds them before it is published.
        if self._dispatch is not None:
            await self._dispatch.add_missing(task, reader.id)
        return task

    async def _again_at(self, sources: Sequence[SourceId], now: datetime) -> datetime:
        return now + (
            FIRST_POLL_WAIT if (await first_items(self._db, sources)).unread else RETRY_WAIT
        )

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
