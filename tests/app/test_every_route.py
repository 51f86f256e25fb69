"""Every route of the real application: who comes in, who does not, and what nobody else sees."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from clawfeed.auth.authorization import Access
from clawfeed.domain.ids import UserId
from clawfeed.domain.people.users import Scope
from clawfeed.storage.database import Database, execute
from clawfeed.storage.people.feed_tokens import FeedTokens
from tests.app.whole_server import Door, WholeServer, whole_house
from tests.support.clocks import NOON
from tests.support.digests import a_story, an_edition
from tests.support.hands import a_hand
from tests.support.published_digests import publish

# The only doors that open for strangers. Adding one is a decision, made here.
OPEN = {
    "GET /",
    "GET /api/digests",
    "GET /api/digests/latest",
    "GET /api/digests/{digest_id:number}",
    "GET /api/digests/{digest_id:number}/stories/{story_id}",
    "GET /api/packs",
    "GET /api/packs/{slug}",
    "GET /api/sources",
    "GET /api/sources/{source_id:number}",
    "GET /auth/oidc/{provider}/callback",
    "GET /auth/oidc/{provider}/start",
    "GET /auth/x/callback",
    "GET /digests",
    "GET /digests/{digest_id}",
    "GET /docs",
    "GET /favicon.ico",
    "GET /feed/{slug}.json",
    "GET /feed/{slug}.rss",
    "GET /healthz",
    "GET /login",
    "GET /metrics",
    "GET /readyz",
    "GET /setup/{token}",
    "GET /sources",
    "GET /sources/explore",
    "GET /sources/packs",
    "GET /sources/packs/{slug}",
    "GET /sources/{source_id}",
    "GET /static/{name}",
    "GET /stories/{story_id}",
    "GET /unsubscribe/{token}",
    "POST /api/auth/login",
    "POST /api/auth/logout",
    "POST /api/auth/register",
    "POST /api/auth/setup",
    "POST /login",
    "POST /logout",
    "POST /preferences",
    "POST /setup/{token}",
    "POST /unsubscribe/{token}",
}
# A mailbox posts there from wherever it is. No cookie and no key is looked at: the signed address
# is all it takes, and all it can do is to send less.
FROM_ANYWHERE = {"POST /unsubscribe/{token}"}
ADMINS = {
    "DELETE /api/config/{key}",
    "GET /api/alarms",
    "GET /api/audit",
    "GET /api/collector/status",
    "GET /api/config",
    "GET /api/editions",
    "GET /api/model/spend",
    "GET /api/outbox",
    "GET /api/scheduler/due",
    "GET /api/scheduler/stats",
    "GET /api/sources/faults",
    "GET /api/users",
    "GET /operations",
    "GET /operations/live",
    "GET /operations/alarms",
    "GET /operations/configuration",
    "GET /operations/editions",
    "GET /operations/editions/{task_id}",
    "GET /operations/outbox",
    "GET /operations/people",
    "GET /operations/people/{user_id}",
    "GET /sources/faults",
    "GET /task-status",
    "POST /api/outbox/{message_id:number}/drop",
    "POST /api/outbox/{message_id:number}/resend",
    "POST /api/sources/fix",
    "POST /api/users",
    "POST /force-publish",
    "POST /operations/configuration",
    "POST /operations/editions/reopen",
    "POST /operations/editions/today",
    "POST /operations/editions/{task_id}",
    "POST /operations/outbox/{message_id}",
    "POST /operations/people",
    "POST /operations/people/{user_id}",
    "POST /reopen-task",
    "POST /reset-task",
    "POST /retry-failed-tasks",
    "POST /sources/faults",
    "POST /trigger-export",
    "POST /trigger-export-sync",
    "PUT /api/config/{key}",
    "PUT /api/users/{user_id}",
}
CANARY = "canary-7f3a"


def names(doors: list[Door], *accesses: Access) -> set[str]:
    return {f"{door.method} {door.path}" for door in doors if door.access in accesses}


@pytest.mark.slow
async def test_every_door_is_shut_unless_this_list_says_otherwise(
    database: Database, tmp_path: Path
) -> None:
    """(T13): strangers get 401, people without the right 403; nothing is read before that."""
    async with whole_house(database, tmp_path) as house:
        shut = [d for d in house.doors if d.access not in {Access.EVERYONE, Access.UNASKED}]
        strangers = {await _status(house, door, {}) for door in shut}
        writing = [d for d in shut if d.access in {Access.WRITE, Access.ADMIN}]
        readers = {await _status(house, door, house.as_("ben", Scope.READ)) for door in writing}
        admins = [d for d in shut if d.access is Access.ADMIN]
        users = {await _status(house, door, house.as_("ben", Scope.ADMIN)) for door in admins}

    assert names(house.doors, Access.EVERYONE, Access.UNASKED) == OPEN
    assert names(house.doors, Access.ADMIN) == ADMINS
    assert (strangers, readers, users) == ({401}, {403}, {403})


async def _status(house: WholeServer, door: Door, headers: dict[str, str]) -> int:
    body = None if door.is_safe else b"{ this is not even JSON"
    return (await house.client.ask(door.method, door.at(), headers, body)).status


@pytest.mark.slow
async def test_what_a_foreign_page_sends_is_refused_at_every_door(
    database: Database, tmp_path: Path
) -> None:
    """(T12): by its Origin or by Sec-Fetch-Site, login and logout included, keys or not."""
    foreign = [{"Origin": "https://evil.example"}, {"Origin": "null"}]
    foreign.append({"Sec-Fetch-Site": "cross-site"})
    async with whole_house(database, tmp_path) as house:
        before = await dump(database)
        unsafe = [
            door
            for door in house.doors
            if not door.is_safe and f"{door.method} {door.path}" not in FROM_ANYWHERE
        ]
        statuses = {
            (await house.client.ask(door.method, door.at(), {**headers, **who}, {})).status
            for door in unsafe
            for headers in foreign
            for who in ({}, house.as_("anna"))
        }
        after = await dump(database)

    assert len(unsafe) > 25
    assert statuses == {403}
    assert before == after


@pytest.mark.slow
async def test_looking_changes_nothing(database: Database, tmp_path: Path) -> None:
    """(T12): no GET has an effect."""
    async with whole_house(database, tmp_path) as house:
        await annas_things(house)
        before = await dump(database)
        for door in house.doors:
            if door.is_safe and "/auth/oidc/" not in door.path:
                await house.client.get(door.at(slug="annas"), house.as_("anna"))
        after = await dump(database)

    assert before == after


@pytest.mark.slow
async def test_nothing_of_one_person_reaches_another(database: Database, tmp_path: Path) -> None:
    """(T13, T18): Ben, and the admin, knock at every door with all of Anna's ids."""
    async with whole_house(database, tmp_path) as house:
        ids = await annas_things(house)
        before = await dump(database, "annas")
        leaks = []
        for name in ("ben", "admin"):
            for door in house.doors:
                if name == "admin" and door.access is Access.ADMIN:
                    continue  # what an operator must see: names and states, no items
                answer = await house.client.ask(
                    door.method,
                    _searching(door.at(**ids)),
                    house.as_(name, Scope.ADMIN),
                    None if door.is_safe else body_for(door, ids),
                )
                if CANARY in answer.text or answer.status >= 500:
                    leaks.append((name, door.method, door.path, answer.status, answer.text[:200]))
        after = await dump(database, "annas")
        own = await house.client.get("/api/raw-items", house.as_("anna"))

    assert leaks == []
    assert before == after
    assert CANARY in own.text


