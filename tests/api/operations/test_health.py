"""Alive, ready and measured; and what every answer carries."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest

from clawfeed.api.http.application import build_application
from clawfeed.api.http.security_headers import HEADERS
from clawfeed.api.operations.health import Health, health_routes
from clawfeed.domain.secret import Secret
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.storage.database import Database, execute
from clawfeed.storage.editions.edition_metrics import HEARTBEAT_HOLDS, save_trigger_heartbeat
from clawfeed.storage.editions.editions import EditionStore
from clawfeed.storage.polling.collector_heartbeats import GRACE
from clawfeed.storage.polling.host_queue import ClaimRequest
from clawfeed.storage.polling.poll_queue import PollQueue
from clawfeed.storage.sources.sources import NewSource, SourceStore
from tests.support.api_callers import NAME_TAGS
from tests.support.clocks import NOON, FakeClock
from tests.support.editions import NEW, Rows
from tests.support.pages import a_site, reading_room
from tests.support.socket_server import Client, served

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


@asynccontextmanager
async def client(
    database: Database, *, token: str | None = None, clock: FakeClock | None = None
) -> AsyncIterator[Client]:
    clock = clock or FakeClock()
    health = Health(
        database=database,
        clock=clock,
        version="9.9",
        metrics_token=Secret(token) if token else None,
    )
    site = a_site(database, clock=clock)
    app = build_application(
        "9.9", [health_routes(health), *reading_room(site, database)], NAME_TAGS
    )
    async with served(app) as session:
        yield session


async def test_a_process_with_its_database_is_alive_and_ready(database: Database) -> None:
    """(S000-22)."""
    async with client(database) as session:
        health = await session.get("/healthz")
        ready = await session.get("/readyz")

    assert health.json() == {"status": "ok", "version": "9.9"}
    assert (ready.status, ready.json()) == (200, {"status": "ready"})


async def test_without_its_database_it_is_alive_but_not_ready(database: Database) -> None:
    async with client(database) as session:
        await database.close()
        health = await session.get("/healthz")
        ready = await session.get("/readyz")

    answer = ready.json()
    assert health.status == 200
    assert ready.status == answer["status"] == 503
    assert ready.content_type == "application/problem+json"
    assert answer["detail"] == "the database does not answer"


async def test_it_is_not_ready_while_sources_are_due_and_no_collector_gives_a_sign(
    database: Database,
) -> None:
    """(S000-22): not at once after a start, and never for want of work."""
    clock, answers = FakeClock(), []
    await SourceStore(database).add(NewSource(type="rss", name="A"), now=NOON - HOUR)
    queue = PollQueue(database, types=BUILT_IN)

    async with client(database, clock=clock) as session:
        answers.append(await session.get("/readyz"))
        clock.advance(GRACE + MINUTE)
        answers.append(await session.get("/readyz"))
        order = ClaimRequest(now=clock(), limit=1, lease=MINUTE, worker="w", owes=HOUR)
        [claim] = await queue.claim_due(order)
        await queue.release(claim)
        answers.append(await session.get("/readyz"))
        clock.advance(HOUR + MINUTE)
        answers.append(await session.get("/readyz"))
        figures = (await session.get("/metrics")).text
        await execute(database, "UPDATE sources SET is_active = 0")
        answers.append(await session.get("/readyz"))

    assert [answer.status for answer in answers] == [200, 503, 200, 503, 200]
    assert answers[1].json()["type"] == "urn:clawfeed:problem:no-collector"
    assert "clawfeed collect --loop" in answers[1].json()["detail"]
    assert "clawfeed_collectors_alive 0.0" in figures
    assert "clawfeed_last_heartbeat_seconds 3660.0" in figures
    assert "clawfeed_sources_due 1.0" in figures


async def test_it_is_not_ready_while_nobody_triggers_editions(database: Database) -> None:
    """(S002-1): a server gives its triggers two hours from its own start."""
    clock, answers = FakeClock(), []

    async with client(database, clock=clock) as session:
        for wait in (timedelta(0), HEARTBEAT_HOLDS, MINUTE):
            clock.advance(wait)
            answers.append(await session.get("/readyz"))
        await save_trigger_heartbeat(database, clock())
        answers.append(await session.get("/readyz"))
        clock.advance(HEARTBEAT_HOLDS + MINUTE)
        answers.append(await session.get("/readyz"))

    assert [answer.status for answer in answers] == [200, 200, 503, 200, 503]
    assert answers[2].json()["type"] == "urn:clawfeed:problem:no-edition-trigger"
    assert "clawfeed cron --loop" in answers[2].json()["detail"]


async def test_metrics_have_todays_edition_and_when_it_was_last_triggered(
    database: Database,
) -> None:
    store = EditionStore(database)
    task = await store.get_or_add(NEW, now=NOON)
    await Rows(database).article(task, 1)
    clock = FakeClock()
    await save_trigger_heartbeat(database, NOON)
    await execute(
        database,
        "UPDATE edition_tasks SET state = 'published', published_at = :at",
        {"at": NOON.timestamp()},
    )

    clock.advance(MINUTE)
    async with client(database, clock=clock) as session:
        text = (await session.get("/metrics")).text

    assert 'clawfeed_edition_state{state="published"} 1.0' in text
    assert 'clawfeed_edition_state{state="init"} 0.0' in text
    assert 'clawfeed_edition_articles{state="pending"} 1.0' in text
    assert "clawfeed_edition_published_age_seconds 60.0" in text
    assert "clawfeed_edition_trigger_age_seconds 60.0" in text
    assert 'clawfeed_executions{collector="edition trigger"} 1.0' in text


async def test_metrics_are_figures_of_the_fleet(database: Database) -> None:
    """(S000-22)."""
    async with client(database) as session:
        text = (await session.get("/metrics")).text

    assert "clawfeed_sources_total 0.0" in text
    assert "clawfeed_due_lag_seconds 0.0" in text
    assert "clawfeed_drift_seconds 0.0" in text
    assert "# HELP clawfeed_executions Polls so far" in text
    assert "# HELP clawfeed_state_failures" in text
    assert 'clawfeed_info{version="9.9"} 1.0' in text


@pytest.mark.parametrize(
    ("token", "headers", "status"),
    [
        (None, {}, 200),
        (None, {"X-Forwarded-For": "203.0.113.7"}, 401),
        (None, {"Forwarded": "for=203.0.113.7"}, 401),
        ("s3cret", {}, 401),
        ("s3cret", {"Authorization": "Bearer wrong"}, 401),
        ("s3cret", {"Authorization": "Bearer s3cret"}, 200),
    ],
)
async def test_metrics_are_for_this_machine_or_for_whoever_has_the_token(
    database: Database, token: str | None, headers: dict[str, str], status: int
) -> None:
    async with client(database, token=token) as session:
        answer = await session.get("/metrics", headers=headers)

    assert answer.status == status


@pytest.mark.parametrize("path", ["/", "/healthz", "/metrics", "/nowhere", "/openapi.json"])
async def test_every_answer_carries_the_security_headers(database: Database, path: str) -> None:
    async with client(database) as session:
        answer = await session.get(path)

    for name, value in HEADERS:
        assert answer.headers[name.decode()] == value.decode()
    assert "server" not in answer.headers


async def test_an_unknown_path_is_a_problem_not_a_page(database: Database) -> None:
    async with client(database) as session:
        answer = await session.get("/nowhere")

    body = answer.json()
    assert answer.content_type == "application/problem+json"
    assert (body["status"], body["title"]) == (404, "Not Found")


async def test_a_broken_database_is_503_without_details(database: Database) -> None:
    async with client(database) as session:
        await database.close()
        answer = await session.get("/")

    body = answer.json()
    assert (answer.status, body["detail"]) == (503, "the database cannot answer now; try again")


async def test_the_front_page_tells_a_newcomer_what_to_do(database: Database) -> None:
    async with client(database) as session:
        html = (await session.get("/")).text
        style = await session.get("/static/clawfeed.css")

    assert "clawfeed source add" in html
    assert style.content_type == "text/css"
