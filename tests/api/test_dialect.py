"""One dialect for client authors: quotas, pages, problems and PUT mean the same everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest

from clawfeed.api.http.application import build_routes
from clawfeed.api.http.problems import ProblemType
from clawfeed.app.settings.config_loading import load_config
from clawfeed.app.wiring.fetching import opened_sources
from clawfeed.app.wiring.pages import site_of
from clawfeed.app.wiring.people import signing_in_of
from clawfeed.app.wiring.server import routers
from clawfeed.domain.errors import QuotaError
from clawfeed.domain.people.users import Scope
from clawfeed.storage.database import Database
from clawfeed.storage.people.sessions import MOST_SESSIONS, Sessions
from clawfeed.storage.sources.packs import MOST_PACKS, PackContent, PackStore
from clawfeed.storage.sources.sources import NewSource, SourceStore
from tests.api.source_server import opened
from tests.app.whole_server import whole_house
from tests.support.api_callers import ANNA, NAME_TAGS, add_people
from tests.support.clocks import NOON

pytestmark = pytest.mark.one_database

MANUAL = (Path(__file__).parents[2] / "docs" / "api.md").read_text(encoding="utf-8")
# Bounded by themselves: a selection (S001-13), and answers whose shape is the contract's.
NO_LISTS = {
    "/api/raw-items/for-digest", "/api/collector/status", "/api/sources/{source_id}",
    "/api/interests",  # one value, replaced as a whole
    "/api/channel-kinds",  # a table of ours
}  # fmt: skip


NUMBERS = (
    "source_id", "session_id", "key_id", "user_id", "mark_id", "digest_id", "story_id", "vote_id",
    "channel_id", "message_id", "token_id",
)  # fmt: skip


async def document_of(database: Database, folder: Path) -> dict[str, Any]:
    config = load_config({}, directory=folder)
    async with opened_sources(config, database) as tools:
        site = site_of(config, database)
        rooms = routers(config, database, tools, signing_in_of(config, database), site)
    return build_routes("9.9", rooms, NAME_TAGS).openapi()


def is_list(operation: dict[str, Any], document: dict[str, Any]) -> bool:
    """Whether the answer's first member is an array of things."""
    content = operation["responses"].get("200", {}).get("content", {})
    reference = content.get("application/json", {}).get("schema", {}).get("$ref", "")
    shape = document["components"]["schemas"].get(reference.rpartition("/")[2], {})
    members: list[dict[str, Any]] = list(shape.get("properties", {}).values())
    return bool(members) and members[0].get("type") == "array"


async def test_every_list_has_the_same_two_words(database: Database, tmp_path: Path) -> None:
    """(T26): `limit` and `cursor` in, `next_cursor` out; no list without an end."""
    document = await document_of(database, tmp_path)
    lists = {
        path: {each["name"] for each in methods["get"].get("parameters", [])}
        for path, methods in document["paths"].items()
        if "get" in methods and path not in NO_LISTS and is_list(methods["get"], document)
    }

    assert len(lists) == 21
    assert {path for path, names in lists.items() if not {"limit", "cursor"} <= names} == set()


@pytest.mark.slow
async def test_whatever_a_program_sends_wrongly_is_told(database: Database, tmp_path: Path) -> None:
    """(settled question 15): every list clamps, every route refuses what it does not know."""
    async with whole_house(database, tmp_path) as house:
        admin = house.as_("admin", Scope.ADMIN)
        document = (await house.client.get("/openapi.json")).json()
        clamped, ignored, forms = [], [], []
        for path, methods in document["paths"].items():
            at = path.replace("{slug}", "a").replace("{key}", "a")
            for name in NUMBERS:
                at = at.replace(f"{{{name}}}", "1")
            for method, operation in methods.items():
                if not operation["security"]:
                    continue
                unknown = await house.client.ask(method.upper(), f"{at}?limitt=5", admin)
                ignored += [path] if unknown.status != 422 else []
                names = {each["name"] for each in operation.get("parameters", [])}
                if "limit" in names:
                    far = await house.client.get(f"{at}?limit=1000000", admin)
                    clamped += [path] if far.status not in {200, 404} else []
                    twice = await house.client.get(f"{at}?limit=1&limit=2", admin)
                    ignored += [path] if twice.status != 422 else []
                if "requestBody" in operation:
                    form = {**admin, "Content-Type": "application/x-www-form-urlencoded"}
                    sent = await house.client.ask(method.upper(), at, form, b"a=b")
                    forms += [(path, sent.status)] if sent.status != 415 else []

    assert (clamped, ignored, forms) == ([], [], [])


