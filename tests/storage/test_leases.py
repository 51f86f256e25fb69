"""Every table with the three columns of a lease: who holds a row, what a late result may do."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta

import pytest

from clawfeed.domain.editions.delivery import Recovery
from clawfeed.domain.errors import LeaseLostError
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.storage.database import Database, Row, SqlValue, Statement, Steps, execute
from clawfeed.storage.editions.edition_claims import EDITION_ARTICLES, EDITION_TASKS
from clawfeed.storage.editions.editions import EditionStore
from clawfeed.storage.idempotency import IDEMPOTENCY_KEYS
from clawfeed.storage.leases import (
    RELEASED,
    Condition,
    Due,
    Held,
    Holder,
    LeasedTable,
    claim_next,
    fenced,
    give_back,
    release,
    remove,
    renew,
    take,
    take_back_from,
    take_back_lapsed,
)
from clawfeed.storage.outbox.outbox import OUTBOX, KindManners, Outbox
from clawfeed.storage.people.x_authorisations import X_AUTHORISATIONS
from clawfeed.storage.polling.host_queue import ClaimRequest
from clawfeed.storage.polling.poll_queue import PollQueue
from tests.support.api_callers import ANNA, add_people
from tests.support.clocks import NOON
from tests.support.counting_database import CountingDatabase
from tests.support.editions import NEW, Rows

MINUTE = timedelta(minutes=1)
ROWS = 24
NEVER = Condition(sql="1 = 0")


@dataclass(frozen=True, kw_only=True)
class Queue:
    """A table with rows in it: *keys* are those to be claimed, the first first."""

    database: Database
    leased: LeasedTable
    keys: list[int]
    column: str = "last_error"  # one that may hold any text

    async def claim(
        self, limit: int, *, worker: str = "w", lease: timedelta = MINUTE
    ) -> list[Held]:
        """Up to *limit* of those that are free, as every user of leases claims."""
        holder, leased, dialect = (
            Holder(worker=worker, lease=lease), self.leased, self.database.dialect
        )  # fmt: skip

        def steps() -> Steps[dict[int, Row]]:
            yield from take_back_lapsed(leased, dialect)
            free = yield Statement(
                f"SELECT {leased.key} AS key FROM {leased.table} WHERE lease_until IS NULL"
            )
            keys = sorted({row["key"] for row in free} & set(self.keys), key=self.keys.index)
            return (yield from take(leased, dialect, holder, keys[:limit], returning=leased.key))

        rows = await self.database.run(steps)
        return [Held(key=key, claim=row["claim"]) for key, row in sorted(rows.items())]

    async def write(self, held: Held, result: str) -> None:
        def steps() -> Steps[None]:
            yield fenced(self.leased, held, f"{self.column} = :it, {RELEASED}", {"it": result})

        await self.database.run(steps)

    async def written(self) -> list[str]:
        rows = await self.database.read(
            f"SELECT {self.column} AS it FROM {self.leased.table} "
            f"WHERE coalesce({self.column}, '') <> ''"
        )
        return [row["it"] for row in rows]

    async def finish_all_but(self, left: int) -> None:
        """Take all rows but *left* out of the queue, as held by somebody else."""
        await self.claim(len(self.keys) - left, worker="else")


async def tasks(database: Database) -> Queue:
    store = EditionStore(database)
    made = [await store.get_or_add(replace(NEW, scope=f"s{n}"), now=NOON) for n in range(ROWS)]
    return Queue(database=database, leased=EDITION_TASKS, keys=[task.id for task in made])


async def articles(database: Database) -> Queue:
    task, rows = await EditionStore(database).get_or_add(NEW, now=NOON), Rows(database)
    keys = [await rows.article(task, n) for n in range(ROWS)]
    return Queue(database=database, leased=EDITION_ARTICLES, keys=keys)


async def messages(database: Database) -> Queue:
    rows = Rows(database)
    digest = await rows.digest(await EditionStore(database).get_or_add(NEW, now=NOON))
    keys = [await rows.message(digest, await rows.channel(f"c{n}")) for n in range(ROWS)]
    return Queue(database=database, leased=OUTBOX, keys=keys)


async def x_authorisations(database: Database) -> Queue:
    for n in range(ROWS):
        await add_authorised_person(database, n)
    found = await database.read("SELECT user_id FROM x_authorisations ORDER BY user_id")
    keys = [int(row["user_id"]) for row in found]
    return Queue(database=database, leased=X_AUTHORISATIONS, keys=keys, column="handle")


async def add_authorised_person(database: Database, number: int) -> None:
    [row] = await execute(
        database,
        "INSERT INTO users (email, name, slug, created_at, updated_at) "
        "VALUES (:name, :name, :name, 0, 0) RETURNING id",
        {"name": f"reader {number}"},
    )
    await execute(
        database,
        "INSERT INTO x_authorisations (user_id, x_user_id, handle, scopes, access_token, "
        "expires_at, authorised_at, updated_at) VALUES (:user, '1', '', '', 'a', 0, 0, 0)",
        {"user": row["id"]},
    )


async def idempotency_keys(database: Database) -> Queue:
    await add_people(database)
    await execute(
        database,
        "INSERT INTO idempotency_keys (user_id, key, fingerprint, created_at) VALUES "
        + ", ".join(f"({ANNA}, 'k{n}', '', 0)" for n in range(ROWS)),
    )
    found = await database.read("SELECT id FROM idempotency_keys ORDER BY id")
    keys = [int(row["id"]) for row in found]
    return Queue(database=database, leased=IDEMPOTENCY_KEYS, keys=keys, column="fingerprint")


TABLES: dict[str, Callable[[Database], Awaitable[Queue]]] = {
    "edition_tasks": tasks,
    "edition_articles": articles,
    "outbox": messages,
    "x_authorisations": x_authorisations,
    "idempotency_keys": idempotency_keys,
}


@pytest.fixture(params=TABLES)
async def queue(request: pytest.FixtureRequest, database: Database) -> Queue:
    return await TABLES[request.param](database)


async def test_racing_claimants_get_each_row_once(queue: Queue) -> None:
    batches = await asyncio.gather(*(queue.claim(3, worker=f"w{n}") for n in range(12)))

    taken = [held.key for batch in batches for held in batch]
    while more := await queue.claim(5):
        taken += [held.key for held in more]
    assert sorted(taken) == sorted(queue.keys)


async def test_what_is_not_as_it_must_be_is_not_taken(queue: Queue) -> None:
    database, leased, keys = queue.database, queue.leased, queue.keys
    first = Condition(sql=f"{leased.key} = :first", params={"first": keys[0]})
    holder = Holder(worker="w", lease=MINUTE)

    taken = await database.run(
        lambda: take(leased, database.dialect, holder, keys[:3], returning=leased.key, only=first)
    )
    freed = await database.run(lambda: take_back_from(leased, ["w"], only=NEVER))

    assert (list(taken), freed) == ([keys[0]], 0)


@dataclass(frozen=True, kw_only=True)
class NextArticles(Queue):
    """The articles of one edition, claimed from the head of their queue."""

    due: Due

    async def claim(
        self, limit: int, *, worker: str = "w", lease: timedelta = MINUTE
    ) -> list[Held]:
        holder, due = Holder(worker=worker, lease=lease), replace(self.due, limit=limit)
        dialect = self.database.dialect
        rows = await self.database.run(lambda: claim_next(self.leased, dialect, holder, due))
        return [Held(key=row["id"], claim=row["claim"]) for row in rows]


async def next_articles(database: Database) -> NextArticles:
    """One is in words already, one a crash left, and one is another edition's."""
    store, rows = EditionStore(database), Rows(database)
    task = await store.get_or_add(NEW, now=NOON)
    other = await store.get_or_add(replace(NEW, scope="other"), now=NOON)
    keys = [await rows.article(task, 100 - n) for n in range(ROWS)]
    await rows.article(task, 1, state="completed", result="{}")
    await rows.article(task, 2, state="processing")
    await rows.article(other, 1)
    due = Due(limit=0, condition="t.task_id = :task", params={"task": task.id})
    return NextArticles(database=database, leased=EDITION_ARTICLES, due=due, keys=keys[::-1])


