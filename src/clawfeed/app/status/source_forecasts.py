"""A source's outlook as this installation's scheduler sees it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, tzinfo

from clawfeed.app.settings.config import Config
from clawfeed.app.settings.intervals import effective_intervals
from clawfeed.app.settings.poll_budget import budget_of
from clawfeed.app.settings.timezone import timezone_of
from clawfeed.collector.poll import stagger_offset
from clawfeed.domain.forecast.forecast_report import (
    ForecastQuestion,
    ForecastReport,
    build_report,
)
from clawfeed.domain.ids import SourceId
from clawfeed.domain.schedule.schedule import Policy
from clawfeed.storage.database import Database
from clawfeed.storage.polling.publish_history import HistoryStore
from clawfeed.storage.sources.source_status import SourceState, SourceStates


async def outlook_of(
    config: Config,
    database: Database,
    source_id: SourceId,
    *,
    now: datetime,
    zone: tzinfo | None = None,
) -> tuple[SourceState, ForecastReport]:
    """The source and what we believe about it; `NotFoundError` if there is nothing to go by.

    Its week is told in *zone*, else in the scheduler's.
    """
    state = await SourceStates(database).state(source_id)
    history = HistoryStore(database)
    source = state.source
    intervals = await effective_intervals(config, database)
    state = replace(state, next_poll=state.next_fetch_at(intervals.every(source)))
    budget = budget_of(config, database, clock=lambda: now)
    await budget.read()
    question = ForecastQuestion(
        source_type=source.type,
        interval=intervals.of(source),
        rhythm=await history.rhythm(source_id),
        published=await history.published(source_id),
        next_at=state.next_poll,
        because=state.because,
        now=now,
        policy=Policy(config.collector.scheduler_policy),
        timezone=timezone_of(config),
        poll_price=budget.poll_price(source),
        spread=stagger_offset(source_id),
        shown_in=zone,
    )
    return state, build_report(question)
