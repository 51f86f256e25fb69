"""Who answers a request with a key, and whose answer is kept (decision 0003)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from clawfeed.storage.database import Database, execute
from clawfeed.storage.idempotency import (
    KEY_LIFETIME,
    LEASE,
    AnotherRequest,
    Answered,
    Attempt,
    First,
    IdempotencyStore,
    Standing,
    StillRunning,
)
from clawfeed.storage.leases import Holder
from tests.support.api_callers import ANNA, add_people
from tests.support.clocks import NOON

ATTEMPT = Attempt(user=ANNA, key="k", fingerprint="f")


@pytest.fixture
async def store(database: Database) -> IdempotencyStore:
    await add_people(database)
    return IdempotencyStore(database, Holder(worker="w", lease=LEASE))


async def begun(store: IdempotencyStore) -> First:
    first = await store.begin(ATTEMPT, now=NOON)
    assert isinstance(first, First)
    return first


async def lapse(database: Database) -> None:
    """As if whoever holds a key had been frozen for longer than its lease."""
    await execute(database, "UPDATE idempotency_keys SET lease_until = 1")


@pytest.mark.parametrize("late", ["keeps", "forgets"])
async def test_who_is_late_changes_nothing(
    database: Database, store: IdempotencyStore, late: str
) -> None:
    """Else a third would begin while the second still works, or read what the second never said."""
    frozen = await begun(store)
    await lapse(database)
    second = await begun(store)

    if late == "keeps":
        is_changed = await store.keep(frozen, 201, b"late")
    else:
        is_changed = await store.forget(frozen)

    third = await store.begin(ATTEMPT, now=NOON)
    assert await store.keep(second, 201, b"in time")
    assert (is_changed, third) == (False, StillRunning())
    assert await store.begin(ATTEMPT, now=NOON) == Answered(status=201, body=b"in time")


async def test_who_is_late_does_not_take_the_answer_back(
    database: Database, store: IdempotencyStore
) -> None:
    frozen = await begun(store)
    await lapse(database)
    assert await store.keep(await begun(store), 201, b"in time")

    assert not await store.forget(frozen)
    assert not await store.keep(frozen, 500, b"late")

    assert await store.begin(ATTEMPT, now=NOON) == Answered(status=201, body=b"in time")


async def test_who_is_late_is_no_holder_of_a_key_that_was_forgotten_and_begun_anew(
    database: Database, store: IdempotencyStore
) -> None:
    """A row of its own each time: claim numbers begin anew, and fence off all the same."""
    frozen = await begun(store)
    await lapse(database)
    await store.forget(await begun(store))
    third = await begun(store)

    assert not await store.keep(frozen, 201, b"late")

    assert await store.keep(third, 201, b"in time")


async def test_who_is_late_keeps_its_answer_while_nobody_asks_again(
    database: Database, store: IdempotencyStore
) -> None:
    """A paused machine finishes what it began; what others ask meanwhile changes nothing."""
    late = await begun(store)
    await lapse(database)
    await store.begin(Attempt(user=ANNA, key="another", fingerprint="f"), now=NOON)

    assert await store.hold(late)
    assert await store.keep(late, 201, b"late")

    assert await store.begin(ATTEMPT, now=NOON) == Answered(status=201, body=b"late")


async def test_a_request_that_holds_on_is_not_begun_twice(
    database: Database, store: IdempotencyStore
) -> None:
    """By the database's clock: what the server's says, a day later even, begins nothing."""
    first = await begun(store)
    await lapse(database)

    assert await store.hold(first)

    later = NOON + KEY_LIFETIME - timedelta(seconds=1)
    assert await store.begin(ATTEMPT, now=later) == StillRunning()


async def test_who_lost_a_key_cannot_hold_on_to_it(
    database: Database, store: IdempotencyStore
) -> None:
    first = await begun(store)
    await lapse(database)
    await begun(store)

    assert not await store.hold(first)


async def test_a_key_that_was_begun_anew_lasts_for_another_day(
    database: Database, store: IdempotencyStore
) -> None:
    await begun(store)
    await lapse(database)
    later = NOON + KEY_LIFETIME - timedelta(seconds=1)
    again = await store.begin(ATTEMPT, now=later)
    assert isinstance(again, First)
    await store.keep(again, 201, None)

    found: list[Standing] = [
        await store.begin(ATTEMPT, now=later + wait)
        for wait in (KEY_LIFETIME, KEY_LIFETIME + timedelta(seconds=1))
    ]

    assert found[0] == Answered(status=201, body=None)
    assert isinstance(found[1], First)


async def test_a_key_of_another_request_is_neither_begun_nor_waited_for(
    store: IdempotencyStore,
) -> None:
    await begun(store)
    other = Attempt(user=ANNA, key="k", fingerprint="another")

    assert await store.begin(other, now=NOON) == AnotherRequest()


async def test_the_dead_are_followed_at_once(store: IdempotencyStore) -> None:
    first = await begun(store)

    assert await store.take_back_from_dead(lambda worker: worker == "another") == 0
    assert await store.begin(ATTEMPT, now=NOON) == StillRunning()
    assert await store.take_back_from_dead(lambda worker: worker == "w") == 1

    second = await begun(store)
    assert second.held.claim == first.held.claim + 1
