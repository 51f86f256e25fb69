"""Subscriptions, packs and marks over HTTP: each person's own, and nobody else's."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from clawfeed.api.http.application import build_application
from clawfeed.api.items.marks import MarksApi, mark_routes
from clawfeed.api.operations.admin_config import ConfigurationApi, configuration_routes
from clawfeed.api.sources.packs import PacksApi, pack_routes
from clawfeed.api.sources.subscriptions import SubscriptionsApi, subscription_routes
from clawfeed.domain.ids import UserId
from clawfeed.domain.people.users import Scope
from clawfeed.storage.database import Database, execute
from clawfeed.storage.operations.runtime_settings import LiveSettings
from clawfeed.storage.readers.marks import MarkStore
from clawfeed.storage.sources.packs import PackStore
from clawfeed.storage.sources.sources import NewSource, SourceStore
from clawfeed.storage.sources.subscriptions import SubscriptionStore
from tests.support.api_callers import ADMIN, ANNA, BEN, NAME_TAGS, add_people, as_user
from tests.support.clocks import NOON, FakeClock
from tests.support.socket_server import Client, served

PUBLIC, OTHER, ANNAS = 1, 2, 3


@asynccontextmanager
async def house(database: Database) -> AsyncIterator[Client]:
    """Three people, two public sources and one that is Anna's alone."""
    await add_people(database)
    await follow_up(database, "Public", None)
    await follow_up(database, "Other", None)
    await follow_up(database, "Anna's", ANNA)
    clock = FakeClock()
    packs = PackStore(database)
    routers = [
        subscription_routes(SubscriptionsApi(store=SubscriptionStore(database), clock=clock)),
        pack_routes(PacksApi(store=packs, clock=clock)),
        mark_routes(MarksApi(store=MarkStore(database), clock=clock)),
        configuration_routes(ConfigurationApi(settings=LiveSettings(database), clock=clock)),
    ]
    async with served(build_application("9.9", routers, NAME_TAGS)) as client:
        yield client


async def follow_up(database: Database, name: str, owner: UserId | None) -> None:
    new = NewSource(
        type="rss",
        name=name,
        config={"url": f"https://{name}.example"},
        is_public=owner is None,
        created_by=owner,
    )
    await SourceStore(database).add(new, now=NOON)


async def an_item(database: Database, source: int, url: str | None) -> None:
    await execute(
        database,
        "INSERT INTO raw_items (source_id, title, url, fetched_at, dedup_key) "
        "VALUES (:source, 'An item', :url, :now, :key)",
        {"source": source, "url": url, "now": NOON.timestamp(), "key": f"{source}:{url}"},
    )


def followed(answer: object) -> list[int]:
    assert isinstance(answer, dict)
    return [each["source_id"] for each in answer["subscriptions"]]


async def test_people_follow_public_sources_and_their_own(database: Database) -> None:
    """(S001-15)."""
    async with house(database) as client:
        anna = await client.post(
            "/api/subscriptions", as_user(ANNA), {"source_ids": [PUBLIC, ANNAS]}
        )
        again = await client.post("/api/subscriptions", as_user(ANNA), {"source_ids": [PUBLIC]})
        ben = await client.post("/api/subscriptions", as_user(BEN), {"source_ids": [OTHER, ANNAS]})
        lists = [(await client.get("/api/subscriptions", as_user(n))).json() for n in (ANNA, BEN)]

    assert anna.json() == {"subscribed": 2, "unsubscribed": 0}
    assert again.json() == {"subscribed": 0, "unsubscribed": 0}
    # All or nothing, and a foreign private source is as unknown as one that never was (T18).
    assert (ben.status, ben.json()["detail"]) == (404, "there is no source 3")
    assert [followed(each) for each in lists] == [[PUBLIC, ANNAS], []]


async def test_many_are_followed_and_left_at_once(database: Database) -> None:
    async with house(database) as client:
        await client.post("/api/subscriptions", as_user(BEN), {"source_ids": [PUBLIC]})
        both = await client.post(
            "/api/subscriptions", as_user(BEN), {"source_ids": [OTHER], "unsubscribe": [PUBLIC]}
        )
        left = await client.delete(f"/api/subscriptions/{OTHER}", as_user(BEN))
        left_again = await client.delete(f"/api/subscriptions/{OTHER}", as_user(BEN))

    assert both.json() == {"subscribed": 1, "unsubscribed": 1}
    assert (left.status, left_again.status) == (204, 404)


