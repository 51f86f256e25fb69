"""Interests, votes and settings over HTTP: each reader's own, and what they change."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import pytest

from clawfeed.api.editions.interests import InterestsApi, interest_routes
from clawfeed.api.editions.reader_settings import ReaderSettingsApi, reader_settings_routes
from clawfeed.api.editions.votes import VotesApi, vote_routes
from clawfeed.api.http.application import build_application
from clawfeed.domain.editions.edition_scope import ReaderSettings
from clawfeed.domain.people.users import Scope
from clawfeed.storage.database import Database, execute
from clawfeed.storage.editions.edition_scopes import ReaderScopes
from clawfeed.storage.editions.interests import InterestStore, interests_of
from clawfeed.storage.readers.reader_settings import ReaderSettingsStore
from clawfeed.storage.readers.votes import VoteStore
from tests.support.api_callers import ANNA, BEN, NAME_TAGS, add_people, as_user
from tests.support.clocks import NOON, FakeClock
from tests.support.digests import an_edition
from tests.support.editions import Rows
from tests.support.published_digests import publish
from tests.support.socket_server import Client, served

USUAL = ReaderSettings(zone="Europe/Berlin")
RUST = {"kind": "word", "text": "rust", "weight": 2.0}
LOTTERY = {"kind": "muted", "text": "lottery", "weight": 1.0}


@asynccontextmanager
async def house(database: Database) -> AsyncIterator[Client]:
    await add_people(database)
    clock = FakeClock()
    routers = [
        interest_routes(InterestsApi(store=InterestStore(database), clock=clock)),
        vote_routes(VotesApi(store=VoteStore(database), clock=clock)),
        reader_settings_routes(
            ReaderSettingsApi(store=ReaderSettingsStore(database, USUAL), clock=clock)
        ),
    ]
    async with served(build_application("9.9", routers, NAME_TAGS)) as client:
        yield client


async def scope_name(database: Database, reader: int) -> str:
    return (await ReaderScopes(database, USUAL).scope(type(ANNA)(reader))).name


async def test_interests_are_one_list_and_ones_own(database: Database) -> None:
    """(S001-19): personal interests make a set of their own."""
    async with house(database) as client:
        before = await scope_name(database, ANNA)
        saved = await client.put("/api/interests", as_user(ANNA), {"interests": [RUST, LOTTERY]})
        hers = await client.get("/api/interests", as_user(ANNA))
        bens = await client.get("/api/interests", as_user(BEN))
        after = await scope_name(database, ANNA)
        shorter = await client.put("/api/interests", as_user(ANNA), {"interests": [LOTTERY]})

    assert saved.json() == hers.json() == {"interests": [RUST, LOTTERY]}
    assert bens.json() == {"interests": []}
    assert (before.startswith("set-"), after) == (True, f"reader-{ANNA}")
    assert shorter.json() == {"interests": [LOTTERY]}


@pytest.mark.parametrize(
    ("interests", "told"),
    [
        ([{**RUST, "weight": 3.5}], "weight"),
        ([{**RUST, "weight": -4}], "weight"),
        ([{**RUST, "kind": "wish"}], "kind"),
        ([{**RUST, "text": " "}], "text"),
        ([{**RUST, "text": "a\nb"}], "text"),
        ([{**RUST, "more": 1}], "more"),
        ([RUST, RUST], "twice"),
        ([{**RUST, "text": f"word {n}"} for n in range(201)], "too long; 200 at most"),
    ],
)
async def test_a_wrong_list_changes_nothing(
    database: Database, interests: list[dict[str, object]], told: str
) -> None:
    async with house(database) as client:
        await client.put("/api/interests", as_user(ANNA), {"interests": [LOTTERY]})
        wrong = await client.put("/api/interests", as_user(ANNA), {"interests": interests})
        left = await client.get("/api/interests", as_user(ANNA))

    assert wrong.status == 422
    assert told in wrong.json()["detail"]
    assert left.json() == {"interests": [LOTTERY]}


async def test_two_hundred_interests_fit(database: Database) -> None:
    many = [{**RUST, "text": f"word {n}"} for n in range(200)]
    async with house(database) as client:
        saved = await client.put("/api/interests", as_user(ANNA), {"interests": many})

    assert (saved.status, saved.json()) == (200, {"interests": many})


async def test_a_vote_is_for_a_story_one_could_read(database: Database) -> None:
    """(T13): and it makes the reader's editions their own."""
    async with house(database) as client:
        digest = await publish(database, an_edition())
        annas = await publish(database, an_edition(), scope="reader-2", readers=[ANNA])
        told, left_out, her_own = 1, 2, 4
        votes = [
            await client.post(
                "/api/votes", as_user(BEN), {"digest_id": d, "story_id": s, "vote": v}
            )
            for d, s, v in [
                (digest, told, 1),
                (digest, left_out, -1),
                (digest, told, -1),
                (annas, her_own, 1),
                (digest, her_own, 1),
            ]
        ]
        bens = (await client.get("/api/votes", as_user(BEN))).json()["votes"]
        annas_list = (await client.get("/api/votes", as_user(ANNA))).json()
        scope = await scope_name(database, BEN)
        wanted = await interests_of(database, BEN)

    assert [vote.status for vote in votes] == [201, 201, 201, 404, 404]
    assert votes[2].json()["id"] == votes[0].json()["id"]
    assert [(vote["headline"], vote["vote"]) for vote in bens] == [("A quiet day", -1), ("h", -1)]
    assert annas_list == {"votes": [], "next_cursor": None}
    assert scope == f"reader-{BEN}"
    assert [(vote.headline, vote.vote) for vote in wanted.votes] == [("A quiet day", -1), ("h", -1)]