async def test_racing_batches_get_what_is_theirs_and_never_more_than_they_asked_for(
    database: Database,
) -> None:
    queue = await next_articles(database)

    batches = await asyncio.gather(*(queue.claim(3, worker=f"w{n}") for n in range(12)))

    assert max(map(len, batches)) <= 3
    taken = [held.key for batch in batches for held in batch]
    # Claimants may pass each other's rows by, but nothing is left once they are all done.
    while more := await queue.claim(5):
        taken += [held.key for held in more]
    # And what is done, not due, or somebody else's was never in the queue.
    assert sorted(taken) == sorted(queue.keys)


async def test_the_head_of_the_queue_is_served_first(database: Database) -> None:
    queue = await next_articles(database)

    first = await queue.claim(2)
    others = await queue.claim(100)

    assert [held.key for held in [*first, *others]] == queue.keys
    assert {held.claim for held in first} == {1}


async def test_a_late_holder_is_fenced_off_and_so_is_the_same_worker_with_its_older_claim(
    queue: Queue,
) -> None:
    """F16: a worker's name is no fence, its claim number is."""
    [late] = await queue.claim(1, lease=timedelta(0))
    [newer] = await queue.claim(1)
    assert (newer.key, newer.claim) == (late.key, late.claim + 1)

    with pytest.raises(LeaseLostError, match=f"{queue.leased.noun} {late.key} "):
        await queue.write(late, "late")
    database = queue.database
    with pytest.raises(LeaseLostError):
        await database.run(lambda: release(queue.leased, late))
    is_renewed = await database.run(lambda: renew(queue.leased, database.dialect, late, MINUTE))
    is_given_back = await database.run(lambda: give_back(queue.leased, late))
    is_removed = await database.run(lambda: remove(queue.leased, late))
    await queue.write(newer, "in time")

    assert (is_renewed, is_given_back, is_removed) == (False, False, False)

    assert await queue.written() == ["in time"]


