"""Editions for operators over HTTP: triggered, looked at, taken in hand (S002-14, S002-16)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest

from clawfeed.api.editions.editions import EditionsApi, edition_routes
from clawfeed.api.http.application import build_application
from clawfeed.digest.edition_admin import EditionAdmin
from clawfeed.digest.edition_config import EditionConfig
from clawfeed.digest.triggers.triggers import EditionTriggers
from clawfeed.domain.people.users import Scope
from clawfeed.storage.audit import AuditLog
from clawfeed.storage.database import Database
from clawfeed.storage.editions.editions import EditionStore
from tests.support.api_callers import ADMIN, ANNA, NAME_TAGS, add_people, as_user
from tests.support.clocks import NOON, FakeClock
from tests.support.edition_driving import Lists, Words, driver_of
from tests.support.items import add_item, add_source
from tests.support.socket_server import Client, served

TODAY = "2026-11-15"
KEY = as_user(ADMIN)
DATE = {"date": TODAY}
ASKED = [
    ("POST", "/trigger-export-sync"),
    ("POST", "/trigger-export"),
    ("GET", "/task-status"),
    ("POST", "/retry-failed-tasks"),
    ("POST", "/force-publish"),
    ("POST", "/reset-task"),
    ("POST", "/reopen-task"),
    ("GET", "/api/editions"),
]


class House:
    """The endpoints, and the triggers that would come in another process."""

    def __init__(self, client: Client, triggers: EditionTriggers, clock: FakeClock) -> None:
        self.client, self.triggers, self.clock = client, triggers, clock

    async def status(self, date: str = TODAY) -> dict[str, object]:
        answer = await self.client.get(f"/task-status?date={date}", KEY)
        assert answer.status == 200, answer.text
        found: dict[str, object] = answer.json()
        return found

    async def until(self, state: str) -> None:
        """Trigger after trigger."""
        for _ in range(20):
            await self.triggers.trigger()
            if (await self.status())["state"] == state:
                return
        raise AssertionError(f"it did not become {state}")


@asynccontextmanager
async def house(
    database: Database,
    *,
    words: Words | None = None,
    lists: Lists | None = None,
    max_retries: int = 0,
) -> AsyncIterator[House]:
    """One that has collected something; thirty stories by six every ten minutes."""
    await add_people(database)
    await add_item(database, await add_source(database, "a"), "first", at=NOON)
    clock = FakeClock()
    config = EditionConfig(batch_size=6, max_retries=max_retries, interval=timedelta(minutes=10))
    driver = driver_of(database, words=words, lists=lists, clock=clock, max_retries=max_retries)
    triggers = EditionTriggers(database, driver, config, clock, lambda _: False)
    api = EditionsApi(
        admin=EditionAdmin(database, driver, triggers, config, clock),
        store=EditionStore(database),
        clock=clock,
    )
    async with served(build_application("9.9", edition_routes(api), NAME_TAGS)) as client:
        yield House(client, triggers, clock)


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)  # none differs
@pytest.mark.parametrize(("method", "path"), ASKED)
async def test_they_are_for_the_key_and_for_admins(
    database: Database, method: str, path: str
) -> None:
    """(S002-16): strangers get 401, people who are no admins 403, and nothing is begun."""
    async with house(database) as server:
        body = None if method == "GET" else DATE
        answers = [
            await server.client.ask(method, path, headers, body)
            for headers in ({}, as_user(ANNA), as_user(ADMIN, Scope.WRITE))
        ]

    assert [answer.status for answer in answers] == [401, 403, 403]
    assert await EditionStore(database).recent(limit=9) == []


async def test_sync_goes_from_where_it_stands_to_the_end_and_answers_with_the_result(
    database: Database,
) -> None:
    """(S002-14): though two triggers had begun it; a second time it is published already."""
    async with house(database, lists=Lists(stories=30)) as server:
        await server.triggers.trigger()
        await server.triggers.trigger()
        halfway = await server.status()
        answer = await server.client.post("/trigger-export-sync", KEY)
        again = await server.client.post("/trigger-export-sync", KEY, DATE)

    done = answer.json()
    assert (halfway["state"], answer.status, done["state"]) == ("processing", 200, "published")
    assert done["published_at"] == "2026-11-15T12:00:00Z"
    assert done["articles"] == {"pending": 0, "processing": 0, "completed": 30, "failed": 0}
    assert done["digest_id"]
    assert (again.status, again.json()) == (200, done)


async def test_asynchronous_answers_at_once_and_the_triggers_finish_it(database: Database) -> None:
    """(S002-14)."""
    async with house(database) as server:
        answer = await server.client.post("/trigger-export", KEY, {})
        states: list[object] = []
        while not states or states[-1] != "published":
            await server.triggers.trigger()
            states.append((await server.status())["state"])

    assert (answer.status, answer.json()["state"]) == (202, "init")
    assert states == ["list_fetched", "processing", "aggregating", "published"]


async def test_a_trigger_over_http_has_its_line_in_the_audit_log(database: Database) -> None:
    """(S002-14): once, with who it was; what is there already, or over, is begun by nobody."""
    async with house(database) as server:
        for path in ("/trigger-export", "/trigger-export-sync") * 2:
            await server.client.post(path, KEY)
    events = await AuditLog(database).list(limit=9)

    assert [(event.action, event.detail, event.user_id) for event in events] == [
        ("edition_moved", f"trigger the daily edition {TODAY} of system", ADMIN),
        ("edition_moved", f"begin the daily edition {TODAY} of system", ADMIN),
    ]
    assert {event.client.split()[0] for event in events} == {"127.0.0.1"}


async def test_the_status_has_the_state_the_counts_the_plan_and_a_row_per_batch(
    database: Database,
) -> None:
    """(S002-11, S002-16): thirty by six every ten minutes are five batches and fifty minutes."""
    words = Words(faults={f"t{number}": 9 for number in (2, *range(7, 13))})
    async with house(database, lists=Lists(stories=30), words=words) as server:
        for _ in range(4):
            await server.triggers.trigger()
        found = (await server.client.get("/task-status", KEY)).json()

    assert (found["date"], found["state"], found["batch_index"]) == (TODAY, "processing", 3)
    assert found["plan"] == {"batches": 5, "minutes": 50}
    assert found["articles"] == {"pending": 12, "processing": 0, "completed": 11, "failed": 7}
    assert [(each["articles"], each["outcome"]) for each in found["batches"]] == [
        (6, "partial"),
        (6, "failed"),
        (6, "success"),
    ]
    assert {each["duration_seconds"] for each in found["batches"]} == {0.0}
    assert (found["published_at"], found["alarmed_at"], found["last_error"]) == (None, None, None)


async def test_what_went_wrong_and_that_it_rang_are_in_the_status(database: Database) -> None:
    """(S002-12, S002-15, S002-16)."""
    async with house(database, lists=Lists(fault=ValueError("secret text"))) as server:
        await server.triggers.trigger()
        failed = await server.status()
        server.clock.advance(timedelta(hours=2, minutes=1))
        await server.triggers.trigger()
        late = await server.status()

    said = failed["state"], failed["last_error_code"], failed["last_error"]
    assert said == ("init", "our_bug", "ValueError")
    assert late["alarmed_at"] == "2026-11-15T14:01:00Z"
    assert (late["last_error_code"], late["last_error"]) == (None, None)


async def test_failed_articles_are_retried_and_the_rest_is_published_by_force(
    database: Database,
) -> None:
    """(S002-16): each with its line in the audit log, with the one who did it."""
    words = Words(faults={"t1": 1, "t2": 2})
    async with house(database, words=words) as server:
        for _ in range(3):
            await server.triggers.trigger()
        before = await server.status()
        retried = await server.client.post(
            "/retry-failed-tasks", KEY, {"date": TODAY, "maxRetries": 0}
        )
        forced = await server.client.post("/force-publish", KEY, DATE)
        done = await server.client.post("/trigger-export-sync", KEY, DATE)
    events = await AuditLog(database).list(limit=9)

    assert (before["state"], before["articles"]) == (
        "aggregating",
        {"pending": 0, "processing": 0, "completed": 1, "failed": 2},
    )
    assert (retried.status, retried.json()["articles"]["pending"]) == (200, 2)
    assert (forced.status, forced.json()["state"]) == (200, "aggregating")
    assert done.json()["state"] == "published"
    assert [(event.action, event.detail, event.user_id) for event in events] == [
        ("edition_moved", f"trigger the daily edition {TODAY} of system", ADMIN),
        ("edition_moved", f"force_publish the daily edition {TODAY} of system", ADMIN),
        ("edition_moved", f"retry_failed the daily edition {TODAY} of system", ADMIN),
    ]


@pytest.mark.parametrize(("retries", "tries"), [({"maxRetries": 0}, 1), ({}, 3)])
async def test_as_many_tries_as_were_asked_for(
    database: Database, retries: dict[str, int], tries: int
) -> None:
    """(S002-16): `MAX_RETRY_COUNT` more if nothing was said."""
    words = Words(faults={"t1": 99})
    async with house(database, words=words, max_retries=2) as server:
        await server.until("aggregating")
        before = words.begun.count("t1")
        await server.client.post("/retry-failed-tasks", KEY, DATE | retries)
        await server.until("published")

    assert words.begun.count("t1") - before == tries


async def test_a_reset_begins_anew_and_an_archived_one_is_reopened(database: Database) -> None:
    """(S002-13, S002-16)."""
    async with house(database) as server:
        await server.triggers.trigger()
        await server.triggers.trigger()
        reset = await server.client.post("/reset-task", KEY, DATE)
        await server.triggers.trigger()
        server.clock.advance(timedelta(days=1))
        await server.triggers.trigger()
        archived = await server.status()
        reopened = await server.client.post("/reopen-task", KEY, DATE)

    assert (reset.status, reset.json()["state"], reset.json()["batches"]) == (200, "init", [])
    assert (archived["state"], archived["archived_from"]) == ("archived", "list_fetched")
    assert (reopened.status, reopened.json()["state"]) == (200, "list_fetched")


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)  # none differs
@pytest.mark.parametrize(
    ("path", "body", "status", "detail"),
    [
        ("/reset-task", {}, 422, "body.date: it is missing"),
        ("/reset-task", {"date": "15.11."}, 422, "write it like 2026-11-15"),
        ("/reset-task", {"date": "2026-11-31"}, 422, "write it like 2026-11-15"),
        ("/reset-task", {"date": "2026-11-14"}, 404, "no edition of 2026-11-14 was begun"),
        ("/reopen-task", DATE, 422, "only an archived one can be reopened"),
        ("/force-publish", DATE, 422, "nothing is completed yet"),
        ("/retry-failed-tasks", DATE, 422, "none of its articles has failed yet"),
        ("/retry-failed-tasks", DATE | {"maxRetries": "3"}, 422, "it must be a whole number"),
        ("/retry-failed-tasks", DATE | {"maxRetries": -1}, 422, "it must be 0 or more"),
        ("/trigger-export", {"date": "soon"}, 422, "write it like 2026-11-15"),
        ("/trigger-export-sync", {"date": "2026-11-14"}, 404, "no edition of 2026-11-14"),
    ],
)
async def test_a_mistake_is_one_sentence_with_the_way_out(
    database: Database, path: str, body: dict[str, object], status: int, detail: str
) -> None:
    """(S002-16): and nothing of it is in the audit log."""
    async with house(database) as server:
        await server.triggers.plan_system()
        answer = await server.client.post(path, KEY, body)

    assert (answer.status, answer.content_type) == (status, "application/problem+json")
    assert detail in answer.json()["detail"]
    assert await AuditLog(database).list(limit=9) == []


async def test_a_date_in_an_address_is_read_with_care(database: Database) -> None:
    async with house(database) as server:
        wrong = await server.client.get("/task-status?date=today", KEY)
        unknown = await server.client.get("/task-status", KEY)

    assert (wrong.status, unknown.status) == (422, 404)
    assert "'today' is not the name of a daily edition" in wrong.json()["detail"]
    assert unknown.json()["detail"] == f"no edition of {TODAY} was begun"


async def test_operators_see_every_edition_page_by_page(database: Database) -> None:
    async with house(database) as server:
        for _ in range(3):
            await server.triggers.trigger()
            server.clock.advance(timedelta(days=1))
        first = (await server.client.get("/api/editions?limit=2", KEY)).json()
        rest = await server.client.get(f"/api/editions?limit=2&cursor={first['next_cursor']}", KEY)

    dates = [each["date"] for each in first["editions"] + rest.json()["editions"]]
    assert dates == ["2026-11-17", "2026-11-16", TODAY]
    assert rest.json()["next_cursor"] is None
    assert rest.json()["editions"][0]["state"] == "archived"
