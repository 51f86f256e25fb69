"""Removes what is old, at most hourly (S000-13), and mends dates that make no sense (I3)."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from clawfeed.collector.poll_budget import PollBudget
from clawfeed.domain.errors import StorageError
from clawfeed.runtime.stop import Stop, repeat
from clawfeed.storage.database import Database
from clawfeed.storage.editions.edition_retention import remove_old_stories, remove_old_workings
from clawfeed.storage.items.retention import remove_old_items, remove_old_log, remove_old_states
from clawfeed.storage.operations.alarms import remove_old_alarms
from clawfeed.storage.operations.collector_metrics import counts_since, is_mostly_failing
from clawfeed.storage.outbox.outbox_retention import tidy_outbox
from clawfeed.storage.people.access_retention import remove_stale_access
from clawfeed.storage.polling.collector_heartbeats import remove_old_heartbeats
from clawfeed.storage.polling.due_date_repair import mend_dates
from clawfeed.storage.polling.execution_state import ExecutionStates
from clawfeed.storage.spending.model_answers import remove_unused_answers
from clawfeed.storage.spending.model_spend import remove_old_calls
from clawfeed.storage.timestamps import seconds

log = logging.getLogger(__name__)

# Deadlines are strict: exactly an hour later is not yet more than an hour.
CLEANUP_DELAY = timedelta(seconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionConfig:
    """How long things are kept."""

    items_kept: timedelta = timedelta(days=30)
    states_kept: timedelta | None = timedelta(days=30)  # None: for ever
    every: timedelta = timedelta(hours=1)


class Housekeeping:
    """A worker of its own, so that cleaning never holds up a poll."""

    name = "housekeeping"

    def __init__(
        self,
        database: Database,
        clock: Callable[[], datetime],
        upkeep: RetentionConfig,
        budget: PollBudget | None = None,
    ) -> None:
        self._db, self._clock, self._upkeep, self._budget = database, clock, upkeep, budget
        self._states = ExecutionStates(database, clock)
        self._stop = Stop()

    def stop(self) -> None:
        self._stop.ask()

    async def run(self) -> None:
        await repeat(self._round, self._stop)

    async def _round(self) -> timedelta:
        """What each process needs, and the fleet's cleaning if it is due; then when it is again."""
        if self._budget:
            await self._try(self._budget.refresh)
        if await self._is_due():
            await self._try(self.tidy)
        every = self._upkeep.every.total_seconds()
        next_run = await self._states.calculate_next_run_time(self.name, interval_seconds=every)
        left = timedelta(seconds=next_run - seconds(self._clock()))
        return min(max(left + CLEANUP_DELAY, CLEANUP_DELAY), self._upkeep.every)

    async def _try(self, work: Callable[[], Awaitable[None]]) -> None:
        try:
            await work()
        except StorageError as error:
            log.warning("could not tidy up; will try again", extra={"why": str(error)})

    async def _is_due(self) -> bool:
        """Whether the last cleaning, by whomever, was more than an hour ago; it is ours then.

        The database remembers it: neither a restart nor a second collector cleans again.
        """
        every = self._upkeep.every.total_seconds()
        return await self._states.take_turn(self.name, interval_seconds=every)

    async def tidy_if_due(self) -> None:
        """A round, unless somebody's was less than an hour ago: for those who never run a loop."""
        if await self._is_due():
            await self._try(self._clean)

    async def tidy(self) -> None:
        """One round, and a word about how it goes."""
        await self._tell_statistics(self._clock())
        await self._clean()

    async def _clean(self) -> None:
        """Counts are logged when anything changed."""
        now, upkeep = self._clock(), self._upkeep
        removed = await remove_old_items(self._db, now=now, ttl=upkeep.items_kept)
        if removed:
            log.info("old items removed", extra={"count": removed})
        await remove_old_log(self._db, now=now)
        if upkeep.states_kept is not None:
            await remove_old_states(self._db, now=now, kept=upkeep.states_kept)
        await remove_stale_access(self._db, now=now)
        await remove_old_heartbeats(self._db, now=now)
        await remove_old_workings(self._db, now=now)
        await remove_old_stories(self._db, now=now)
        await remove_unused_answers(self._db, now=now)
        await tidy_outbox(self._db, now=now)
        await remove_old_calls(self._db, now=now)
        await remove_old_alarms(self._db, now=now)
        mended = await mend_dates(self._db, now=now)
        if mended:
            log.warning("dates mended", extra={"count": mended})

    async def _tell_statistics(self, now: datetime) -> None:
        """S000-22: a statistics line per round, and an alarm when most polls fail."""
        counts = await counts_since(self._db, now - self._upkeep.every)
        if not counts["fetches"]:
            return
        log.info("collector statistics", extra=counts)
        if is_mostly_failing(counts):
            log.error("most polls fail; is the network or a proxy in trouble?", extra=counts)