async def test_who_lost_a_lease_that_nobody_took_yet_is_fenced_off_too(queue: Queue) -> None:
    [held] = await queue.claim(1)
    await queue.database.run(lambda: release(queue.leased, held))

    with pytest.raises(LeaseLostError):
        await queue.write(held, "given back")

    assert await queue.written() == []


async def test_a_released_row_is_there_for_the_next(queue: Queue) -> None:
    [held] = await queue.claim(1)
    await queue.database.run(lambda: release(queue.leased, held))

    # Who gives it back again gives nothing back.
    assert not await queue.database.run(lambda: give_back(queue.leased, held))
    held_by = f"SELECT 1 AS one FROM {queue.leased.table} WHERE leased_by IS NOT NULL"
    assert await queue.database.read(held_by) == []
    assert await queue.claim(1, worker="next") == [Held(key=held.key, claim=held.claim + 1)]


async def test_who_removes_a_row_removes_what_is_theirs(queue: Queue) -> None:
    [held] = await queue.claim(1)

    assert await queue.database.run(lambda: remove(queue.leased, held))
    assert not await queue.database.run(lambda: remove(queue.leased, held))

    left = await queue.claim(100)
    assert held.key not in {each.key for each in left}


async def test_a_renewed_lease_does_not_lapse(queue: Queue) -> None:
    database = queue.database
    await queue.finish_all_but(1)
    [held] = await queue.claim(1, lease=timedelta(0))

    assert await database.run(lambda: renew(queue.leased, database.dialect, held, MINUTE))

    assert await queue.claim(1) == []
    await queue.write(held, "in time")