async def annas_things(house: WholeServer) -> dict[str, object]:
    """One of everything, hers alone; each holds the canary."""
    anna = house.as_("anna", Scope.ADMIN)
    client = house.client
    config = {"url": f"https://{CANARY}.example/feed?token={CANARY}"}
    source = {"type": "rss", "name": f"{CANARY} source", "config": config}
    source_id = (await client.post("/api/sources", anna, source)).json()["id"]
    await client.post("/api/subscriptions", anna, {"source_ids": [source_id]})
    pack = {"name": CANARY, "slug": "annas", "is_public": False, "source_ids": [source_id]}
    assert (await client.post("/api/packs", anna, pack)).status == 201
    await execute(
        house.database,
        "INSERT INTO raw_items (source_id, title, content, fetched_at, dedup_key) "
        "VALUES (:source, :text, :text, :now, 'k')",
        {"source": source_id, "text": f"{CANARY} item", "now": NOON.timestamp()},
    )
    mark = await client.post("/api/marks", anna, {"raw_item_id": 1, "note": CANARY})
    assert mark.status == 201, mark.text
    canary = replace(an_edition(a_story(CANARY)), title=CANARY)
    digest_id = await publish(house.database, canary, scope="reader-2", readers=[2])
    [story] = (await client.get(f"/api/digests/{digest_id}", anna)).json()["stories"]
    vote = {"digest_id": digest_id, "story_id": story["story_id"], "vote": 1}
    vote_id = (await client.post("/api/votes", anna, vote)).json()["id"]
    wanted = {"interests": [{"kind": "word", "text": CANARY}]}
    assert (await client.put("/api/interests", anna, wanted)).status == 200
    channel = {"kind": "pigeon", "address": f"loft {CANARY}", "secrets": {"token": CANARY}}
    channel_id = (await client.post("/api/channels", anna, channel)).json()["id"]
    await execute(house.database, "UPDATE api_keys SET name = :name WHERE id = 4", {"name": CANARY})
    await FeedTokens(house.database).add(UserId(2), b"anna", a_hand())
    return {
        "source_id": source_id,
        "slug": "annas",
        "mark_id": mark.json()["id"],
        "digest_id": digest_id,
        "story_id": story["story_id"],
        "vote_id": vote_id,
        "token_id": 1,
        "channel_id": channel_id,
        "key_id": 4,  # the first of hers; the admin has three
        "user_id": 2,
    }