async def test_a_generated_client_can_trust_the_document(
    database: Database, tmp_path: Path
) -> None:
    """Examples are valid, moments are moments, names are names, a 409 need not hold a source."""
    document = await document_of(database, tmp_path)
    schemas: dict[str, dict[str, Any]] = document["components"]["schemas"]
    wrong = [
        (name, mistake.message)
        for name, schema in schemas.items()
        if "example" in schema
        for mistake in validator(document, name).iter_errors(schema["example"])
    ]
    moments = {
        f"{name}.{member}": str(shape)
        for name, schema in schemas.items()
        for member, shape in schema.get("properties", {}).items()
        if member.endswith("_at") or member in {"at", "due_since"}
    }
    running = {"type": "urn:clawfeed:problem:still-running", "title": "Conflict", "status": 409}

    names = [each["operationId"] for path in document["paths"].values() for each in path.values()]

    assert wrong == []
    assert len(set(names)) == len(names)
    assert {"sources_add", "packs_add", "operations_due"} <= set(names)
    assert [name for name, shape in moments.items() if "date-time" not in shape] == []
    assert [name for name in schemas if "__" in name] == []
    assert validator(document, "ExistsSchema").is_valid({**running, "detail": "it still runs"})


def validator(document: dict[str, Any], name: str) -> jsonschema_rs.Validator:
    schema = {"$ref": f"#/components/schemas/{name}", "components": document["components"]}
    return jsonschema_rs.validator_for(schema)


@pytest.mark.parametrize(
    ("query", "detail"),
    [
        ("q=" + "x" * 201, "query.q: it is too long; 200 at most"),
        ("limit=many", "query.limit: it must be a whole number"),
        ("scope=mine", "query.scope: it must be 'all', 'public', 'own' or 'subscribed'"),
    ],
)
async def test_a_mistake_is_told_in_words_about_what_was_sent(
    database: Database, query: str, detail: str
) -> None:
    """Not about the framework's inside, "Value should have at most 200 items after validation"."""
    async with opened(database) as house:
        answer = await house.client.get(f"/api/sources?{query}")

    assert (answer.status, answer.json()["detail"]) == (422, detail)


async def test_the_manual_names_every_type_of_problem() -> None:
    told = {kind for kind in ProblemType if f"| `{kind}` |" in MANUAL}

    assert told == set(ProblemType)


@pytest.mark.slow
async def test_a_put_changes_only_what_is_sent(database: Database, tmp_path: Path) -> None:
    """A pack left without `is_public` became public and empty."""
    async with whole_house(database, tmp_path) as house:
        anna = house.as_("anna")
        source = {"type": "rss", "config": {"url": "https://a.example/feed"}}
        id_ = (await house.client.post("/api/sources", anna, source)).json()["id"]
        pack = {"name": "Mine", "is_public": False, "description": "d", "source_ids": [id_]}
        made = (await house.client.post("/api/packs", anna, pack)).json()
        before = (await house.client.get(f"/api/sources/{id_}", anna)).json()
        nothing = (await house.client.put("/api/packs/mine", anna, {})).json()
        renamed = (await house.client.put("/api/packs/mine", anna, {"name": "Ours"})).json()
        same = (await house.client.put(f"/api/sources/{id_}", anna, {})).json()

    made.pop("updated_at")
    nothing.pop("updated_at")
    renamed.pop("updated_at")
    assert nothing == made
    assert renamed == {**made, "name": "Ours"}
    assert same == before


async def test_nobody_has_more_packs_than_their_share(database: Database) -> None:
    """(T26)."""
    await add_people(database)
    packs = PackStore(database)
    for number in range(MOST_PACKS):
        await packs.add(ANNA, f"p{number}", PackContent(name="p"), now=NOON)

    with pytest.raises(QuotaError, match="100 packs at most"):
        await packs.add(ANNA, "more", PackContent(name="p"), now=NOON)
    first = await packs.list(ANNA, limit=60)
    rest = await packs.list(ANNA, after=first[-1].id, limit=60)
    assert (len(first), len(rest)) == (60, 40)


async def test_the_quietest_session_makes_room(database: Database) -> None:
    """(T26)."""
    await add_people(database)
    sessions = Sessions(database)
    made = [
        await sessions.add(ANNA, f"{n}".encode(), client="", now=NOON)
        for n in range(MOST_SESSIONS + 1)
    ]

    living = {each.id for each in await sessions.list(ANNA, now=NOON, limit=1_000)}
    assert living == set(made[1:])


async def test_a_wish_beyond_the_most_gets_the_most(database: Database) -> None:
    """(settled question 15)."""
    async with opened(database) as house:
        new = [
            NewSource(type="rss", name=f"{n}", config={"url": f"https://s{n}.example/"})
            for n in range(201)
        ]
        await SourceStore(database).add_many(new, now=NOON)
        answer = await house.client.get("/api/sources?limit=1000000")

    assert (answer.status, len(answer.json()["sources"])) == (200, 200)
    assert answer.json()["next_cursor"]