async def test_the_dead_are_taken_back_from_at_once_and_the_living_are_not(queue: Queue) -> None:
    of_dead = [*await queue.claim(2, worker="dead"), *await queue.claim(1, worker="gone")]
    [of_living] = await queue.claim(1, worker="alive")

    freed = await queue.database.run(lambda: take_back_from(queue.leased, ["dead", "gone"]))

    assert freed == 3
    again = await queue.claim(100)
    assert {held.key for held in of_dead} <= {held.key for held in again}
    assert of_living.key not in {held.key for held in again}
    with pytest.raises(LeaseLostError):
        await queue.write(of_dead[0], "from beyond")
    await queue.write(of_living, "alive")


@pytest.mark.parametrize(("longer", "claims"), [(-MINUTE, 0), (MINUTE, 1)])
async def test_a_lease_of_a_lost_future_is_freed(
    queue: Queue, longer: timedelta, claims: int
) -> None:
    """(F15): longer than any we give, so the database's clock went back since."""
    await queue.finish_all_but(1)
    await queue.claim(1, lease=queue.leased.longest_lease + longer)

    assert len(await queue.claim(1)) == claims


async def test_a_queue_is_read_by_its_partial_index(database: Database) -> None:
    """A claim that wades through what is done or held gets slower with every row."""
    queue = await next_articles(database)
    counting = CountingDatabase(queue.database)
    await replace(queue, database=counting).claim(3)

    plan = await plan_of(queue.database, queue_read_of(counting), queue.due.params)
    assert f"{queue.leased.table}_queue" in plan


async def test_the_queue_of_sources_is_read_by_its_partial_index(database: Database) -> None:
    counting = CountingDatabase(database)
    await PollQueue(counting, types=BUILT_IN).claim_due(
        ClaimRequest(now=NOON, limit=3, lease=MINUTE, worker="w")
    )

    plan = await plan_of(database, queue_read_of(counting), {"now": 1.0})
    assert "source_stats_queue" in plan


def queue_read_of(counting: CountingDatabase) -> str:
    return next(text for text in counting.statements if "LIMIT" in text and "t.lease" in text)


@pytest.mark.parametrize(
    ("first", "turn"),
    [
        ("pending", 1),
        ("retry", 1),
        ("sending", None),
        ("sent", 2),
        ("uncertain", None),
        ("dead", None),
    ],
)
async def test_a_part_is_not_claimed_before_the_one_before_it_is_sent(
    database: Database, first: str, turn: int | None
) -> None:
    """Another channel's parts, and another digest's, wait for nobody."""
    rows, store = Rows(database), EditionStore(database)
    digests = [
        await rows.digest(await store.get_or_add(replace(NEW, scope=scope), now=NOON))
        for scope in ("a", "b")
    ]
    channel, other = await rows.channel("one"), await rows.channel("other")
    due = NOON.timestamp()
    # The second part would be the head of the queue, and the third waits for the second.
    parts = [
        await rows.message(digests[0], channel, part, state=state, not_before=due - part)
        for part, state in enumerate((first, "pending", "pending"), 1)
    ]
    free = {
        await rows.message(digests[0], other, not_before=due),
        await rows.message(digests[1], channel, not_before=due),
    }
    letters = KindManners(kind="email", recovery=Recovery.ASK, at_once=9)

    claimed = await Outbox(database).claim(
        [letters], Holder(worker="w", lease=MINUTE), now=NOON, limit=10
    )

    keys = {int(message.id) for message in claimed.messages}
    assert keys == free | ({parts[turn - 1]} if turn else set())


async def plan_of(database: Database, sql: str, params: Mapping[str, SqlValue]) -> str:
    """How the database would go about *sql*; PostgreSQL reads small tables whole if it may."""

    def steps() -> Steps[list[Row]]:
        if database.dialect.name == "postgresql":
            yield Statement("SET LOCAL enable_seqscan = off")
            return (yield Statement(f"EXPLAIN {sql}", params))
        return (yield Statement(f"EXPLAIN QUERY PLAN {sql}", params))

    rows = await database.run(steps)
    return "\n".join(" ".join(map(str, tuple(row))) for row in rows)  # type: ignore[arg-type]