def _searching(path: str) -> str:
    return f"{path}?q={CANARY}&source_id=1" if path == "/api/raw-items" else path


def body_for(door: Door, ids: dict[str, object]) -> dict[str, object]:
    """What would do harm, if it were let in."""
    bodies: dict[str, dict[str, object]] = {
        "/api/subscriptions": {"source_ids": [ids["source_id"]]},
        "/api/marks": {"raw_item_id": 1},
        "/api/packs": {"name": "Mine", "source_ids": [ids["source_id"]]},
        "/api/votes": {"digest_id": ids["digest_id"], "story_id": ids["story_id"], "vote": 1},
        "/api/packs/{slug}": {"name": "Taken"},
        "/api/channels/{channel_id}": {"name": "Taken", "address": "loft 1"},
        "/api/sources/{source_id:number}": {"name": "Taken", "is_public": True},
    }
    return bodies.get(door.path, {})


TABLES = {
    "annas": "SELECT name, config, is_public, is_active, is_deleted FROM sources WHERE id = 1",
    "packs": "SELECT name, is_public FROM source_packs WHERE slug = 'annas'",
    "votes": "SELECT headline, vote FROM story_votes WHERE user_id = 2",
    "interests": "SELECT text, weight FROM interests WHERE user_id = 2",
    "marks": "SELECT url, note, status FROM marks WHERE user_id = 2",
    "keys": "SELECT name, revoked_at FROM api_keys WHERE user_id = 2",
    "feeds": "SELECT id FROM feed_tokens WHERE user_id = 2",
    "channels": "SELECT name, address, state, updated_at FROM channels WHERE owner_id = 2",
    "follows": "SELECT source_id FROM user_subscriptions WHERE user_id = 2",
}
ALL = (
    "sources", "source_packs", "marks", "user_subscriptions", "config", "sessions", "users",
    "channels", "channel_secrets",
)  # fmt: skip


async def dump(database: Database, what: str = "all") -> list[list[tuple[object, ...]]]:
    """The rows that matter, as values; *annas* are those that are hers."""
    queries = [f"SELECT count(*) AS n FROM {table}" for table in ALL]
    if what == "annas":
        queries = list(TABLES.values())
    found = [await database.read(query) for query in queries]
    return [[_values(row) for row in rows] for rows in found]


def _values(row: object) -> tuple[object, ...]:
    return tuple(row.values()) if hasattr(row, "values") else tuple(row)  # type: ignore[arg-type]
