"""A source's outlook as this installation's scheduler sees it."""

from __future__ import annotations

from datetime import datetime

from clawfeed.app.config import Config
from clawfeed.app.intervals import effective_intervals
from clawfeed.app.zones import timezone_of
from clawfeed.collector.budget import Budget, Targets
from clawfeed.collector.poll import place_in_the_crowd
from clawfeed.domain.foresight import Worth
from clawfeed.domain.ids import SourceId
from clawfeed.domain.outlook import Outlook, Question, look_out
from clawfeed.domain.schedule import Policy
from clawfeed.storage.database import Database
from clawfeed.storage.history import HistoryStore
from clawfeed.storage.prices import PriceStore
from clawfeed.storage.source_admin import SourceAdmin, Standing


async def outlook_of(
    config: Config, database: Database, source_id: SourceId, *, now: datetime
) -> tuple[Standing, Outlook]:
    """The source and what we believe about it; `NotFoundError` if there is nothing to go by."""
    standing = await SourceAdmin(database).standing(source_id)
    history = HistoryStore(database)
    source = standing.source
    intervals = await effective_intervals(config, database)
    collector = config.collector
    worth = Worth(price=collector.forecast_price, beta=collector.forecast_beta_percent / 100)
    budget = Budget(
        PriceStore(database),
        lambda: now,
        worth,
        Targets(in_all=collector.polls_per_day, at_host=collector.host_polls_per_day),
    )
    await budget.read()
    question = Question(
        source_type=source.type,
        interval=intervals.of(source),
        rhythm=await history.rhythm(source_id),
        published=await history.published(source_id),
        next_at=standing.next_look_at,
        because=standing.because,
        now=now,
        policy=Policy(collector.scheduler_policy),
        timezone=timezone_of(config),
        worth=budget.worth(source),
        spread=place_in_the_crowd(source_id),
    )
    return standing, look_out(question)
