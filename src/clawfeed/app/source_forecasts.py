"""A source's outlook as this installation's scheduler sees it."""

from __future__ import annotations

from datetime import datetime

from clawfeed.app.config import Config
from clawfeed.app.intervals import effective_intervals
from clawfeed.app.timezone import timezone_of
from clawfeed.collector.poll import place_in_the_crowd
from clawfeed.collector.poll_budget import PollBudget, PollTargets
from clawfeed.domain.forecast_report import ForecastQuestion, ForecastReport, build_report
from clawfeed.domain.forecast_schedule import PollWorth
from clawfeed.domain.ids import SourceId
from clawfeed.domain.schedule import Policy
from clawfeed.storage.database import Database
from clawfeed.storage.poll_prices import PriceStore
from clawfeed.storage.publish_history import HistoryStore
from clawfeed.storage.source_admin import SourceAdmin, SourceState


async def outlook_of(
    config: Config, database: Database, source_id: SourceId, *, now: datetime
) -> tuple[SourceState, ForecastReport]:
    """The source and what we believe about it; `NotFoundError` if there is nothing to go by."""
    standing = await SourceAdmin(database).standing(source_id)
    history = HistoryStore(database)
    source = standing.source
    intervals = await effective_intervals(config, database)
    collector = config.collector
    worth = PollWorth(price=collector.forecast_price, beta=collector.forecast_beta_percent / 100)
    budget = PollBudget(
        PriceStore(database),
        lambda: now,
        worth,
        PollTargets(in_all=collector.polls_per_day, at_host=collector.host_polls_per_day),
    )
    await budget.read()
    question = ForecastQuestion(
        source_type=source.type,
        interval=intervals.of(source),
        rhythm=await history.rhythm(source_id),
        published=await history.published(source_id),
        next_at=standing.next_poll,
        because=standing.because,
        now=now,
        policy=Policy(collector.scheduler_policy),
        timezone=timezone_of(config),
        worth=budget.worth(source),
        spread=place_in_the_crowd(source_id),
    )
    return standing, build_report(question)
