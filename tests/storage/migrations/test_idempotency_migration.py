"""Answers that were kept before a key was held by a lease are given still (0022)."""

from __future__ import annotations

from clawfeed.storage.database import execute
from clawfeed.storage.drivers.connect import StorageConfig, open_database
from clawfeed.storage.idempotency import LEASE, Answered, Attempt, First, IdempotencyStore
from clawfeed.storage.leases import Holder
from clawfeed.storage.migrate import migrate, migrations
from tests.support.api_callers import ANNA, add_people
from tests.support.clocks import NOON


async def test_an_answer_of_before_is_repeated_and_what_ran_may_be_begun(
    empty_database_url: str,
) -> None:
    database = await open_database(StorageConfig(url=empty_database_url))
    before = tuple(each for each in migrations() if each.version < 22)
    await migrate(database, now=NOON, known=before)
    await add_people(database)
    for key, status in (("answered", 201), ("running", None)):
        await execute(
            database,
            "INSERT INTO idempotency_keys (user_id, key, fingerprint, status, body, created_at) "
            "VALUES (:user, :key, 'f', :status, :body, :now)",
            {"user": ANNA, "key": key, "status": status, "body": b"it", "now": NOON.timestamp()},
        )

    await migrate(database, now=NOON)
    store = IdempotencyStore(database, Holder(worker="w", lease=LEASE))
    found = [
        await store.begin(Attempt(user=ANNA, key=key, fingerprint="f"), now=NOON)
        for key in ("answered", "running")
    ]
    await database.close()

    assert found[0] == Answered(status=201, body=b"it")
    assert isinstance(found[1], First)
