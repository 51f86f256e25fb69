"""X's monthly reads, shared out by what is left and what is posted (S001-8)."""

from __future__ import annotations

import math
from datetime import timedelta

import pytest

from clawfeed.collector.poll import PollConfig, Poller
from clawfeed.collector.poll_budget import PollBudget, PollTargets
from clawfeed.collector.read_budget import ReadBudgetPacer, ReadCounter
from clawfeed.domain.because import from_text
from clawfeed.domain.forecast.forecast_memory import PollPrice
from clawfeed.domain.schedule.interval import Intervals
from clawfeed.domain.schedule.read_budget import ReadRation, month_end
from clawfeed.domain.sources.source import Source
from clawfeed.domain.wording.because_wording import render_because
from clawfeed.sources.registry import Fetchers
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.storage.database import Database, execute
from clawfeed.storage.polling.execution_state import ExecutionStates
from clawfeed.storage.polling.host_queue import ClaimRequest
from clawfeed.storage.polling.poll_prices import PriceStore
from clawfeed.storage.polling.poll_queue import PollQueue
from clawfeed.storage.polling.poll_results import PollFinisher
from clawfeed.storage.sources.sources import NewSource, SourceStore
from clawfeed.storage.spending.api_reads import X_API, MonthlyReads, ReadStore
from tests.support.clocks import NOON, FakeClock
from tests.support.fakes import FakeFetcher

DAY, HOUR = timedelta(days=1), timedelta(hours=1)
INTERVALS = Intervals(types=BUILT_IN)
DAYS_LEFT = (month_end(NOON) - NOON) / DAY


async def account(database: Database, name: str, posts_a_day: int, kind: str) -> Source:
    """A source with thirty posts behind it, evenly spread."""
    new = NewSource(type=kind, name=name, config={"handle": name})
    source = await SourceStore(database).add(new, now=NOON)
    for n in range(1, 31):
        await execute(
            database,
            "INSERT INTO seen_items (source_id, dedup_key, published_at, first_seen_at) "
            "VALUES (:id, :key, :at, :at)",
            {"id": source.id, "key": f"{n}", "at": (NOON - n * DAY / posts_a_day).timestamp()},
        )
    return source


def pace_of(database: Database, clock: FakeClock, limit: int) -> ReadBudgetPacer:
    least = {"twitter_feed": 0, "twitter_list": 5}
    meter = ReadCounter(api=X_API, limit=limit, least=least)
    return ReadBudgetPacer(ReadStore(database), clock, meter, INTERVALS)


async def test_a_budget_that_suffices_holds_nobody_up(database: Database) -> None:
    chatty = await account(database, "chatty", 60, "twitter_feed")
    pace = pace_of(database, FakeClock(), limit=round(70 * DAYS_LEFT))

    await pace.refresh()

    assert pace.of(chatty) is None
    assert await ReadStore(database).share(X_API, at=NOON) is None


async def test_a_short_one_has_the_same_threshold_for_all(database: Database) -> None:
    """3 of the quiet, so 20 for each of the two chatty ones; the list is one of them.

    However an older system wrote their types.
    """
    sources = [
        await account(database, "quiet", 3, "twitter_account"),
        await account(database, "chatty", 60, "Twitter_Feed"),
        await account(database, "list", 1, "twitter-list"),
        await account(database, "feed", 60, "rss"),
    ]
    pace = pace_of(database, FakeClock(), limit=math.ceil(43 * DAYS_LEFT))

    await pace.refresh()

    quiet, chatty, a_list, feed = (pace.of(source) for source in sources)
    assert quiet == chatty
    assert chatty is not None
    assert chatty.a_day == pytest.approx(20, rel=0.01)
    assert a_list is not None
    assert (chatty.least, a_list.least) == (0, 5)
    assert feed is None
    budget = MonthlyReads(store=ReadStore(database), api=X_API, limit=1)
    assert await budget.ration(at=NOON) == ReadRation(page=20)


async def test_what_was_spent_lowers_the_share_and_a_new_month_lifts_it(database: Database) -> None:
    chatty = await account(database, "chatty", 60, "twitter_feed")
    clock, limit = FakeClock(), round(40 * DAYS_LEFT)
    pace = pace_of(database, clock, limit=limit)
    await pace.refresh()
    before = pace.of(chatty)

    await ReadStore(database).reserve(X_API, limit // 2, limit=limit, at=NOON)
    await pace.refresh()
    after = pace.of(chatty)
    clock.now = month_end(NOON)

    assert before is not None
    assert after is not None
    assert after.a_day == pytest.approx(before.a_day / 2, rel=0.01)
    assert after.left == limit - limit // 2
    assert pace.of(chatty) is None


async def test_a_chatty_account_is_polled_later_and_told_why(database: Database) -> None:
    """The whole way: refresh, claim, poll, the stored date and its reason."""
    await account(database, "chatty", 60, "twitter_feed")
    await account(database, "quiet", 3, "twitter_feed")
    clock, fetchers = FakeClock(), Fetchers(BUILT_IN)
    fetchers.add("twitter_feed", FakeFetcher())
    reads = pace_of(database, clock, limit=math.ceil(43 * DAYS_LEFT))
    budget = PollBudget(PriceStore(database), clock, PollPrice(), PollTargets(), reads)
    await budget.refresh()
    poller = Poller(
        fetchers=fetchers,
        finisher=PollFinisher(database),
        states=ExecutionStates(database, clock),
        config=PollConfig(worker="tester", intervals=INTERVALS),
        clock=clock,
        poll_price=budget.poll_price,
    )

    order = ClaimRequest(now=NOON, limit=5, lease=HOUR, worker="tester")
    for claim in await PollQueue(database, types=BUILT_IN).claim_due(order):
        await poller(claim)

    rows = await database.read(
        "SELECT s.name, t.next_due_at, t.because FROM source_stats t "
        "JOIN sources s ON s.id = t.source_id ORDER BY s.name"
    )
    waits = [(row["next_due_at"] - NOON.timestamp()) / 60 for row in rows]
    assert waits == pytest.approx([12 * 60, 30], abs=1)
    reasons = [render_because(from_text(row["because"])) for row in rows]
    assert reasons[0].startswith("X budget: 667 of 667 reads left for 16 days, a share of")
    assert reasons[1] == "every 30 min (the usual for twitter_feed)"
