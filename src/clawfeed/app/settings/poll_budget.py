"""What polls may cost, as the settings say it: for the scheduler and for its forecasts."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from clawfeed.app.clock import system_clock
from clawfeed.app.settings.config import Config
from clawfeed.collector.poll_budget import PollBudget, PollTargets
from clawfeed.collector.read_budget import ReadBudgetPacer
from clawfeed.domain.forecast.forecast_memory import PollPrice
from clawfeed.storage.database import Database
from clawfeed.storage.polling.poll_prices import PriceStore


def budget_of(
    config: Config,
    database: Database,
    *,
    clock: Callable[[], datetime] = system_clock,
    reads: ReadBudgetPacer | None = None,
) -> PollBudget:
    """The budget, not yet read from the database; *reads* is the pace of a metered API."""
    collector = config.collector
    return PollBudget(
        PriceStore(database),
        clock,
        PollPrice(price=collector.forecast_price, beta=collector.forecast_beta_percent / 100),
        PollTargets(in_all=collector.polls_per_day, at_host=collector.host_polls_per_day),
        reads,
    )
