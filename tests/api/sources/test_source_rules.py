"""Rules between people about sources: who reads what they add, who resumes, where secrets go."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from clawfeed.storage.database import Database, execute
from clawfeed.storage.sources.subscriptions import SubscriptionStore
from tests.api.source_server import ANNAS, BENS, TOKEN, opened
from tests.support.api_callers import ADMIN, ANNA, BEN, as_user
from tests.support.clocks import NOON
from tests.support.socket_server import Client

FEED = {"type": "rss", "config": {"url": "https://new.example/feed"}}
RESUME = f"/api/sources/{ANNAS}/resume"


async def pause(database: Database, source: int) -> None:
    await execute(
        database,
        "UPDATE sources SET is_active = 0, paused_because = 'errors' WHERE id = :id",
        {"id": source},
    )


async def is_active(database: Database, source: int) -> bool:
    sql = "SELECT is_active FROM sources WHERE id = :id"
    [row] = await database.read(sql, {"id": source})
    return bool(row["is_active"])


async def test_who_adds_a_source_follows_it(database: Database) -> None:
    """(S001-15): it is in their next edition, and the answer says so."""
    async with opened(database) as house:
        added = await house.client.post("/api/sources", as_user(ANNA), FEED)
        again = await house.client.post("/api/sources", as_user(ANNA), FEED)

    followed = await SubscriptionStore(database).list(ANNA, limit=10)
    assert (added.status, again.status) == (201, 409)
    assert (added.json()["is_subscribed"], added.json()["subscriber_count"]) == (True, 1)
    assert [each.source_id for each in followed] == [added.json()["id"]]


async def test_an_admin_resumes_what_they_may_not_see_and_sees_nothing_of_it(
    database: Database,
) -> None:
    """(S001-9, T18)."""
    async with opened(database) as house:
        await pause(database, ANNAS)
        others = await house.client.post(RESUME, as_user(BEN))
        still_paused = not await is_active(database, ANNAS)
        admins = await house.client.post(RESUME, as_user(ADMIN))
        looked = await house.client.get(f"/api/sources/{ANNAS}", as_user(ADMIN))
        gone = await house.client.post("/api/sources/99/resume", as_user(ADMIN))

    assert (others.status, still_paused, gone.status, looked.status) == (404, True, 404, 404)
    assert admins.json() == {"id": ANNAS, "is_active": True, "status": "never_fetched"}
    assert await is_active(database, ANNAS)


async def test_resuming_what_is_not_paused_is_no_way_to_have_it_polled(database: Database) -> None:
    """(S001-9)."""
    touched = "SELECT updated_at FROM sources WHERE id = :id"
    async with opened(database) as house:
        house.clock.advance(timedelta(hours=1))
        answer = await house.client.post(RESUME, as_user(ADMIN))
        [row] = await database.read(touched, {"id": ANNAS})

    assert answer.status == 200
    assert row["updated_at"] == NOON.timestamp()


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example/feed?token=***",
        "https://evil.example/feed",
        "http://annas.example/feed",
        "https://annas.example:8443/feed",
        r"https://evil.example\@annas.example/feed",
        "https://annas.example.evil.example/feed",
    ],
)
async def test_a_masked_secret_goes_nowhere_else(database: Database, url: str) -> None:
    """(T17): whoever holds the session must not send what it may not see to themselves."""
    config = {"url": url, "headers": {"X-Key": "***"}}
    async with opened(database) as house:
        path = f"/api/sources/{ANNAS}"
        refused = await house.client.put(path, as_user(ANNA), {"config": config})
        whole = {"url": url, "headers": {"X-Key": "another"}}
        given = await house.client.put(path, as_user(ANNA), {"config": whole})

    assert refused.status == 422
    assert "give the whole value" in refused.json()["detail"]
    assert TOKEN not in refused.text
    # With every secret given anew it may go anywhere.
    assert given.status == (422 if "***" in url else 200)


async def test_at_its_own_place_a_masked_secret_stays(database: Database) -> None:
    config = {"url": "https://ANNAS.example:443/other", "headers": {"X-Key": "***"}}
    async with opened(database) as house:
        answer = await house.client.put(f"/api/sources/{ANNAS}", as_user(ANNA), {"config": config})
        [row] = await database.read("SELECT config FROM sources WHERE id = :id", {"id": ANNAS})

    assert answer.status == 200, answer.text
    assert TOKEN in row["config"]


async def test_fifty_at_once_do_not_pass_a_quota(database: Database) -> None:
    """(T26): each counts what the one before it left."""
    async with opened(database, most_sources=5) as house:
        statuses = await asyncio.gather(*(one_more(house.client, number) for number in range(50)))

    assert sorted(statuses) == [201] * 3 + [403] * 47  # two are there already


async def test_adding_and_deleting_in_turns_comes_to_an_end(database: Database) -> None:
    """(T26): a deleted source leaves its row, so a day has an end, too."""
    async with opened(database, most_sources=3) as house:
        statuses = []
        for number in range(6):
            statuses.append(await one_more(house.client, number))
            newest = f"/api/sources/{BENS + len(statuses)}"
            await house.client.delete(newest, as_user(ANNA))
        house.clock.advance(timedelta(days=1))
        tomorrow = await one_more(house.client, 9)

    assert statuses == [201] * 4 + [403] * 2  # two are there already
    assert tomorrow == 201


async def one_more(client: Client, number: int) -> int:
    feed = {"type": "rss", "config": {"url": f"https://n{number}.example/feed"}}
    return (await client.post("/api/sources", as_user(ANNA), feed)).status


@pytest.mark.parametrize("number", ["9" * 5_000, "9" * 20, "-1", "1.0", "１", "%0a1", "0"])
async def test_no_spelling_of_an_id_is_more_than_wrong(database: Database, number: str) -> None:
    """Five thousand digits were a crash to the framework; `1.0` was the same as 1."""
    async with opened(database) as house:
        one = await house.client.get(f"/api/sources/{number}", as_user(ANNA))
        resumed = await house.client.post(f"/api/sources/{number}/resume", as_user(ADMIN))

    assert {one.status, resumed.status} <= {404, 422}


@pytest.mark.parametrize("name", ["\ufeff", "\u200b\u2060", "\u202e"])
async def test_a_name_can_be_seen(database: Database, name: str) -> None:
    async with opened(database) as house:
        answer = await house.client.put(f"/api/sources/{ANNAS}", as_user(ANNA), {"name": name})

    assert (answer.status, "nothing to see" in answer.text) == (422, True)
