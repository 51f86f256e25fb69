"""Any table with the three columns of a lease: who holds a row, and what a late result may do."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from clawfeed.domain.errors import LeaseLostError
from clawfeed.storage.database import Database, Row, Statement, Steps, execute
from clawfeed.storage.host_queue import ClaimRequest
from clawfeed.storage.leases import (
    RELEASED,
    Due,
    Held,
    Holder,
    LeasedTable,
    claim_next,
    fenced,
    release,
    renew,
    take_back_from_dead,
)
from clawfeed.storage.poll_queue import PollQueue
from tests.support.clocks import NOON
from tests.support.counting import CountingDatabase

MINUTE = timedelta(minutes=1)
JOBS = LeasedTable(
    table="jobs",
    queue="t.state = 'waiting'",
    order_by="t.not_before",
    noun="job",
    longest_lease=60 * MINUTE,
)


@pytest.fixture
async def jobs(database: Database) -> Database:
    """Sixty jobs in a table of the test's own, the last of which is done."""
    await execute(
        database,
        "CREATE TABLE jobs (id INTEGER PRIMARY KEY, state TEXT NOT NULL, not_before INTEGER, "
        "result TEXT, claim BIGINT NOT NULL DEFAULT 0, lease_until DOUBLE PRECISION, "
        "leased_by TEXT)",
    )
    await execute(
        database,
        "CREATE INDEX jobs_queue ON jobs (not_before) "
        "WHERE lease_until IS NULL AND state = 'waiting'",
    )
    numbers = ", ".join(f"({n}, 'waiting', {100 - n})" for n in range(1, 60))
    await execute(
        database, f"INSERT INTO jobs (id, state, not_before) VALUES {numbers}, (60, 'done', 0)"
    )
    return database


async def claim(
    database: Database, limit: int, *, worker: str = "w", lease: timedelta = MINUTE, due: int = 100
) -> list[Held]:
    holder = Holder(worker=worker, lease=lease)
    wanted = Due(limit=limit, condition="t.not_before <= :due", params={"due": due})
    rows = await database.run(lambda: claim_next(JOBS, database.dialect, holder, wanted))
    return [Held(key=row["id"], claim=row["claim"]) for row in rows]


async def write(database: Database, held: Held, result: str) -> None:
    def steps() -> Steps[None]:
        yield fenced(JOBS, held, f"result = :result, {RELEASED}", {"result": result})

    await database.run(steps)


async def results(database: Database) -> list[str]:
    rows = await database.read("SELECT result FROM jobs WHERE result IS NOT NULL ORDER BY id")
    return [row["result"] for row in rows]


async def test_racing_claimants_get_each_row_once_and_never_more_than_they_asked_for(
    jobs: Database,
) -> None:
    batches = await asyncio.gather(*(claim(jobs, 5, worker=f"w{n}") for n in range(16)))

    assert max(map(len, batches)) <= 5
    taken = [held.key for batch in batches for held in batch]
    # Claimants may pass each other's rows by, but nothing is left once they are all done.
    while more := await claim(jobs, 5):
        taken += [held.key for held in more]
    assert sorted(taken) == list(range(1, 60))  # and the one that is done was never in the queue


async def test_the_head_of_the_queue_is_served_first_and_what_is_not_due_is_left(
    jobs: Database,
) -> None:
    await execute(jobs, "UPDATE jobs SET not_before = 0 WHERE id = 7")

    first = await claim(jobs, 2, due=42)
    others = await claim(jobs, 10, due=42)

    assert [(held.key, held.claim) for held in first] == [(7, 1), (59, 1)]
    assert [held.key for held in others] == [58]


