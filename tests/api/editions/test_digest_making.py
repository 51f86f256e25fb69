"""One's own edition on demand, and a look at what it would tell."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta

from clawfeed.api.editions.digest_making import DigestMakingApi, digest_making_routes
from clawfeed.api.http.application import build_application
from clawfeed.auth.limits.action_rate_limits import PreviewTurns
from clawfeed.digest.edition_config import EditionConfig
from clawfeed.digest.on_demand_editions import EditionsOnDemand
from clawfeed.digest.preview import EditionPreviewer
from clawfeed.domain.editions.edition import EditionTask
from clawfeed.domain.editions.edition_period import EditionType
from clawfeed.domain.ids import TaskId, UserId
from clawfeed.storage.database import Database, execute
from clawfeed.storage.digests.digests import DigestStore
from clawfeed.storage.editions.editions import EditionStore
from clawfeed.storage.sources.subscriptions import SubscriptionStore
from tests.support.api_callers import ANNA, BEN, NAME_TAGS, add_people, as_user
from tests.support.clocks import NOON, FakeClock
from tests.support.digests import an_edition
from tests.support.editions import NEW
from tests.support.items import add_item, add_source
from tests.support.published_digests import publish
from tests.support.socket_server import Answer, Client, served


@dataclass
class SlowMaker:
    """Makes an edition when the test lets it."""

    database: Database
    has_anything: bool = True
    may_finish: asyncio.Event = field(default_factory=asyncio.Event)
    finished: asyncio.Event = field(default_factory=asyncio.Event)

    async def begin(self, reader: UserId, kind: EditionType) -> EditionTask | None:
        assert (reader, kind) == (ANNA, EditionType.DAILY)
        return (
            await EditionStore(self.database).get_or_add(NEW, now=NOON)
            if (self.has_anything)
            else None
        )

    async def finish(self, task: TaskId) -> None:
        assert task == 1
        await self.may_finish.wait()
        await publish(self.database, an_edition())
        self.finished.set()


@asynccontextmanager
async def workshop(
    database: Database, maker: SlowMaker, turn: asyncio.Semaphore | None = None
) -> AsyncIterator[Client]:
    await add_people(database)
    api = DigestMakingApi(
        editions=EditionsOnDemand(
            editions=maker,
            digests=DigestStore(database),
            tasks=EditionStore(database),
            patience=timedelta(seconds=0.2 if not maker.may_finish.is_set() else 60),
        ),
        previewer=EditionPreviewer(database, EditionConfig(), FakeClock()),
        turns=PreviewTurns(turn),
    )
    app = build_application("9.9", [digest_making_routes(api)], NAME_TAGS)
    async with served(app) as client:
        yield client


async def test_an_edition_that_takes_long_is_told_to_be_in_the_making(database: Database) -> None:
    maker = SlowMaker(database)
    async with workshop(database, maker) as client:
        first = await client.post("/api/digests", as_user(ANNA), {})
        maker.may_finish.set()
        await asyncio.wait_for(maker.finished.wait(), 30)
        then = await client.post("/api/digests", as_user(ANNA), {"type": "daily"})

    assert (first.status, first.json()["digest"]) == (202, None)
    assert first.json()["task"] == {
        "id": 1, "type": "daily", "period": "2026-11-15", "state": "init",
    }  # fmt: skip
    assert (then.status, then.json()["digest"]["id"]) == (200, 1)
    assert then.json()["task"]["state"] == "published"


async def test_an_edition_that_is_made_at_once_is_the_answer(database: Database) -> None:
    maker = SlowMaker(database)
    maker.may_finish.set()
    async with workshop(database, maker) as client:
        made = await client.post("/api/digests", as_user(ANNA))

    assert (made.status, made.headers["location"]) == (201, "/api/digests/1")
    assert made.json()["digest"]["title"] == "Rust, chips and the weather"


async def test_without_anything_collected_there_is_nothing_to_make(database: Database) -> None:
    async with workshop(database, SlowMaker(database, has_anything=False)) as client:
        none = await client.post("/api/digests", as_user(ANNA))

    assert none.status == 404
    assert "follow sources (POST /api/subscriptions)" in none.json()["detail"]


async def test_a_preview_is_of_ones_own_sources_and_saves_nothing(database: Database) -> None:
    """(T18): a private source shows in its owner's preview alone."""
    async with workshop(database, SlowMaker(database)) as client:
        public = await add_source(database, "public")
        annas = await add_source(database, "annas", owner=ANNA, is_public=False)
        at = NOON - timedelta(hours=1)
        await add_item(database, public, "Ferry strike stops traffic to the islands", at=at)
        await add_item(database, annas, "Orchestra names a conductor", at=at)
        follows = SubscriptionStore(database)
        await follows.change(ANNA, add=[public, annas], now=NOON)
        await follows.change(BEN, add=[public], now=NOON)
        before = await execute(database, "SELECT count(*) AS n FROM stories", {})
        anna = (await client.get("/api/digests/preview", as_user(ANNA))).json()
        ben = (await client.get("/api/digests/preview", as_user(BEN))).json()
        body = {"interests": [{"kind": "word", "text": "orchestra", "weight": 3}]}
        tried = (await client.post("/api/digests/preview", as_user(ANNA), body)).json()
        muted = {"interests": [{"kind": "muted", "text": "ferry"}]}
        without = (await client.post("/api/digests/preview", as_user(BEN), muted)).json()
        after = await execute(database, "SELECT count(*) AS n FROM stories", {})
        strangers = await client.get("/api/digests/preview")

    assert (anna["items"], anna["sources"], len(anna["stories"])) == (2, 2, 2)
    assert [story["headline"] for story in ben["stories"]] == [
        "Ferry strike stops traffic to the islands"
    ]
    best = tried["stories"][0]
    assert (best["headline"], best["interests"]) == ("Orchestra names a conductor", ["orchestra"])
    assert best["score"]["interest"] == 3.0
    assert (without["stories"], without["left_out_counts"]) == ([], {"muted": 1})
    assert before == after
    assert strangers.status == 401


async def test_nobody_stands_twice_in_the_queue_for_previews(database: Database) -> None:
    """(T26): one is made at a time; who asks a hundred times makes nobody wait a hundred turns."""
    turn = asyncio.Semaphore(0)
    async with workshop(database, SlowMaker(database), turn) as client:
        annas = {
            asyncio.create_task(client.get("/api/digests/preview", as_user(ANNA))) for _ in range(3)
        }
        refused: set[asyncio.Task[Answer]] = set()
        while len(refused) < 2:
            refused, annas = await asyncio.wait(annas | refused, timeout=0.05)
        bens = asyncio.create_task(client.get("/api/digests/preview", as_user(BEN)))
        turn.release()
        seen = [(await each).status for each in (*annas, bens)]
        then = await client.get("/api/digests/preview", as_user(ANNA))

    assert [each.result().status for each in refused] == [429, 429]
    assert seen == [200, 200]
    assert then.status == 200
