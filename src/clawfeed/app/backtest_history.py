"""The history in the database as traces for a backtest."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from clawfeed.app.clock import system_clock
from clawfeed.app.config import Config
from clawfeed.app.wiring import existing_database
from clawfeed.domain.backtest import Trace
from clawfeed.domain.errors import InvalidInputError
from clawfeed.storage.publish_history import HistoryStore

# Fewer items teach a schedule nothing that could be tested on the rest.
ENOUGH_ITEMS = 10
# The first third of a source's history is learned from, the rest is judged.
WARM_UP = 1 / 3


async def stored_traces(config: Config) -> list[Trace]:
    """A trace of every source with enough history; `InvalidInputError` if there is none."""
    now = system_clock()
    async with existing_database(config) as database:
        history = await HistoryStore(database).all_published()
    traces = [
        _trace(name, dates, now) for name, dates in history.items() if len(dates) >= ENOUGH_ITEMS
    ]
    if not traces:
        raise InvalidInputError(
            f"no source has {ENOUGH_ITEMS} dated items yet: collect for some days, "
            "or give --traces FILE"
        )
    return traces


def _trace(name: str, dates: Sequence[datetime], now: datetime) -> Trace:
    times = [date.timestamp() for date in dates if date <= now]
    start, end = times[0], now.timestamp()
    return Trace(
        name=name,
        start=start,
        eval_from=start + (end - start) * WARM_UP,
        eval_to=end,
        times=times,
    )
