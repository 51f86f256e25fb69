"""A budget of polls a day moves the price of a poll."""

from __future__ import annotations

from datetime import timedelta

from clawfeed.collector.poll_budget import PollBudget, PollTargets
from clawfeed.domain.forecast.forecast_memory import PollPrice
from clawfeed.domain.sources.source import Source
from clawfeed.storage.database import Database, execute
from clawfeed.storage.polling.poll_prices import PriceStore
from clawfeed.storage.sources.sources import NewSource, SourceStore
from tests.support.clocks import NOON, FakeClock

DAY = timedelta(days=1)


async def polled_at(database: Database, host: str, polls: int) -> Source:
    """A source at *host* that was polled so often in the last day."""
    new = NewSource(type="rss", name=host, config={"url": host}, host=host)
    source = await SourceStore(database).add(new, now=NOON)
    for n in range(polls):
        at = (NOON - DAY * n / polls).timestamp()
        await execute(
            database,
            "INSERT INTO fetch_log (source_id, started_at, finished_at, outcome, worker) "
            "VALUES (:id, :at, :at, 'unchanged', 'w')",
            {"id": source.id, "at": at},
        )
    return source


async def test_too_many_polls_make_a_poll_dearer_and_too_few_cheaper(database: Database) -> None:
    source = await polled_at(database, "a.example", 40)
    prices, clock = PriceStore(database), FakeClock()

    for target, price in ((20, 200.0), (400, 50.0)):
        await execute(database, "DELETE FROM config")
        budget = PollBudget(prices, clock, PollPrice(price=100), PollTargets(in_all=target))
        await budget.refresh()

        assert budget.poll_price(source).price == price


async def test_the_price_moves_once_a_day_and_survives_a_restart(database: Database) -> None:
    source = await polled_at(database, "a.example", 40)
    clock = FakeClock()

    for _restart in range(3):
        budget = PollBudget(
            PriceStore(database), clock, PollPrice(price=100), PollTargets(in_all=10)
        )
        await budget.refresh()
    clock.advance(DAY)
    await budget.refresh()

    assert budget.poll_price(source).price == 400


async def test_a_crowded_host_is_dearer_and_the_others_are_not(database: Database) -> None:
    crowded = await polled_at(database, "crowded.example", 40)
    quiet = await polled_at(database, "quiet.example", 4)
    budget = PollBudget(
        PriceStore(database), FakeClock(), PollPrice(price=100), PollTargets(at_host=20)
    )

    await budget.refresh()

    assert budget.poll_price(crowded).price == 200
    assert budget.poll_price(quiet).price == 100


async def test_those_without_a_host_neither_share_one_nor_move_the_price_of_all(
    database: Database,
) -> None:
    """X with a bridge beside it, and plug-ins, wait for nobody's turn."""
    homeless = await polled_at(database, "", 40)
    other = await polled_at(database, "quiet.example", 4)
    budget = PollBudget(
        PriceStore(database), FakeClock(), PollPrice(price=100), PollTargets(in_all=44, at_host=20)
    )

    await budget.refresh()

    assert budget.poll_price(homeless).price == budget.poll_price(other).price == 100


async def test_without_a_budget_the_price_is_the_operators(database: Database) -> None:
    source = await polled_at(database, "a.example", 40)
    budget = PollBudget(PriceStore(database), FakeClock(), PollPrice(price=123), PollTargets())

    await budget.refresh()

    assert budget.poll_price(source).price == 123
    assert await PriceStore(database).read() == {}


async def test_a_price_that_is_no_number_does_not_count(database: Database) -> None:
    await execute(
        database,
        "INSERT INTO config (key, value, updated_at) VALUES ('forecast_price', 'cheap', 0)",
    )

    assert await PriceStore(database).read() == {}