async def test_a_list_that_did_not_change_is_not_sent_again(database: Database) -> None:
    async with house(database) as client:
        first = await client.get("/api/subscriptions", as_user(BEN))
        tag = {"If-None-Match": first.headers["etag"]}
        same = await client.get("/api/subscriptions", {**as_user(BEN), **tag})
        await client.post("/api/subscriptions", as_user(BEN), {"source_ids": [PUBLIC]})
        changed = await client.get("/api/subscriptions", {**as_user(BEN), **tag})

    assert (same.status, same.text) == (304, "")
    assert (changed.status, followed(changed.json())) == (200, [PUBLIC])


async def test_a_pack_is_made_shared_by_its_slug_and_installed(database: Database) -> None:
    pack = {"name": "Two I read", "source_ids": [OTHER, PUBLIC]}
    async with house(database) as client:
        made = await client.post("/api/packs", as_user(ANNA), pack)
        shared = await client.get("/api/packs/two-i-read")
        installed = await client.post("/api/packs/two-i-read/install", as_user(BEN))
        mine = await client.get("/api/subscriptions", as_user(BEN))

    assert (made.status, made.headers["location"]) == (201, "/api/packs/two-i-read")
    assert [source["id"] for source in shared.json()["sources"]] == [OTHER, PUBLIC]
    assert installed.json() == {"subscribed": 2}
    assert followed(mine.json()) == [PUBLIC, OTHER]


async def test_a_private_source_never_travels_in_a_public_pack(database: Database) -> None:
    """(T18)."""
    pack = {"name": "Leaky", "source_ids": [PUBLIC, ANNAS]}
    async with house(database) as client:
        public = await client.post("/api/packs", as_user(ANNA), pack)
        private = await client.post("/api/packs", as_user(ANNA), {**pack, "is_public": False})
        seen = [await client.get("/api/packs/leaky", as_user(n)) for n in (ANNA, BEN, ADMIN)]
        listed = await client.get("/api/packs", as_user(BEN))
        installed = await client.post("/api/packs/leaky/install", as_user(BEN))

    assert (public.status, public.json()["detail"]) == (404, "there is no public source 3")
    assert private.status == 201
    assert [answer.status for answer in seen] == [200, 404, 404]
    assert listed.json() == {"packs": [], "next_cursor": None}
    assert installed.status == 404


async def test_only_its_owner_and_admins_change_a_pack(database: Database) -> None:
    change = {"name": "Mine now", "source_ids": []}
    async with house(database) as client:
        await client.post("/api/packs", as_user(ANNA), {"name": "Hers"})
        taken = await client.post("/api/packs", as_user(BEN), {"name": "Hers"})
        ben = [
            await client.put("/api/packs/hers", as_user(BEN), change),
            await client.delete("/api/packs/hers", as_user(BEN)),
        ]
        anna = await client.put("/api/packs/hers", as_user(ANNA), {"name": "Ours"})
        admin = await client.delete("/api/packs/hers", as_user(ADMIN))

    assert taken.status == 409
    assert [answer.status for answer in ben] == [403, 403]
    assert (anna.status, anna.json()["name"], anna.json()["is_own"]) == (200, "Ours", True)
    assert admin.status == 204


@pytest.mark.parametrize(
    ("body", "detail"),
    [
        (b"{", "the body is not valid JSON"),
        (b'{"url": "https://a.example/"}', "body: an address needs a title"),
    ],
)
async def test_a_wrong_body_is_told_in_our_words(
    database: Database, body: bytes, detail: str
) -> None:
    async with house(database) as client:
        headers = {**as_user(BEN), "Content-Type": "application/json"}
        answer = await client.post("/api/marks", headers, body)

    assert (answer.status, answer.json()["detail"]) == (422, detail)


