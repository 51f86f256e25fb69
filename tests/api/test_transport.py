"""What every answer keeps to, whoever made it: HEAD, https for good, and no foreign redirects."""

from __future__ import annotations

from pathlib import Path

import pytest
from fastapi import Response

from clawfeed.api.http.application import build_application
from clawfeed.auth.authorization import Access, guarded_router, open_to
from clawfeed.storage.database import Database
from tests.app.whole_server import whole_house
from tests.support.api_callers import NAME_TAGS
from tests.support.socket_server import served

STS = "strict-transport-security"


@pytest.mark.slow
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)  # none differs
async def test_head_is_get_without_its_body_everywhere(database: Database, tmp_path: Path) -> None:
    """(RFC 9110, 9.3.2): the same status, the same headers."""
    async with whole_house(database, tmp_path) as house:
        differing, bodies = [], []
        for door in [door for door in house.doors if door.method == "GET"]:
            if "/auth/oidc/" in door.path or door.path == "/metrics":
                continue  # each answer is another
            headers = house.as_("admin")
            seen = await house.client.get(door.at(), headers)
            head = await house.client.ask("HEAD", door.at(), headers)
            if (seen.status, seen.headers.get("etag")) != (head.status, head.headers.get("etag")):
                differing.append((door.path, seen.status, head.status))
            bodies += [door.path] if head.text else []
        refused = await house.client.ask("HEAD", "/api/users")
        allowed = await house.client.ask("PATCH", "/api/sources", house.as_("admin"))

    assert (differing, bodies) == ([], [])
    assert (refused.status, refused.text) == (401, "")
    assert allowed.headers["allow"] == "GET, HEAD, POST"


@pytest.mark.parametrize("is_https", [True, False])
async def test_browsers_that_came_by_https_never_come_without(*, is_https: bool) -> None:
    router = guarded_router(tag="t")

    @router.get("/here")
    @open_to(Access.UNASKED)
    async def here() -> Response:
        return Response("ok")

    app = build_application("9", [router], NAME_TAGS, is_https=is_https)
    async with served(app) as client:
        answers = [await client.get(path) for path in ("/here", "/nowhere")]

    assert [each.headers.get(STS) for each in answers] == (
        ["max-age=63072000"] * 2 if is_https else [None] * 2
    )


@pytest.mark.slow
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)  # none differs
async def test_no_answer_repeats_the_host_that_was_asked_for(
    database: Database, tmp_path: Path
) -> None:
    """A cache, or a link in a mail, would take people to whoever wrote that header."""
    evil = {"Host": "evil.example", "X-Forwarded-Host": "evil.example"}
    async with whole_house(database, tmp_path) as house:
        repeated = []
        for door in house.doors:
            for path in (door.at(), f"{door.at()}/"):
                for headers in ({}, house.as_("admin")):
                    answer = await house.client.ask(door.method, path, {**evil, **headers})
                    if "evil.example" in f"{dict(answer.headers)} {answer.text}":
                        repeated.append((door.method, path))

    assert repeated == []
