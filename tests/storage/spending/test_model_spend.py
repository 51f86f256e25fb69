"""The monthly cap of a language model: reserved before, settled after, never passed (S002, T25)."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from clawfeed.domain.editions.digest import ModelUse
from clawfeed.domain.ids import TaskId
from clawfeed.storage.database import Database
from clawfeed.storage.drivers.connect import StorageConfig, open_database
from clawfeed.storage.editions.editions import EditionStore
from clawfeed.storage.spending.model_answers import ModelAnswers, remove_unused_answers
from clawfeed.storage.spending.model_spend import (
    CapReached,
    Charge,
    ModelSpend,
    Reservation,
    SpendCap,
    remove_old_calls,
    spend_by_month,
    spend_of_month,
    spend_of_task,
)
from tests.support.clocks import NOON
from tests.support.editions import NEW
from tests.support.processes import clean_environment

LAST_SECOND = datetime(2026, 11, 30, 23, 59, 59, tzinfo=UTC)
NEXT_MONTH = datetime(2026, 12, 1, tzinfo=UTC)
ROOT = Path(__file__).parents[3]


def spend_with(database: Database, tokens: int = 0, cost_micros: int = 0) -> ModelSpend:
    cap = SpendCap(tokens=tokens, cost_micros=cost_micros)
    return ModelSpend(database, cap, model="m")


async def reserve(
    spend: ModelSpend,
    tokens: int,
    cost: int = 0,
    *,
    at: datetime = NOON,
    task: TaskId | None = None,
) -> Reservation:
    granted = await spend.reserve(Charge(tokens=tokens, cost_micros=cost), task_id=task, at=at)
    assert isinstance(granted, Reservation)
    return granted


async def is_refused(
    spend: ModelSpend, tokens: int, cost: int = 0, at: datetime = NOON
) -> CapReached:
    granted = await spend.reserve(Charge(tokens=tokens, cost_micros=cost), task_id=None, at=at)
    assert isinstance(granted, CapReached)
    return granted


async def test_what_is_reserved_counts_until_it_is_settled(database: Database) -> None:
    spend = spend_with(database, tokens=1000)
    first = await reserve(spend, 700)

    refused = await is_refused(spend, 400)
    await spend.settle(first, Charge(tokens=300, cost_micros=5))
    await reserve(spend, 700)

    assert refused.is_first
    month = await spend_of_month(database, at=NOON)
    assert (month.tokens, month.cost_micros, month.calls, month.under_way) == (1000, 5, 2, 1)


async def test_money_has_a_cap_of_its_own(database: Database) -> None:
    spend = spend_with(database, cost_micros=100)
    await reserve(spend, 10**12, 60)

    await is_refused(spend, 1, 41)
    await reserve(spend, 1, 40)

    assert (await spend_of_month(database, at=NOON)).cost_micros == 100


async def test_without_a_cap_everything_is_counted_and_nothing_refused(database: Database) -> None:
    spend = spend_with(database)

    await reserve(spend, 10**12, 10**12)

    assert (await spend_of_month(database, at=NOON)).tokens == 10**12


async def test_the_cap_is_told_once_a_month(database: Database) -> None:
    spend = spend_with(database, tokens=10)

    told = [(await is_refused(spend, 11, at=at)).is_first for at in (NOON, NOON, NEXT_MONTH)]

    assert told == [True, False, True]


async def test_an_answer_that_comes_in_the_next_month_is_the_last_ones(database: Database) -> None:
    spend = spend_with(database, tokens=100)
    late = await reserve(spend, 100, at=LAST_SECOND)
    await reserve(spend, 100, at=NEXT_MONTH)

    await spend.settle(late, Charge(tokens=20, cost_micros=0))

    months = {each.month: each.tokens for each in await spend_by_month(database, at=NEXT_MONTH)}
    assert months == {"2026-11": 20, "2026-12": 100}


async def test_who_settles_twice_changes_nothing(database: Database) -> None:
    spend = spend_with(database)
    call = await reserve(spend, 100)

    for tokens in (30, 1):
        await spend.settle(call, Charge(tokens=tokens, cost_micros=0))

    assert (await spend_of_month(database, at=NOON)).tokens == 30


async def test_a_reservation_of_the_dead_stays_spent(database: Database) -> None:
    """Its answer may have been billed (T25)."""
    spend = spend_with(database, tokens=100)
    await reserve(spend, 80)

    later = NOON + timedelta(days=3)
    await is_refused(spend, 30, at=later)
    month = await spend_of_month(database, at=later)

    assert (month.tokens, month.lost, month.under_way) == (80, 1, 0)


async def test_an_edition_knows_what_its_words_cost(database: Database) -> None:
    task = (await EditionStore(database).get_or_add(NEW, now=NOON)).id
    spend = spend_with(database)
    call = await reserve(spend, 100, 50, task=task)
    await spend.settle(call, Charge(tokens=40, cost_micros=7))
    await reserve(spend, 100, 50)
    await spend.note_remembered(task, at=NOON)

    assert await spend_of_task(database, task) == ModelUse(
        model="m", calls=1, remembered=1, tokens=40, cost_micros=7
    )
    assert await spend_of_task(database, TaskId(task + 1)) is None


async def test_old_calls_go_and_their_month_stays(database: Database) -> None:
    spend = spend_with(database)
    await spend.settle(await reserve(spend, 100), Charge(tokens=40, cost_micros=0))
    await spend.note_remembered(None, at=NOON)

    removed = await remove_old_calls(database, now=NOON + timedelta(days=401))

    month = await spend_of_month(database, at=NOON)
    assert (removed, month.calls, month.remembered, month.tokens) == (2, 1, 1, 40)


async def test_answers_are_kept_while_they_are_used(database: Database) -> None:
    answers = ModelAnswers(database)
    for key in ("used", "unused"):
        await answers.remember(key, f"{key} words", now=NOON)
    await answers.remember("used", "other words", now=NOON)
    soon, late = NOON + timedelta(days=40), NOON + timedelta(days=61)

    recalled = await answers.recall("used", now=soon)
    removed = await remove_unused_answers(database, now=late)

    assert (recalled, removed) == ("used words", 1)
    assert await answers.recall("unused", now=late) is None
    assert await answers.recall("used", now=late) == "used words"


SPENDER = """
import asyncio, json, sys
from datetime import datetime
from clawfeed.storage.drivers.connect import StorageConfig, open_database
from clawfeed.storage.spending.model_spend import Charge, ModelSpend, Reservation, SpendCap

