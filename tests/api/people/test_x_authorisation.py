"""Letting ClawFeed read one's own X, over HTTP (S001-20): whose flow it is, what is never told."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from fastapi import Request

from clawfeed.api.http.application import RequestGuards, build_application
from clawfeed.api.people.x_authorisation import (
    XAuthorisationApi,
    XBegunSchema,
    XRevokedSchema,
    XStatusSchema,
    x_routes,
)
from clawfeed.auth.limits.action_rate_limits import x_beginnings
from clawfeed.domain.ids import SessionId
from clawfeed.domain.people.users import Caller
from clawfeed.storage.database import Database, execute
from clawfeed.web.sign_in.x_callback import XPages, x_callback_routes
from tests.sources.simulated_world import Stage, staged
from tests.sources.x.own_x import authorising, visit
from tests.support.api_callers import ANNA, BEN, EveryTimeAnew, NameTags, add_people, as_user
from tests.support.pages import a_site
from tests.support.socket_server import Answer, Client, served

HERE = "/api/x/authorisation"


class SessionTags(NameTags):
    """The same door; `X-Session` is the session that the person is signed in with."""

    async def recognise(self, request: Request) -> Caller | None:
        caller = await super().recognise(request)
        session = request.headers.get("x-session")
        if caller is None or session is None:
            return caller
        return replace(caller, session=SessionId(int(session)))


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    client: Client
    stage: Stage
    database: Database

    async def ask(self, method: str, path: str, user: int | None, session: int | None) -> Answer:
        headers = {**(as_user(user) if user else {}), **_session(session)}
        return await self.client.ask(method, path, headers)

    async def begin(self, user: int, session: int | None) -> str:
        begun = await self.ask("POST", HERE, user, session)
        XBegunSchema.model_validate(begun.json())
        assert begun.status == 201, begun.text
        return str(begun.json()["url"])

    async def way_back(self, url: str) -> str:
        """Our page that X sends a browser to, which was at *url*."""
        back = urlsplit(await visit(url))
        return f"{back.path}?{back.query}"

    async def status(self, user: int) -> str:
        answer = await self.ask("GET", HERE, user, None)
        XStatusSchema.model_validate(answer.json())
        return str(answer.json()["status"])


def _session(session: int | None) -> dict[str, str]:
    return {} if session is None else {"X-Session": str(session)}


@pytest.fixture
async def house(database: Database, tmp_path: Path) -> AsyncIterator[House]:
    """Anna is signed in twice (1, 2), Ben once (3)."""
    await add_people(database)
    for number, user in enumerate((ANNA, ANNA, BEN)):
        await execute(
            database,
            "INSERT INTO sessions (user_id, token_hash, created_at, last_seen_at, expires_at) "
            "VALUES (:user, :hash, 0, 0, 9e9)",
            {"user": user, "hash": bytes([number])},
        )
    async with staged(tmp_path) as stage:
        desk = authorising(database, stage)
        routes = [
            x_routes(XAuthorisationApi(authorising=desk, beginnings=x_beginnings(stage.clock))),
            x_callback_routes(XPages(site=a_site(database), authorising=desk)),
        ]
        guards = RequestGuards(door=SessionTags(), replays=EveryTimeAnew())
        async with served(build_application("9.9", routes, guards)) as client:
            yield House(client=client, stage=stage, database=database)


async def test_a_person_lets_us_in_looks_and_takes_it_back(house: House) -> None:
    """Nothing that opens X is in any answer, or in the audit log."""
    before = await house.status(ANNA)
    back = await house.way_back(await house.begin(ANNA, 1))
    arrived = await house.ask("GET", back, ANNA, 1)
    status = await house.ask("GET", HERE, ANNA, 1)
    [row] = await house.database.read("SELECT access_token, refresh_token FROM x_authorisations")
    reused = await house.ask("GET", back, ANNA, 1)
    of_ben = await house.status(BEN)
    revoked = await house.ask("DELETE", HERE, ANNA, 1)
    again = await house.ask("DELETE", HERE, ANNA, 1)
    audit = await house.database.read("SELECT user_id, action, detail FROM audit_log ORDER BY id")

    XRevokedSchema.model_validate(revoked.json())
    assert (before, of_ben) == ("none", "none")
    assert (arrived.status, "@demo_reader" in arrived.text) == (200, True)
    assert arrived.headers["Referrer-Policy"] == "no-referrer"
    assert (status.json()["status"], status.json()["handle"]) == ("active", "demo_reader")
    assert "bookmark.read" in status.json()["scopes"]
    assert (reused.status, "used before" in reused.text) == (403, True)
    assert revoked.json() == {"handle": "demo_reader", "revoked_at_x": True}
    assert again.status == 404
    assert [tuple(line) for line in audit] == [  # type: ignore[arg-type] # iterable on both
        (ANNA, "x_authorised", "@demo_reader"),
        (ANNA, "x_revoked", "@demo_reader"),
    ]
    shown = arrived.text + status.text + revoked.text
    assert row["access_token"] not in shown
    assert row["refresh_token"] not in shown


@pytest.mark.parametrize(
    ("begun_by", "finished_by", "is_done"),
    [
        ((ANNA, 1), (ANNA, 1), True),
        ((ANNA, None), (ANNA, 2), True),
        ((ANNA, 1), (ANNA, 2), False),
        ((ANNA, 1), (BEN, 3), False),
        ((ANNA, None), (BEN, 3), False),
        ((ANNA, 1), (ANNA, None), False),
        ((ANNA, 1), (None, None), False),
    ],
    ids=[
        "same session", "a key and a session", "another session", "another person",
        "another person's key", "with a key", "a stranger",
    ],
)  # fmt: skip
async def test_only_who_began_can_finish(
    house: House,
    begun_by: tuple[int, int | None],
    finished_by: tuple[int | None, int | None],
    is_done: bool,
) -> None:
    """Nobody's X ends up in somebody else's account, by whatever link they are sent."""
    back = await house.way_back(await house.begin(*begun_by))

    arrived = await house.ask("GET", back, *finished_by)

    assert (arrived.status == 200) is is_done
    assert [await house.status(user) for user in (ANNA, BEN)] == [
        "active" if is_done else "none", "none"
    ]  # fmt: skip


async def test_a_flow_that_is_old_denied_replaced_or_mixed_up_changes_nothing(
    house: House,
) -> None:
    replaced = await house.way_back(await house.begin(ANNA, 1))
    denied = await house.way_back(f"{await house.begin(ANNA, 1)}&deny=1")
    answers = [await house.ask("GET", back, ANNA, 1) for back in (replaced, denied)]
    stolen = await house.way_back(await house.begin(BEN, 3))
    own = await house.way_back(await house.begin(ANNA, 1))
    code = stolen.partition("code=")[2]
    mixed = own.partition("code=")[0] + f"code={code}"
    answers.append(await house.ask("GET", mixed, ANNA, 1))
    late = await house.begin(ANNA, 1)
    house.stage.clock.advance(timedelta(minutes=10))
    answers.append(await house.ask("GET", await house.way_back(late), ANNA, 1))

    assert [answer.status for answer in answers] == [403] * 4
    assert "was not allowed" in answers[1].text
    assert "did not take its own code" in answers[2].text
    assert await house.status(ANNA) == "none"