async def test_what_another_scope_remembers_of_a_story_is_none_of_this_edition(
    database: Database,
) -> None:
    """Anna's scope inherited the telling; by its id nobody votes on everybody's edition."""
    async with house(database) as client:
        digest = await publish(database, an_edition())
        rows = Rows(database)
        copy = await rows.story("her own words for it", scope="reader-2")
        await rows.telling(copy, digest, "f", NOON.timestamp())
        body = {"digest_id": digest, "story_id": copy, "vote": 1}
        answer = await client.post("/api/votes", as_user(BEN), body)

    assert answer.status == 404


async def test_a_vote_is_taken_back_by_who_gave_it(database: Database) -> None:
    async with house(database) as client:
        digest = await publish(database, an_edition())
        body = {"digest_id": digest, "story_id": 1, "vote": 1}
        vote = (await client.post("/api/votes", as_user(BEN), body)).json()["id"]
        stolen = await client.delete(f"/api/votes/{vote}", as_user(ANNA))
        read_only = await client.delete(f"/api/votes/{vote}", as_user(BEN, Scope.READ))
        taken = await client.delete(f"/api/votes/{vote}", as_user(BEN))
        again = await client.delete(f"/api/votes/{vote}", as_user(BEN))

    assert [answer.status for answer in (stolen, read_only, taken, again)] == [404, 403, 204, 404]


@pytest.mark.parametrize("vote", [0, 2, "1", True, None])
async def test_a_vote_is_more_or_less_and_nothing_else(database: Database, vote: object) -> None:
    async with house(database) as client:
        digest = await publish(database, an_edition())
        body = {"digest_id": digest, "story_id": 1, "vote": vote}
        answer = await client.post("/api/votes", as_user(BEN), body)

    assert answer.status == 422


async def test_a_vote_outlives_its_story(database: Database) -> None:
    async with house(database) as client:
        digest = await publish(database, an_edition())
        body = {"digest_id": digest, "story_id": 1, "vote": 1}
        await client.post("/api/votes", as_user(BEN), body)
        await execute(database, "DELETE FROM stories WHERE id = 1", {})
        [left] = (await client.get("/api/votes", as_user(BEN))).json()["votes"]
        gone = await client.delete(f"/api/votes/{left['id']}", as_user(BEN))

    assert (left["story_id"], left["headline"], gone.status) == (None, "h", 204)


async def test_settings_are_the_houses_until_one_says_otherwise(database: Database) -> None:
    wanted = {"language": "zh", "edition_time": "21:05", "types": ["weekly", "4h", "4h"]}
    async with house(database) as client:
        usual = (await client.get("/api/reader-settings", as_user(ANNA))).json()
        saved = await client.put("/api/reader-settings", as_user(ANNA), wanted)
        kept = (await client.get("/api/reader-settings", as_user(ANNA))).json()
        partly = await client.put("/api/reader-settings", as_user(ANNA), {"zone": "Asia/Shanghai"})
        bens = (await client.get("/api/reader-settings", as_user(BEN))).json()

    assert (
        usual
        == bens
        == {
            "language": "en",
            "zone": "Europe/Berlin",
            "edition_time": "07:30",
            "types": ["daily", "weekly"],
            "next_edition_at": None,
        }
    )
    assert saved.json() == kept
    assert (kept["language"], kept["edition_time"]) == ("zh", "21:05")
    assert (kept["zone"], kept["types"]) == ("Europe/Berlin", ["4h", "weekly"])
    assert partly.json()["edition_time"] == "21:05"


@pytest.mark.parametrize(
    "wrong",
    [
        {"zone": "Mars/Olympus"},
        {"zone": "../../etc/passwd"},
        {"zone": ""},
        {"edition_time": "24:00"},
        {"edition_time": "7:30"},
        {"language": "tlh"},
        {"types": ["hourly"]},
        {"hour": 7},
    ],
)
async def test_wrong_settings_are_told_and_not_kept(
    database: Database, wrong: dict[str, object]
) -> None:
    async with house(database) as client:
        answer = await client.put("/api/reader-settings", as_user(ANNA), wrong)
        kept = (await client.get("/api/reader-settings", as_user(ANNA))).json()

    assert answer.status == 422
    assert next(iter(wrong)) in answer.json()["detail"]
    assert kept["edition_time"] == "07:30"


async def due(database: Database) -> dict[str, datetime]:
    rows = await database.read(
        "SELECT type, next_due_at FROM reader_editions WHERE user_id = :user", {"user": ANNA}
    )
    return {row["type"]: datetime.fromtimestamp(row["next_due_at"], UTC) for row in rows}


async def test_whoever_moves_their_hour_gets_no_second_edition_for_it(database: Database) -> None:
    """The next one comes at the new hour; what is new to them begins at once."""
    async with house(database) as client:
        tomorrow = NOON + timedelta(hours=18)
        await execute(
            database,
            "INSERT INTO reader_editions (user_id, type, next_due_at) VALUES (2, 'daily', :at)",
            {"at": tomorrow.timestamp()},
        )
        wanted = {"zone": "UTC", "edition_time": "15:00", "types": ["daily", "4h"]}
        await client.put("/api/reader-settings", as_user(ANNA), wanted)
        moved = await due(database)

    assert moved["daily"] == NOON.replace(hour=14, minute=50)
    assert moved["4h"] == NOON


async def test_wishes_are_asked_of_people_only(database: Database) -> None:
    async with house(database) as client:
        paths = ("/api/interests", "/api/votes", "/api/reader-settings")
        strangers = [(await client.get(path)).status for path in paths]
        readers = [
            (await client.put(path, as_user(ANNA, Scope.READ), {})).status
            for path in ("/api/interests", "/api/reader-settings")
        ]

    assert strangers == [401, 401, 401]
    assert readers == [403, 403]