async def main(url, cap, at, seed):
    database = await open_database(StorageConfig(url=url))
    spend = ModelSpend(database, SpendCap(tokens=cap, cost_micros=cap), model="m")
    spent = lost = 0

    async def edition(number):
        nonlocal spent, lost
        for story in range(6):
            worst = 50 + (number * 31 + story * 17 + seed) % 60
            charge = Charge(tokens=worst, cost_micros=worst)
            granted = await spend.reserve(charge, task_id=None, at=at)
            if not isinstance(granted, Reservation):
                continue
            if (number + story) % 7 == 0:
                lost += worst  # as if killed
                continue
            used = worst * ((number + story) % 5 + 1) // 5
            spent += used
            await spend.settle(granted, Charge(tokens=used, cost_micros=used))

    await asyncio.gather(*(edition(number) for number in range(10)))
    await database.close()
    print(json.dumps([spent, lost]))

url, cap, at, seed = sys.argv[1:]
asyncio.run(main(url, int(cap), datetime.fromisoformat(at), int(seed)))
"""


@pytest.mark.slow
async def test_twenty_editions_of_two_processes_never_pass_the_cap(database_url: str) -> None:
    """(S002): ten editions in each process at once; the count is what was really spent."""
    # More than one process can spend alone, less than both want: whoever starts late spends, too.
    cap = 3600
    command = [sys.executable, "-c", SPENDER, database_url, str(cap), NOON.isoformat()]
    processes = [
        subprocess.Popen(
            [*command, str(seed)], stdout=subprocess.PIPE, cwd=ROOT, env=clean_environment()
        )
        for seed in (1, 2)
    ]

    outputs = [(await asyncio.to_thread(each.communicate))[0] for each in processes]

    totals = [sum(json.loads(output)) for output in outputs]
    database = await open_database(StorageConfig(url=database_url))
    month = await spend_of_month(database, at=NOON)
    await database.close()
    assert min(totals) > 0
    assert sum(totals) == month.tokens == month.cost_micros
    assert cap * 0.8 < month.tokens <= cap