async def test_marks_are_the_readers_own(database: Database) -> None:
    async with house(database) as client:
        await an_item(database, PUBLIC, "https://a.example/1")
        await an_item(database, ANNAS, None)
        ben = await client.post("/api/marks", as_user(BEN), {"raw_item_id": 1, "note": "good"})
        foreign = await client.post("/api/marks", as_user(BEN), {"raw_item_id": 2})
        anna = await client.post("/api/marks", as_user(ANNA), {"raw_item_id": 2})
        again = await client.post(
            "/api/marks", as_user(BEN), {"raw_item_id": 1, "status": "liked", "note": "very"}
        )
        stolen = await client.delete(f"/api/marks/{anna.json()['id']}", as_user(BEN))
        mine = (await client.get("/api/marks?status=liked", as_user(BEN))).json()

    assert (ben.status, ben.json()["url"]) == (201, "https://a.example/1")
    assert foreign.status == 404
    assert anna.json()["url"] == "urn:clawfeed:item:2"
    assert again.json()["id"] == ben.json()["id"]
    assert stolen.status == 404
    assert [(each["status"], each["note"]) for each in mine["marks"]] == [("liked", "very")]


async def test_marks_are_paged_by_a_cursor(database: Database) -> None:
    async with house(database) as client:
        for number in range(5):
            mark = {"url": f"https://a.example/{number}", "title": str(number)}
            await client.post("/api/marks", as_user(BEN), mark)
        titles: list[str] = []
        cursor = ""
        while True:
            page = (await client.get(f"/api/marks?limit=2&cursor={cursor}", as_user(BEN))).json()
            titles += [each["title"] for each in page["marks"]]
            cursor = page["next_cursor"]
            if cursor is None:
                break

    assert titles == ["4", "3", "2", "1", "0"]


@pytest.mark.parametrize(
    "mark",
    [
        {},
        {"url": "https://a.example"},
        {"url": "javascript:alert(1)", "title": "x"},
        {"url": "https://a.example", "title": "x", "raw_item_id": 1},
        {"url": "https://a.example", "title": "x\x00y"},
        {"url": "https://a.example", "title": "x", "user_id": 1},
        {"url": "https://a.example", "title": "x", "status": "forgotten"},
        {"raw_item_id": 2**64},
    ],
)
async def test_a_mark_that_makes_no_sense_is_refused_by_name(
    database: Database, mark: dict[str, object]
) -> None:
    """(T13): fields nobody asked for are refused too."""
    async with house(database) as client:
        answer = await client.post("/api/marks", as_user(BEN), mark)

    assert answer.status == 422
    assert answer.content_type == "application/problem+json"


async def test_nobody_follows_and_leaves_a_source_at_once(database: Database) -> None:
    async with house(database) as client:
        both = {"source_ids": [PUBLIC], "unsubscribe": [PUBLIC]}
        answer = await client.post("/api/subscriptions", as_user(BEN), both)

    assert answer.status == 422
    assert f"source {PUBLIC} is in source_ids and in unsubscribe" in answer.json()["detail"]


async def test_an_admin_sets_intervals_and_the_default_pack(database: Database) -> None:
    """(S000-2): a row in the `config` table."""
    async with house(database) as client:
        await client.post("/api/packs", as_user(ANNA), {"name": "Start", "source_ids": [PUBLIC]})
        answers = [
            await client.put(f"/api/config/{key}", as_user(ADMIN), {"value": value})
            for key, value in (
                ("fetch_interval_rss", "60"),
                ("DEFAULT_PACK", "start"),
                ("FETCH_INTERVAL_RSS", "soon"),
                ("DEFAULT_PACK", "nowhere"),
                ("forecast_price", "1"),
                ("FETCH_INTERVAL_V2", "9"),  # a plug-in may be called so
            )
        ]
        await client.delete("/api/config/FETCH_INTERVAL_V2", as_user(ADMIN))
        user = await client.get("/api/config", as_user(ANNA))
        read_only = await client.put(
            "/api/config/DEFAULT_PACK", as_user(ADMIN, Scope.WRITE), {"value": "start"}
        )
        shown = (await client.get("/api/config", as_user(ADMIN))).json()
        gone = await client.delete("/api/config/DEFAULT_PACK", as_user(ADMIN))

    assert [answer.status for answer in answers] == [200, 200, 422, 404, 422, 200]
    assert (user.status, read_only.status, gone.status) == (403, 403, 204)
    assert answers[1].json() == shown  # all that is set, as the list has it
    assert shown == {"config": {"DEFAULT_PACK": "start", "FETCH_INTERVAL_RSS": "60"}}
