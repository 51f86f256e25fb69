"""Housekeeping: a round an hour at most (S000-13) that removes what was kept for long enough.

It also mends dates that make no sense (I3).
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from clawfeed.collector.poll_budget import PollBudget
from clawfeed.domain.errors import StorageError
from clawfeed.runtime.stop import RepeatedWorker
from clawfeed.storage.database import Database
from clawfeed.storage.editions.edition_retention import remove_old_stories, remove_old_workings
from clawfeed.storage.items.retention import remove_old_items, remove_old_log, remove_old_states
from clawfeed.storage.operations.alarms import remove_old_alarms
from clawfeed.storage.operations.collector_metrics import counts_since, is_mostly_failing
from clawfeed.storage.outbox.outbox_retention import remove_old_messages
from clawfeed.storage.people.access_retention import remove_stale_access
from clawfeed.storage.polling.collector_heartbeats import remove_old_heartbeats
from clawfeed.storage.polling.due_date_repair import mend_dates
from clawfeed.storage.polling.execution_state import ExecutionStates
from clawfeed.storage.spending.model_answers import remove_unused_answers
from clawfeed.storage.spending.model_spend import remove_old_calls
from clawfeed.storage.timestamps import seconds

log = logging.getLogger(__name__)

# Deadlines are strict: exactly an hour later is not yet more than an hour.
ROUND_DELAY = timedelta(seconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class HousekeepingConfig:
    """For how long things are kept, and how often it is looked after that."""

    items_kept: timedelta = timedelta(days=30)
    states_kept: timedelta | None = timedelta(days=30)  # None: for ever
    every: timedelta = timedelta(hours=1)


class Housekeeping(RepeatedWorker):
    """A worker of its own, so that a round never holds up a poll."""

    name = "housekeeping"

    def __init__(
        self,
        database: Database,
        clock: Callable[[], datetime],
        config: HousekeepingConfig,
        budget: PollBudget | None = None,
    ) -> None:
        super().__init__()
        self._db, self._clock, self._config, self._budget = database, clock, config, budget
        self._states = ExecutionStates(database, clock)

    async def look(self) -> timedelta:
        """What each process needs, and the fleet's round if it is due; then when it is again."""
        if self._budget:
            await self._try(self._budget.refresh)
        if await self._is_due():
            await self._try(self.do_round)
        every = self._config.every.total_seconds()
        next_run = await self._states.calculate_next_run_time(self.name, interval_seconds=every)
        left = timedelta(seconds=next_run - seconds(self._clock()))
        return min(max(left + ROUND_DELAY, ROUND_DELAY), self._config.every)

    async def _try(self, work: Callable[[], Awaitable[None]]) -> None:
        try:
            await work()
        except StorageError as error:
            log.warning("housekeeping failed; will try again", extra={"why": str(error)})

    async def _is_due(self) -> bool:
        """Whether the last round, by whomever, was more than an hour ago; it is ours then.

        The database remembers it: neither a restart nor a second collector does another.
        """
        every = self._config.every.total_seconds()
        return await self._states.take_turn(self.name, interval_seconds=every)

    async def do_round_if_due(self) -> None:
        """A round, unless somebody's was less than an hour ago: for those who never run a loop."""
        if await self._is_due():
            await self._try(self._remove_and_mend)

    async def do_round(self) -> None:
        """One round, and a word about how it goes."""
        await self._tell_statistics(self._clock())
        await self._remove_and_mend()

    async def _remove_and_mend(self) -> None:
        """Counts are logged when anything changed."""
        now, config = self._clock(), self._config
        removed = await remove_old_items(self._db, now=now, ttl=config.items_kept)
        if removed:
            log.info("old items removed", extra={"count": removed})
        await remove_old_log(self._db, now=now)
        if config.states_kept is not None:
            await remove_old_states(self._db, now=now, kept=config.states_kept)
        await remove_stale_access(self._db, now=now)
        await remove_old_heartbeats(self._db, now=now)
        await remove_old_workings(self._db, now=now)
        await remove_old_stories(self._db, now=now)
        await remove_unused_answers(self._db, now=now)
        await remove_old_messages(self._db, now=now)
        await remove_old_calls(self._db, now=now)
        await remove_old_alarms(self._db, now=now)
        mended = await mend_dates(self._db, now=now)
        if mended:
            log.warning("dates mended", extra={"count": mended})

    async def _tell_statistics(self, now: datetime) -> None:
        """S000-22: a statistics line per round, and an alarm when most polls fail."""
        counts = await counts_since(self._db, now - self._config.every)
        if not counts["fetches"]:
            return
        log.info("collector statistics", extra=counts)
        if is_mostly_failing(counts):
            log.error("most polls fail; is the network or a proxy in trouble?", extra=counts)
