"""The outbox over HTTP, for operators."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from clawfeed.api.channels.outbox import OutboxApi, outbox_routes
from clawfeed.api.http.application import build_application
from clawfeed.storage.audit import AuditLog
from clawfeed.storage.database import Database, execute
from clawfeed.storage.outbox.outbox_admin import OutboxAdmin
from tests.support.api_callers import ADMIN, ANNA, NAME_TAGS, add_people, as_user
from tests.support.clocks import FakeClock
from tests.support.deliveries import add_channel, write_edition
from tests.support.socket_server import Client, served

KEY = as_user(ADMIN)


@asynccontextmanager
async def office(database: Database) -> AsyncIterator[Client]:
    """Two messages to one channel: the first is uncertain."""
    await add_people(database)
    await add_channel(database, "one", config={"parts": 2})
    await write_edition(database)
    await execute(database, "UPDATE outbox SET state = 'uncertain' WHERE part = 1")
    api = OutboxApi(outbox=OutboxAdmin(database), clock=FakeClock())
    async with served(build_application("1", [outbox_routes(api)], NAME_TAGS)) as client:
        yield client


async def test_messages_are_listed_filtered_and_paged_without_what_they_say(
    database: Database,
) -> None:
    async with office(database) as client:
        everything = await client.get("/api/outbox?limit=1", KEY)
        cursor = everything.json()["next_cursor"]
        rest = await client.get(f"/api/outbox?limit=1&cursor={cursor}", KEY)
        waiting = await client.get("/api/outbox?state=uncertain&channel=1&digest=1", KEY)
        none = await client.get("/api/outbox?channel=2", KEY)
        wrong = await client.get("/api/outbox?state=lost", KEY)
        refused = await client.get("/api/outbox", as_user(ANNA))

    parts = [answer.json()["messages"][0]["part"] for answer in (everything, rest, waiting)]
    assert parts == [2, 1, 1]
    assert (rest.json()["next_cursor"], none.json()["messages"]) == (None, [])
    assert "News 1/2 in en" not in waiting.text
    assert (wrong.status, refused.status) == (422, 403)


async def test_a_message_is_sent_again_or_dropped_and_it_is_written_down_who_did(
    database: Database,
) -> None:
    async with office(database) as client:
        again = await client.post("/api/outbox/1/resend", KEY)
        twice = await client.post("/api/outbox/1/resend", KEY)
        dropped = await client.post("/api/outbox/1/drop", KEY)
        missing = await client.post("/api/outbox/99/drop", KEY)
        refused = await client.post("/api/outbox/1/drop", as_user(ANNA))

    assert (again.status, again.json()["state"]) == (200, "retry")
    assert (twice.status, dropped.json()["state"], missing.status) == (422, "dead", 404)
    assert refused.status == 403
    assert "resend is for messages that are dead, uncertain" in twice.json()["detail"]
    events = await AuditLog(database).list(limit=9)
    assert [event.detail for event in events] == [
        "drop message 1 to channel 1",
        "resend message 1 to channel 1",
    ]
