"""What holds for every endpoint: limits, repetitions, refusals."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta

import pytest
from fastapi import APIRouter, Request, Response

from clawfeed.api.http.application import build_application, build_routes
from clawfeed.api.http.body_limit import LARGEST_BODY
from clawfeed.api.http.idempotency import StoredReplays
from clawfeed.api.http.responses import json_answer
from clawfeed.auth.authorization import Access, guarded_router, open_to
from clawfeed.domain.errors import InvalidInputError
from clawfeed.storage.database import Database, execute
from clawfeed.storage.idempotency import KEY_LIFETIME, LEASE, IdempotencyStore
from clawfeed.storage.leases import Holder
from tests.support.api_callers import ADMIN, ANNA, BEN, NAME_TAGS, add_people, as_user
from tests.support.clocks import FakeClock
from tests.support.socket_server import Client, served


class Counter:
    """Endpoints that count how often they did something."""

    def __init__(self) -> None:
        self.done = 0
        self.gate, self.entered = asyncio.Event(), asyncio.Event()
        self.gate.set()

    def routes(self) -> APIRouter:
        router = guarded_router("/api", tag="test")

        @router.post("/count")
        @open_to(Access.WRITE)
        async def count(request: Request, *, fail: bool = False) -> Response:
            await request.body()
            self.entered.set()
            await self.gate.wait()
            self.done += 1
            if fail:
                raise InvalidInputError("not like this")
            return json_answer({"count": self.done}, 201, {"Location": f"/api/{self.done}"})

        @router.post("/secret")
        @open_to(Access.WRITE)
        async def secret() -> Response:
            self.done += 1
            return json_answer({"key": "s3cret"}, 201, {"Cache-Control": "no-store"})

        @router.get("/unmarked")
        async def unmarked() -> Response:
            return json_answer({})

        return router


@asynccontextmanager
async def counting(
    database: Database, clock: FakeClock | None = None, lease: timedelta = LEASE
) -> AsyncIterator[tuple[Client, Counter]]:
    await add_people(database)
    counter = Counter()
    store = IdempotencyStore(database, Holder(worker="tester", lease=lease))
    replays = StoredReplays(store, clock or FakeClock(), lambda worker: worker == "dead")
    guards = replace(NAME_TAGS, replays=replays)
    async with served(build_application("9.9", [counter.routes()], guards)) as client:
        yield client, counter


def once(user: int, key: str = "k-1") -> dict[str, str]:
    return {**as_user(user), "Idempotency-Key": key}


async def test_a_repeated_post_is_done_once_and_answered_the_same(database: Database) -> None:
    async with counting(database) as (client, counter):
        first = await client.post("/api/count", once(ANNA), {"a": 1})
        again = await client.post("/api/count", once(ANNA), {"a": 1})
        without = await client.post("/api/count", as_user(ANNA), {"a": 1})

    assert (first.status, first.json()) == (again.status, again.json()) == (201, {"count": 1})
    assert again.headers["idempotency-replayed"] == "true"
    assert (first.headers["location"], again.headers["location"]) == ("/api/1", "/api/1")
    assert without.json() == {"count": 2}
    assert counter.done == 2


async def test_a_key_belongs_to_its_person_and_its_request(database: Database) -> None:
    async with counting(database) as (client, _):
        await client.post("/api/count", once(ANNA), {"a": 1})
        other_body = await client.post("/api/count", once(ANNA), {"a": 2})
        ben = await client.post("/api/count", once(BEN), {"a": 1})

    assert other_body.status == 422
    assert "another request" in other_body.json()["detail"]
    assert ben.json() == {"count": 2}


async def test_of_two_at_the_same_time_one_is_told_to_wait(database: Database) -> None:
    async with counting(database) as (client, counter):
        counter.gate.clear()
        first = asyncio.create_task(client.post("/api/count", once(ANNA)))
        await counter.entered.wait()
        second = await client.post("/api/count", once(ANNA))
        counter.gate.set()
        answered = await first

    assert (second.status, second.headers["retry-after"]) == (409, "1")
    assert answered.json() == {"count": 1}


async def test_what_failed_may_be_tried_again(database: Database) -> None:
    async with counting(database) as (client, counter):
        failed = await client.post("/api/count?fail=1", once(ANNA))
        tried_again = await client.post("/api/count?fail=1", once(ANNA))

    assert (failed.status, tried_again.status, counter.done) == (422, 422, 2)


async def test_a_request_that_outlasts_a_lease_is_not_begun_twice(database: Database) -> None:
    """An edition made while somebody waits takes minutes: its key is held all the time."""
    async with counting(database, lease=timedelta(seconds=8)) as (client, counter):
        counter.gate.clear()
        first = asyncio.create_task(client.post("/api/count", once(ANNA)))
        await counter.entered.wait()
        [began] = await leases_end(database)
        async with asyncio.timeout(60):
            while await leases_end(database) <= [began]:  # noqa: ASYNC110 -- only the database knows
                await asyncio.sleep(0.1)
        second = await client.post("/api/count", once(ANNA))
        counter.gate.set()
        answered = await first

    assert (second.status, answered.status, counter.done) == (409, 201, 1)


async def leases_end(database: Database) -> list[float]:
    return [
        row["at"] for row in await database.read("SELECT lease_until AS at FROM idempotency_keys")
    ]


@pytest.mark.parametrize(("worker", "status"), [("dead", 201), ("elsewhere", 409)])
async def test_what_a_crash_cut_off_is_done_by_the_next_who_asks(
    database: Database, worker: str, status: int
) -> None:
    """At once, if it was on this machine; else when its lease is over."""
    async with counting(database) as (client, counter):
        counter.gate.clear()
        cut_off = asyncio.create_task(client.post("/api/count", once(ANNA)))
        await counter.entered.wait()
        await execute(database, "UPDATE idempotency_keys SET leased_by = :by", {"by": worker})
        counter.entered.clear()
        again = asyncio.create_task(client.post("/api/count", once(ANNA)))
        entered = asyncio.create_task(counter.entered.wait())
        await asyncio.wait({again, entered}, return_when=asyncio.FIRST_COMPLETED)
        entered.cancel()
        counter.gate.set()
        answers = await asyncio.gather(cut_off, again)

    assert [answer.status for answer in answers] == [201, status]


async def test_an_answer_with_a_secret_is_not_kept(database: Database) -> None:
    """(T17)."""
    async with counting(database) as (client, counter):
        await client.post("/api/secret", once(ANNA))
        again = await client.post("/api/secret", once(ANNA))
        rows = await database.read("SELECT body FROM idempotency_keys")

    assert again.status == 409
    assert counter.done == 1
    assert [row["body"] for row in rows] == [None]


async def test_a_key_is_free_again_after_a_day(database: Database) -> None:
    clock = FakeClock()
    async with counting(database, clock) as (client, _):
        await client.post("/api/count", once(ANNA))
        clock.advance(KEY_LIFETIME + timedelta(seconds=1))
        next_day = await client.post("/api/count", once(ANNA))

    assert next_day.json() == {"count": 2}


@pytest.mark.parametrize("key", ["x" * 201, "\xe4"])
async def test_an_odd_key_is_refused(database: Database, key: str) -> None:
    async with counting(database) as (client, _):
        answer = await client.post("/api/count", once(ANNA, key))

    assert answer.status == 422


@pytest.mark.parametrize("declares", [True, False])
async def test_a_body_over_a_mebibyte_is_413(database: Database, declares: bool) -> None:
    """(T26): whether its length is declared or comes in chunks."""
    body = b"x" * (LARGEST_BODY + 1)

    async with counting(database) as (client, counter):
        answer = await client.ask(
            "POST", "/api/count", as_user(ANNA), io.BytesIO(body) if declares else in_chunks(body)
        )
        fits = await client.post("/api/count", as_user(ANNA), io.BytesIO(body[:-1]))

    assert (answer.status, answer.content_type) == (413, "application/problem+json")
    assert (fits.status, counter.done) == (201, 1)


async def in_chunks(body: bytes) -> AsyncIterator[bytes]:
    for start in range(0, len(body), 65_536):
        yield body[start : start + 65_536]


async def test_a_route_without_a_mark_is_for_admins(database: Database) -> None:
    """(T13): a forgotten mark locks people out instead of letting them in."""
    async with counting(database) as (client, _):
        answers = [
            await client.get("/api/unmarked", headers)
            for headers in ({}, as_user(ANNA), as_user(ADMIN))
        ]

    assert [answer.status for answer in answers] == [401, 403, 200]


def test_a_router_that_does_not_ask_the_door_is_refused() -> None:
    router = APIRouter()
    router.add_api_route("/open", lambda: None)

    with pytest.raises(TypeError, match="/open does not ask the door"):
        build_routes("9.9", [router], NAME_TAGS)
