"""A budget of looks a day moves the price of a look."""

from __future__ import annotations

from datetime import timedelta

from clawfeed.collector.budget import Budget, Targets
from clawfeed.domain.foresight import Worth
from clawfeed.domain.source import Source
from clawfeed.storage.database import Database, execute
from clawfeed.storage.prices import PriceStore
from clawfeed.storage.sources import NewSource, SourceStore
from tests.support.clocks import NOON, FakeClock

DAY = timedelta(days=1)


async def looked_at(database: Database, host: str, looks: int) -> Source:
    """A source at *host* that was looked at so often in the last day."""
    new = NewSource(type="rss", name=host, config={"url": host}, host=host)
    source = await SourceStore(database).add(new, now=NOON)
    for n in range(looks):
        at = (NOON - DAY * n / looks).timestamp()
        await execute(
            database,
            "INSERT INTO fetch_log (source_id, started_at, finished_at, outcome, worker) "
            "VALUES (:id, :at, :at, 'unchanged', 'w')",
            {"id": source.id, "at": at},
        )
    return source


async def test_too_many_looks_make_a_look_dearer_and_too_few_cheaper(database: Database) -> None:
    source = await looked_at(database, "a.example", 40)
    prices, clock = PriceStore(database), FakeClock()

    for target, price in ((20, 200.0), (400, 50.0)):
        await execute(database, "DELETE FROM config")
        budget = Budget(prices, clock, Worth(price=100), Targets(in_all=target))
        await budget.refresh()

        assert budget.worth(source).price == price


async def test_the_price_moves_once_a_day_and_survives_a_restart(database: Database) -> None:
    source = await looked_at(database, "a.example", 40)
    clock = FakeClock()

    for _restart in range(3):
        budget = Budget(PriceStore(database), clock, Worth(price=100), Targets(in_all=10))
        await budget.refresh()
    clock.advance(DAY)
    await budget.refresh()

    assert budget.worth(source).price == 400


async def test_a_crowded_host_is_dearer_and_the_others_are_not(database: Database) -> None:
    crowded = await looked_at(database, "crowded.example", 40)
    quiet = await looked_at(database, "quiet.example", 4)
    budget = Budget(PriceStore(database), FakeClock(), Worth(price=100), Targets(at_host=20))

    await budget.refresh()

    assert budget.worth(crowded).price == 200
    assert budget.worth(quiet).price == 100


async def test_those_without_a_host_neither_share_one_nor_move_the_price_of_all(
    database: Database,
) -> None:
    """X with a bridge beside it, and plug-ins, wait for nobody's turn."""
    homeless = await looked_at(database, "", 40)
    other = await looked_at(database, "quiet.example", 4)
    budget = Budget(
        PriceStore(database), FakeClock(), Worth(price=100), Targets(in_all=44, at_host=20)
    )

    await budget.refresh()

    assert budget.worth(homeless).price == budget.worth(other).price == 100


async def test_without_a_budget_the_price_is_the_operators(database: Database) -> None:
    source = await looked_at(database, "a.example", 40)
    budget = Budget(PriceStore(database), FakeClock(), Worth(price=123), Targets())

    await budget.refresh()

    assert budget.worth(source).price == 123
    assert await PriceStore(database).read() == {}


async def test_a_price_that_is_no_number_does_not_count(database: Database) -> None:
    await execute(
        database,
        "INSERT INTO config (key, value, updated_at) VALUES ('forecast_price', 'cheap', 0)",
    )

    assert await PriceStore(database).read() == {}
