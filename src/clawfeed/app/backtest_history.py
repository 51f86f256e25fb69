"""The history in the database as traces for a backtest."""

from __future__ import annotations

from datetime import datetime

from clawfeed.app.clock import system_clock
from clawfeed.app.settings.config import Config
from clawfeed.app.settings.intervals import effective_intervals
from clawfeed.app.wiring.entry_points import existing_database
from clawfeed.domain.backtest.backtest import Trace
from clawfeed.domain.errors import InvalidInputError
from clawfeed.domain.schedule.interval import Interval
from clawfeed.storage.polling.publish_history import HistoryStore, PublishHistory

# Fewer items teach a schedule nothing that could be tested on the rest.
ENOUGH_ITEMS = 10
# The first third of a source's history is learned from, the rest is judged.
WARM_UP = 1 / 3


async def stored_traces(config: Config) -> list[Trace]:
    """A trace of every source with enough history; `InvalidInputError` if there is none."""
    now = system_clock()
    async with existing_database(config) as database:
        history = await HistoryStore(database).all_published()
        intervals = await effective_intervals(config, database)
    traces = [
        _trace(each, intervals.of(each), now) for each in history if len(each.dates) >= ENOUGH_ITEMS
    ]
    if not traces:
        raise InvalidInputError(
            f"no source has {ENOUGH_ITEMS} dated items yet: collect for some days, "
            "or give --traces FILE"
        )
    return traces


def _trace(history: PublishHistory, interval: Interval, now: datetime) -> Trace:
    times = [date.timestamp() for date in history.dates if date <= now]
    end = now.timestamp()
    start = times[0] if times else end  # all its dates may lie ahead
    return Trace(
        name=history.name,
        start=start,
        eval_from=start + (end - start) * WARM_UP,
        eval_to=end,
        times=times,
        asked=history.feed_wait.total_seconds() if history.feed_wait else 0.0,
        pinned_minutes=interval.minutes if interval.is_pinned else None,
    )