async def test_a_late_holder_is_fenced_off_and_so_is_the_same_worker_with_its_older_claim(
    jobs: Database,
) -> None:
    """F16: a worker's name is no fence, its claim number is."""
    [late] = await claim(jobs, 1, lease=timedelta(0))
    [newer] = await claim(jobs, 1)
    assert (newer.key, newer.claim) == (late.key, late.claim + 1)

    with pytest.raises(LeaseLostError, match=f"job {late.key} "):
        await write(jobs, late, "late")
    with pytest.raises(LeaseLostError):
        await jobs.run(lambda: release(JOBS, late))
    with pytest.raises(LeaseLostError):
        await jobs.run(lambda: renew(JOBS, jobs.dialect, late, MINUTE))
    await write(jobs, newer, "in time")

    assert await results(jobs) == ["in time"]


async def test_who_lost_a_lease_that_nobody_took_yet_is_fenced_off_too(jobs: Database) -> None:
    [held] = await claim(jobs, 1)
    await jobs.run(lambda: release(JOBS, held))

    with pytest.raises(LeaseLostError):
        await write(jobs, held, "given back")

    assert await results(jobs) == []


async def test_a_released_row_is_there_for_the_next(jobs: Database) -> None:
    [held] = await claim(jobs, 1)
    await jobs.run(lambda: release(JOBS, held))

    assert await jobs.read("SELECT id FROM jobs WHERE leased_by IS NOT NULL") == []
    assert await claim(jobs, 1, worker="next") == [Held(key=held.key, claim=held.claim + 1)]


async def test_a_renewed_lease_does_not_lapse(jobs: Database) -> None:
    [held] = await claim(jobs, 1, due=41, lease=timedelta(0))

    await jobs.run(lambda: renew(JOBS, jobs.dialect, held, MINUTE))

    assert await claim(jobs, 1, due=41) == []
    await write(jobs, held, "in time")


async def test_the_dead_are_taken_back_from_at_once_and_the_living_are_not(jobs: Database) -> None:
    of_dead = [*await claim(jobs, 2, worker="dead"), *await claim(jobs, 1, worker="gone")]
    [of_living] = await claim(jobs, 1, worker="alive")

    freed = await take_back_from_dead(jobs, JOBS, lambda worker: worker in {"dead", "gone"})

    assert freed == 3
    again = await claim(jobs, 60)
    assert {held.key for held in of_dead} <= {held.key for held in again}
    assert of_living.key not in {held.key for held in again}
    with pytest.raises(LeaseLostError):
        await write(jobs, of_dead[0], "from beyond")
    await write(jobs, of_living, "alive")


@pytest.mark.parametrize(("lease", "claims"), [(59 * MINUTE, 0), (61 * MINUTE, 1)])
async def test_a_lease_of_a_lost_future_is_freed(
    jobs: Database, lease: timedelta, claims: int
) -> None:
    """(F15): longer than any we give, so the database's clock went back since."""
    await claim(jobs, 1, due=41, lease=lease)

    assert len(await claim(jobs, 1, due=41)) == claims


@pytest.mark.parametrize("index", ["jobs_queue", "source_stats_queue"])
async def test_a_queue_is_read_by_its_partial_index(jobs: Database, index: str) -> None:
    """A claim that wades through what is done or held gets slower with every row."""
    counting = CountingDatabase(jobs)
    if index == "jobs_queue":
        await claim(counting, 3)
    else:
        await PollQueue(counting).claim_due(
            ClaimRequest(now=NOON, limit=3, lease=MINUTE, worker="w")
        )
    select = next(text for text in counting.statements if "LIMIT" in text and "t.lease" in text)

    assert f"{index}" in await plan_of(jobs, select, {"due": 100.0, "now": 1.0})


async def plan_of(database: Database, sql: str, params: dict[str, float]) -> str:
    """How the database would go about *sql*; PostgreSQL reads small tables whole if it may."""

    def steps() -> Steps[list[Row]]:
        if database.dialect.name == "postgresql":
            yield Statement("SET LOCAL enable_seqscan = off")
            return (yield Statement(f"EXPLAIN {sql}", params))
        return (yield Statement(f"EXPLAIN QUERY PLAN {sql}", params))

    rows = await database.run(steps)
    return "\n".join(" ".join(map(str, tuple(row))) for row in rows)  # type: ignore[arg-type]
