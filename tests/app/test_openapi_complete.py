"""The OpenAPI document tells the whole truth: no status comes that it does not name."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from clawfeed.auth.tokens import new_key
from clawfeed.domain.people.users import Scope
from clawfeed.storage.database import Database
from tests.app.test_every_route import annas_things
from tests.app.whole_server import Headers, WholeServer, whole_house
from tests.support.socket_server import Answer

Names = dict[str, Any]
GOOD: dict[str, object] = {
    "/api/sources": {"type": "rss", "config": {"url": "https://b.example/feed"}},
    "/api/packs": {"name": "Mine"},
    "/api/keys": {"name": "mine"},
    "/api/marks": {"url": "https://b.example/1", "title": "One"},
    "/api/users": {"email": "new@example.org"},
    "/api/subscriptions": {"source_ids": [1]},
    "/api/interests": {"interests": [{"kind": "word", "text": "rust", "weight": 2}]},
    "/api/channels": {"kind": "pigeon", "address": "loft 9", "secrets": {"token": "t"}},
    "/api/votes": {"digest_id": 1, "story_id": 1, "vote": 1},
    "/force-publish": {"date": "2026-11-15"},
    "/reset-task": {"date": "2026-11-15"},
}


async def provoked(house: WholeServer, method: str, path: str, at: str) -> AsyncIterator[Answer]:
    """Whatever can be had at one door, the wrong ways first."""
    anna, admin = house.as_("anna"), house.as_("admin", Scope.ADMIN)

    async def ask(who: Headers, body: object = None, query: str = "", **more: str) -> Answer:
        return await house.client.ask(method, f"{at}{query}", {**who, **more}, body)

    yield await ask({})
    yield await ask({"Authorization": f"Bearer {new_key().text}"})
    yield await ask(admin, query=f"?key={new_key().text}")
    yield await ask(admin, query="?limitt=1")
    yield await ask(admin, Origin="https://evil.example")
    yield await ask(house.as_("ben", Scope.READ), {})
    yield await ask(admin, b"a=b", **{"Content-Type": "application/x-www-form-urlencoded"})
    yield await ask(admin, b"{", **{"Content-Type": "application/json"})
    for who in (anna, admin):
        for body in ({}, GOOD.get(path, {})):
            first = await ask(who, None if method == "GET" else body)
            yield first
            yield await ask(who, **{"If-None-Match": first.headers.get("etag", '"x"')})
    for body in (GOOD.get(path, {}), GOOD.get(path, {}), {"another": 1}):
        yield await ask(admin, body, **{"Idempotency-Key": f"{method} {path}"})


@pytest.mark.slow
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)  # none differs
async def test_every_status_that_comes_is_in_the_document(
    database: Database, tmp_path: Path
) -> None:
    async with whole_house(database, tmp_path) as house:
        ids = await annas_things(house)
        document = (await house.client.get("/openapi.json")).json()
        untold: set[tuple[str, str, int]] = set()
        odd, seen = set(), set()
        operations = [
            (method, path, operation)
            for path, methods in document["paths"].items()
            for method, operation in methods.items()
        ]
        # What removes things comes last.
        for method, path, operation in sorted(operations, key=lambda each: each[0] == "delete"):
            at = path
            for name, value in {**ids, "session_id": 1, "key": "DEFAULT_PACK"}.items():
                at = at.replace(f"{{{name}}}", str(value))
            async for answer in provoked(house, method.upper(), path, at):
                seen.add(answer.status)
                if str(answer.status) not in operation["responses"]:
                    untold.add((method, path, answer.status))
                elif not fits(answer, operation["responses"][str(answer.status)]):
                    odd.add((method, path, answer.status, answer.content_type))

    assert untold == set()
    assert odd == set()
    assert seen >= {200, 201, 202, 204, 304, 400, 401, 403, 404, 409, 415, 422}


def fits(answer: Answer, told: Names) -> bool:
    """Whether the kind of body and the headers are those that are told."""
    kinds = told.get("content", {answer.content_type: None} if not answer.text else {})
    named = {name.lower() for name in told.get("headers", {})}
    ours = {"etag", "location", "retry-after", "www-authenticate", "idempotency-replayed"}
    given = ours & {name.lower() for name in answer.headers}
    return (answer.content_type in kinds or not answer.text) and given <= named


# Strangers come through these: there is nobody yet to remember a key for.
DOORS = {"login", "setup", "register", "logout"}


@pytest.mark.slow
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)  # none differs
async def test_what_a_client_may_send_is_in_the_document(
    database: Database, tmp_path: Path
) -> None:
    """`If-None-Match` where there is an ETag, `Idempotency-Key` on every POST but the doors'."""
    async with whole_house(database, tmp_path) as house:
        document = (await house.client.get("/openapi.json")).json()
    operations = {
        (method, path): operation
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if operation["security"]
    }

    def takes(operation: Names, header: str) -> bool:
        given = operation.get("parameters", [])
        return any((each["in"], each["name"]) == ("header", header) for each in given)

    def needs_key(method: str, path: str) -> bool:
        return method == "post" and path.removeprefix("/api/auth/") not in DOORS

    keyless = [k for k, o in operations.items() if needs_key(*k) != takes(o, "Idempotency-Key")]
    tagless = [
        key
        for key, operation in operations.items()
        if not (
            takes(operation, "If-None-Match")
            == ("304" in operation["responses"])
            == ("ETag" in operation["responses"].get("200", {}).get("headers", {}))
        )
    ]
    assert (keyless, tagless) == ([], [])
