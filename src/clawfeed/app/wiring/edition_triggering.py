"""Who triggers editions, wired: one trigger, and the worker that goes on."""

from __future__ import annotations

from datetime import datetime
from functools import partial

from clawfeed.app.clock import system_clock
from clawfeed.app.settings.config import Config
from clawfeed.app.settings.timezone import timezone_of
from clawfeed.digest.driver.trigger_log import DaysTask
from clawfeed.digest.triggers.trigger_worker import EditionWorker, TriggerRound, Triggers
from clawfeed.domain.editions.edition_period import system_day
from clawfeed.storage.database import Database
from clawfeed.storage.editions.edition_metrics import daily_state, save_trigger_heartbeat


def trigger_round(config: Config, database: Database, triggers: Triggers) -> TriggerRound:
    """One trigger that leaves its heartbeat."""

    async def today(now: datetime) -> DaysTask:
        date = system_day(now, timezone_of(config))
        return DaysTask(date=date, state=await daily_state(database, date))

    return TriggerRound(triggers, system_clock, partial(save_trigger_heartbeat, database), today)


def edition_worker(config: Config, database: Database, triggers: Triggers) -> EditionWorker:
    """The same, every CRON_INTERVAL_MINUTES and when a reader's edition is due."""
    trigger = trigger_round(config, database, triggers)
    return EditionWorker(triggers, trigger, system_clock, config.editions.interval)
