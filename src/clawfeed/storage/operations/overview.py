"""How the whole house is doing at one moment, for who runs it: every figure from the rows."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from clawfeed.domain.alarm import Alarm, Trouble, grouped
from clawfeed.storage.database import Database
from clawfeed.storage.operations.alarms import AlarmStore
from clawfeed.storage.operations.collector_activity import (
    HOURS,
    FailedSource,
    FailureKind,
    HourOfPolls,
    LagShares,
    failures_by_reason,
    lag_shares,
    latest_failures,
    polls_by_hour,
    polls_in_flight,
)
from clawfeed.storage.operations.collector_status import HostWaiters, waiting_for_turns
from clawfeed.storage.operations.health_facts import health_facts
from clawfeed.storage.operations.recent_editions import RecentEditions, recent_editions
from clawfeed.storage.operations.scheduler_stats import cadence_counts
from clawfeed.storage.operations.troubles import TroubleRules, find_troubles
from clawfeed.storage.outbox.outbox_admin import OutboxAdmin, OutboxFigures
from clawfeed.storage.polling.collector_heartbeats import CollectorLiveness
from clawfeed.storage.polling.host_cooldowns import CoolingHosts, cooling_hosts
from clawfeed.storage.polling.queue_overview import QueueOverview, queue_overview
from clawfeed.storage.spending.model_spend import MonthSpend

# Longer lists than these are for the pages of their own.
MOST_HOSTS, MOST_FAILED, WORST_OF_A_KIND, MOST_ALARMS = 12, 12, 4, 20


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseOverview:
    """One reading. *hours* are the last 24, the last of them ends at *at*."""

    at: datetime
    troubles: tuple[Trouble, ...]
    alarms: tuple[Alarm, ...]
    liveness: CollectorLiveness
    in_flight: Mapping[str, int]
    queue: QueueOverview
    waiters: HostWaiters | None
    hours: tuple[HourOfPolls, ...]
    lag: LagShares | None
    failures: tuple[FailureKind, ...]
    failed: tuple[FailedSource, ...]
    cadences: Mapping[str, int]
    cooling: CoolingHosts
    x_reads: int
    spend: MonthSpend
    editions: RecentEditions
    outbox: OutboxFigures

    @property
    def due_lag(self) -> timedelta:
        """How long the one that waits longest has been due."""
        return max(timedelta(0), self.at - (self.liveness.due_since or self.at))

    @property
    def last_hour(self) -> HourOfPolls:
        return self.hours[-1]

    @property
    def polls_in_a_day(self) -> int:
        return sum(hour.polls for hour in self.hours)


async def house_overview(
    database: Database, rules: TroubleRules, *, now: datetime, up_for: timedelta
) -> HouseOverview:
    """A fixed number of statements, whatever there is; *up_for* is since when we could know."""
    facts = await health_facts(database, now=now, reads_x=True)
    day = now - timedelta(hours=HOURS)
    activity = asyncio.gather(
        polls_by_hour(database, now=now),
        lag_shares(database, now=now),
        failures_by_reason(database, since=day, worst=WORST_OF_A_KIND),
        latest_failures(database, since=day, limit=MOST_FAILED),
        polls_in_flight(database),
    )
    fleet = asyncio.gather(
        find_troubles(database, rules, now=now, facts=facts),
        queue_overview(database, now),
        waiting_for_turns(database),
        cadence_counts(database),
        cooling_hosts(database, now, limit=MOST_HOSTS),
    )
    rest = asyncio.gather(
        AlarmStore(database).list(is_raised=True, limit=MOST_ALARMS),
        recent_editions(database, now=now),
        OutboxAdmin(database).figures(now=now),
    )
    of_polls, of_fleet, of_rest = await asyncio.gather(activity, fleet, rest)
    hours, lag, failures, failed, in_flight = of_polls
    troubles, queue, waiters, cadences, cooling = of_fleet
    alarms, editions, outbox = of_rest
    return HouseOverview(
        at=now,
        troubles=grouped(rules.due(troubles, up_for)),
        alarms=tuple(alarms),
        liveness=facts.liveness,
        in_flight=in_flight,
        queue=queue,
        waiters=waiters,
        hours=hours,
        lag=lag,
        failures=failures,
        failed=failed,
        cadences=cadences,
        cooling=cooling,
        x_reads=facts.x_reads,
        spend=facts.spend,
        editions=editions,
        outbox=outbox,
    )
