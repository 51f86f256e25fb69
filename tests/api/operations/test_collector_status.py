"""The collector's and the scheduler's figures over HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from clawfeed.api.http.application import build_application
from clawfeed.api.operations.collector_status import Operations, operation_routes
from clawfeed.app.settings.config_loading import load_config
from clawfeed.app.status.source_forecasts import outlook_of
from clawfeed.domain.schedule.interval import Intervals
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.storage.database import Database, execute
from clawfeed.storage.operations.collector_status import collector_status
from clawfeed.storage.sources.sources import NewSource, SourceStore
from clawfeed.storage.sources.visible_sources import VisibleSources
from tests.support.api_callers import ADMIN, ANNA, BEN, NAME_TAGS, add_people, as_user
from tests.support.clocks import NOON, FakeClock
from tests.support.socket_server import Client, served

KEY = as_user(ADMIN)


@asynccontextmanager
async def client(database: Database) -> AsyncIterator[Client]:
    intervals = Intervals(types=BUILT_IN, overrides={"rss": 60})
    operations = Operations(
        database=database,
        sources=VisibleSources(database, BUILT_IN),
        clock=FakeClock(),
        status=lambda: collector_status(
            database,
            now=NOON,
            day_start=NOON - timedelta(hours=12),
            minutes_of=lambda source: intervals.of(source).minutes,
        ),
        outlook=lambda source_id: outlook_of(
            load_config({}, directory=Path(__file__).parent), database, source_id, now=NOON
        ),
    )
    app = build_application("9.9", [operation_routes(operations)], NAME_TAGS)
    async with served(app) as session:
        yield session


@pytest.mark.parametrize(
    "path", ["/api/collector/status", "/api/scheduler/stats", "/api/scheduler/due"]
)
async def test_only_an_admin_is_answered(database: Database, path: str) -> None:
    """(S000-17)."""
    async with client(database) as session:
        answers = [
            await session.get(path, headers)
            for headers in ({}, {"Authorization": "Bearer wrong"}, as_user(ANNA))
        ]

    assert [answer.status for answer in answers] == [401, 401, 403]
    assert {answer.content_type for answer in answers} == {"application/problem+json"}
    assert answers[0].headers["www-authenticate"] == "Bearer"


async def test_the_status_has_the_contracts_fields(database: Database) -> None:
    """(S000-18, S000-19, S000-20): of one that was never polled, though it was claimed."""
    await SourceStore(database).add(NewSource(type="rss", name="A"), now=NOON)
    await execute(
        database,
        "INSERT INTO source_stats (source_id, source_type, next_due_at, created_at, updated_at) "
        "VALUES (1, 'rss', 0, 0, 0)",
    )

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
            "because_code": None,
            "because_parameters": {},
            "stale": False,
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
    """(S004-8, S004-9): whoever was never fetched is due."""
    store = SourceStore(database)
    for number, kind in enumerate(["rss", "rss", "website", "digest_feed"]):
        await store.add(NewSource(type=kind, name=kind, config={"n": number}), now=NOON)

    async with client(database) as session:
        await execute(
            database,
            "INSERT INTO source_stats (source_id, source_type, next_due_at, last_check_at, "
            "created_at, updated_at) VALUES (1, 'rss', 5, 5, 0, 0)",
        )
        await execute(database, "UPDATE sources SET has_stats = 1 WHERE id = 1")
        stats = (await session.get("/api/scheduler/stats", KEY)).json()
        due = {
            wanted: (await session.get(f"/api/scheduler/due{wanted}", KEY)).json()
            for wanted in ("", "?source_type=rss", "?source_type=custom", "?limit=1")
        }
        cursor = due["?limit=1"]["next_cursor"]
        rest = (await session.get(f"/api/scheduler/due?cursor={cursor}", KEY)).json()
        unknown = await session.get("/api/scheduler/due?source_type=website", KEY)

    assert (stats["total"], stats["with_stats"], stats["due_now"], stats["in_backoff"]) == (
        4,
        1,
        4,
        0,
    )
    assert stats["mean_hit_rate"] is None
    assert set(stats["cadences"]) == {"P0", "P1", "P2", "P3", "P4", "P5", "P6"}
    counts = {name: part["total"] for name, part in stats["by_source_type"].items()}
    assert counts == {"rss": 3, "custom": 1}
    concrete = {name: part["due_now"] for name, part in stats["by_type"].items()}
    assert concrete == {"digest_feed": 1, "rss": 2, "website": 1}
    listed = {wanted: [each["id"] for each in part["sources"]] for wanted, part in due.items()}
    # Who was never fetched comes first (S000-4).
    assert list(listed.values()) == [[2, 3, 4, 1], [2, 4, 1], [3], [2]]
    assert due[""]["sources"][-1]["due_since"] == "1970-01-01T00:00:05Z"
    assert ([each["id"] for each in rest["sources"]], rest["next_cursor"]) == ([3, 4, 1], None)
    assert unknown.status == 422


async def polled_at(database: Database) -> None:
    """A source that publishes daily at nine, polled once."""
    await SourceStore(database).add(NewSource(type="rss", name="A"), now=NOON)
    nine = NOON.replace(hour=9)
    for day in range(20):
        await execute(
            database,
            "INSERT INTO seen_items (source_id, dedup_key, published_at, first_seen_at) "
            "VALUES (1, :key, :at, 0)",
            {"key": str(day), "at": (nine - timedelta(days=day)).timestamp()},
        )
    await execute(
        database,
        "INSERT INTO source_stats (source_id, source_type, next_due_at, because, schedule_mode, "
        "frequency_type, cadence, avg_publish_hour, std_publish_hour, last_check_at, created_at, "
        "updated_at) VALUES (1, 'rss', :at, :because, 'smart', 'daily', 'P2', 9.0, 1.0, 1, 0, 0)",
        {
            "at": (NOON + timedelta(hours=1)).timestamp(),
            "because": '{"rule":"rate_limited"}',
        },
    )


@pytest.mark.parametrize(
    ("headers", "sentence"),
    [
        ({}, "the server said we come too often"),
        ({"Accept-Language": "zh-CN,zh;q=0.9,en;q=0.8"}, "服务器表示访问过于频繁"),
    ],
    ids=["english", "chinese"],
)
async def test_why_is_told_in_the_readers_language_and_as_a_code(
    database: Database, headers: dict[str, str], sentence: str
) -> None:
    """(S000-18)."""
    await polled_at(database)

    async with client(database) as session:
        answer = (await session.get("/api/collector/status", KEY | headers)).json()

    [source] = answer["sources"]
    assert (source["because"], source["because_code"]) == (sentence, "rate_limited")


async def test_a_forecast_tells_the_week_the_next_dates_and_the_schedulers_reason(
    database: Database,
) -> None:
    await polled_at(database)

    async with client(database) as session:
        answer = (await session.get("/api/sources/1/forecast", KEY)).json()

    week = answer["hour_of_week"]
    assert len(week) == 168
    assert max(range(168), key=week.__getitem__) % 24 in {8, 9, 10}
    assert answer["next_polls"][0] == {
        "at": "2026-11-15T13:00:00Z",
        "because": "the server said we come too often",
        "because_code": "rate_limited",
        "because_parameters": {},
    }
    assert answer["next_fetch_at"] == "2026-11-15T13:00:00Z"
    dates = [poll["at"] for poll in answer["next_polls"]]
    assert dates == sorted(set(dates))
    assert len(dates) == 5
    assert 0.8 < answer["items_per_day"] < 1.3
    assert answer["stale"] is False


async def test_a_forecast_is_told_in_the_readers_language(database: Database) -> None:
    """Its summary, too; and a cache learns that the answer is for such readers only."""
    await polled_at(database)

    async with client(database) as session:
        answer = await session.get("/api/sources/1/forecast", KEY | {"Accept-Language": "zh-CN"})

    assert answer.json()["summary"] == "每天发布约 1 次，通常每天 09:00 左右"
    assert answer.headers["content-language"] == "zh"
    assert "Accept-Language" in answer.headers["vary"]


async def test_a_forecast_is_for_those_who_may_see_the_source(database: Database) -> None:
    """(T13): what is Anna's alone is not there for others, admins included."""
    await add_people(database)
    await polled_at(database)
    path = "/api/sources/1/forecast"

    async with client(database) as session:
        public = await session.get(path, as_user(BEN))
        await execute(database, "UPDATE sources SET is_public = 0, created_by = :a", {"a": ANNA})
        headers = {"anna": as_user(ANNA), "ben": as_user(BEN), "admin": KEY, "stranger": {}}
        private = {name: (await session.get(path, who)).status for name, who in headers.items()}
        huge = await session.get("/api/sources/99999999999999999999/forecast", KEY)

    assert public.status == 200
    assert private == {"anna": 200, "ben": 404, "admin": 404, "stranger": 401}
    assert huge.status == 422


@pytest.mark.parametrize("path", ["/api/sources/404/forecast", "/api/sources/1/forecast"])
async def test_a_source_unknown_or_never_polled_is_404(database: Database, path: str) -> None:
    await SourceStore(database).add(NewSource(type="rss", name="A"), now=NOON)

    async with client(database) as session:
        answer = await session.get(path, KEY)

    assert answer.status == 404
    assert answer.content_type == "application/problem+json"
