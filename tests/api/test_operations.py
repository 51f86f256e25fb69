"""The collector's and the scheduler's figures over HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta

import pytest

from clawfeed.api.application import build_application
from clawfeed.api.operations import Operations, operation_routes
from clawfeed.domain.interval import Intervals
from clawfeed.domain.secret import Secret
from clawfeed.storage.database import Database
from clawfeed.storage.sources import NewSource, SourceStore
from clawfeed.storage.status import collector_status
from tests.support.clocks import NOON, FakeClock
from tests.support.served import Client, served

KEY = {"Authorization": "Bearer key-of-the-operator"}


@asynccontextmanager
async def client(database: Database, *, has_key: bool = True) -> AsyncIterator[Client]:
    intervals = Intervals(overrides={"rss": 60})
    operations = Operations(
        database=database,
        clock=FakeClock(),
        status=lambda: collector_status(
            database,
            now=NOON,
            day_start=NOON - timedelta(hours=12),
            minutes_of=lambda source: intervals.of(source).minutes,
        ),
        api_key=Secret("key-of-the-operator"),
    )
    if not has_key:
        operations = replace(operations, api_key=None)
    async with served(build_application("9.9", [operation_routes(operations)])) as session:
        yield session


@pytest.mark.parametrize("path", ["/api/collector/status", "/api/scheduler/stats"])
@pytest.mark.parametrize(
    ("headers", "has_key"),
    [
        ({}, True),
        ({"Authorization": "Bearer wrong"}, True),
        ({"Authorization": "key-of-the-operator"}, True),
        ({"Authorization": "Bearer None"}, False),
        (KEY, False),
    ],
)
async def test_strangers_get_401(
    database: Database, path: str, headers: dict[str, str], has_key: bool
) -> None:
    """(S000-17)."""
    async with client(database, has_key=has_key) as session:
        answer = await session.get(path, headers)

    assert answer.status == 401
    assert answer.content_type == "application/problem+json"
    assert answer.headers["www-authenticate"] == "Bearer"


async def test_the_status_has_the_contracts_fields(database: Database) -> None:
    """(S000-18, S000-19, S000-20)."""
    await SourceStore(database).add(NewSource(type="rss", name="A"), now=NOON)

    async with client(database) as session:
        report = (await session.get("/api/collector/status", KEY)).json()

    assert report["sources"] == [
        {
            "id": 1,
            "name": "A",
            "type": "rss",
            "interval_minutes": 60,
            "last_fetched_at": None,
            "next_fetch_at": None,
            "fetch_count": 0,
            "fetch_error_count": 0,
            "last_error": None,
            "status": "never_fetched",
            "schedule_mode": "fixed",
            "cadence": None,
            "because": "",
        }
    ]
    assert report["stats"] == {
        "total_sources": 1,
        "active_sources": 1,
        "paused_sources": 0,
        "paused_by_error": 0,
        "fetches_24h": 0,
        "errors_24h": 0,
        "raw_items_24h": 0,
        "items_24h": 0,
        "fetches_today": 0,
        "success_rate": None,
    }


async def test_the_scheduler_counts_in_all_and_by_type(database: Database) -> None:
    """(S004-9)."""
    store = SourceStore(database)
    for number, kind in enumerate(["rss", "rss", "website"]):
        await store.add(NewSource(type=kind, name=kind, config={"n": number}), now=NOON)

    async with client(database) as session:
        stats = (await session.get("/api/scheduler/stats", KEY)).json()

    assert (stats["total"], stats["with_stats"], stats["due_now"], stats["in_backoff"]) == (
        3,
        0,
        0,
        0,
    )
    assert stats["mean_hit_rate"] is None
    assert set(stats["cadences"]) == {"P0", "P1", "P2", "P3", "P4", "P5", "P6"}
    assert stats["by_source_type"]["rss"]["total"] == 2
