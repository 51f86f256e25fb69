"""Every figure that operators and their scripts read, of a fleet where each is another number."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from clawfeed.api.http.application import build_application
from clawfeed.api.operations.collector_status import Operations, operation_routes
from clawfeed.api.operations.health import Health, health_routes
from clawfeed.app.settings.config_loading import load_config
from clawfeed.app.status.collector_status import current_status
from clawfeed.app.status.source_forecasts import outlook_of
from clawfeed.domain.alarm import AlarmCode
from clawfeed.domain.editions.edition import ArticleState, TaskState
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.storage.database import Database
from clawfeed.storage.sources.visible_sources import VisibleSources
from tests.support.api_callers import ADMIN, NAME_TAGS, as_user
from tests.support.busy_fleet import add_busy_fleet
from tests.support.clocks import NOON, FakeClock
from tests.support.socket_server import Client, served

pytestmark = pytest.mark.one_database

KEY = as_user(ADMIN)
WAITING = ("pending", "uncertain", "dead")
SETTINGS = {
    "FETCH_INTERVAL_RSS": "60",
    "TIMEZONE": "Asia/Shanghai",
    "X_BEARER_TOKEN": "app",
    "X_MONTHLY_READS": "500",
}
CADENCES = {f"P{number}": 0 for number in range(7)}


@asynccontextmanager
async def client(database: Database, folder: Path) -> AsyncIterator[Client]:
    """The operators' endpoints, with the status as the server is wired."""
    config = load_config(SETTINGS, directory=folder)
    operations = Operations(
        database=database,
        sources=VisibleSources(database, BUILT_IN),
        clock=FakeClock(),
        status=lambda: current_status(config, database, now=NOON),
        outlook=lambda source_id: outlook_of(config, database, source_id, now=NOON),
    )
    health = Health(database=database, clock=FakeClock(), version="9.9", metrics_token=None)
    routes = [operation_routes(operations), health_routes(health)]
    async with served(build_application("9.9", routes, NAME_TAGS)) as session:
        yield session


async def test_the_status_tells_each_source_and_all_of_them(
    database: Database, tmp_path: Path
) -> None:
    """(S000-18, S000-19, S000-20, S001-8, settled 3, settled 4)."""
    await add_busy_fleet(database)

    async with client(database, tmp_path) as session:
        report = (await session.get("/api/collector/status", KEY)).json()

    error = {"message": "HTTP 503", "at": "2026-11-15T11:15:00Z"}
    wrong = [trouble["code"] for trouble in report.pop("troubles")]
    assert wrong == ["no_collector", "no_edition_trigger", "source_stale", "source_paused"]
    assert report == {
        "sources": [
            {
                "id": 1,
                "name": "Well",
                "type": "rss",
                "interval_minutes": 60,
                "last_fetched_at": "2026-11-15T11:30:00Z",
                "next_fetch_at": "2026-11-15T12:30:00Z",
                "fetch_count": 7,
                "fetch_error_count": 0,
                "last_error": None,
                "status": "ok",
                "schedule_mode": "pinned",
                "cadence": None,
                "because": "every 60 min (source's own interval)",
                "because_code": "own_interval",
                "because_parameters": {"minutes": 60},
                "stale": False,
            },
            {
                "id": 2,
                "name": "Resting",
                "type": "website",
                "interval_minutes": 240,
                "last_fetched_at": "2026-11-15T09:15:00Z",
                "next_fetch_at": "2026-11-15T12:15:00Z",
                "fetch_count": 8,
                "fetch_error_count": 2,
                "last_error": error,
                "status": "backing_off",
                "schedule_mode": "smart",
                "cadence": "P2",
                "because": "the server said we come too often",
                "because_code": "rate_limited",
                "because_parameters": {},
                "stale": True,
            },
            {
                "id": 3,
                "name": "Broken",
                "type": "rss",
                "interval_minutes": 60,
                "last_fetched_at": None,
                "next_fetch_at": None,
                "fetch_count": 6,
                "fetch_error_count": 5,
                "last_error": error,
                "status": "paused_by_error",
                "schedule_mode": "smart",
                "cadence": "P6",
                "because": "",
                "because_code": None,
                "because_parameters": {},
                "stale": False,
            },
            {
                "id": 4,
                "name": "Stopped",
                "type": "hackernews",
                "interval_minutes": 60,
                "last_fetched_at": "2026-11-15T08:00:00Z",
                "next_fetch_at": None,
                "fetch_count": 3,
                "fetch_error_count": 0,
                "last_error": None,
                "status": "paused",
                "schedule_mode": "fixed",
                "cadence": None,
                "because": "",
                "because_code": None,
                "because_parameters": {},
                "stale": False,
            },
            {
                "id": 5,
                "name": "Late",
                "type": "website",
                "interval_minutes": 240,
                "last_fetched_at": "2026-11-15T11:35:00Z",
                "next_fetch_at": "2026-11-15T11:50:00Z",
                "fetch_count": 4,
                "fetch_error_count": 0,
                "last_error": None,
                "status": "ok",
                "schedule_mode": "smart",
                "cadence": "P0",
                "because": "the server said we come too often",
                "because_code": "rate_limited",
                "because_parameters": {},
                "stale": False,
            },
        ],
        "stats": {
            "total_sources": 5,
            "active_sources": 3,
            "paused_sources": 2,
            "paused_by_error": 1,
            "fetches_24h": 5,
            "errors_24h": 2,
            "raw_items_24h": 3,
            "items_24h": 3,
            "fetches_today": 4,
            "success_rate": 60.0,
        },
        "x_reads": {"used": 123, "limit": 500},
        "collectors": [],
    }


async def test_the_scheduler_in_figures(database: Database, tmp_path: Path) -> None:
    """(S004-4, S004-9)."""
    await add_busy_fleet(database)

    async with client(database, tmp_path) as session:
        report = (await session.get("/api/scheduler/stats", KEY)).json()

    by_source_type, by_type = report.pop("by_source_type"), report.pop("by_type")
    assert report == {
        "total": 5,
        "with_stats": 4,
        "due_now": 1,
        "in_backoff": 1,
        "mean_hit_rate": 58.3,  # of 50, 25 and 100 %
        "cadences": {**CADENCES, "P0": 1, "P2": 1, "P6": 1},
        "modes": {"pinned": 1, "fixed": 0, "smart": 3},
    }
    assert set(by_source_type) == {"rss", "custom"}
    assert by_source_type["custom"]["total"] == 3
    assert (by_type["website"]["total"], by_type["hackernews"]["total"]) == (2, 1)
    assert (
        by_source_type["rss"]
        == by_type["rss"]
        == {
            "total": 2,
            "with_stats": 2,
            "due_now": 0,
            "in_backoff": 0,
            "mean_hit_rate": 50.0,
            "cadences": {**CADENCES, "P6": 1},
            "modes": {"pinned": 1, "fixed": 0, "smart": 1},
        }
    )


async def test_the_metrics_of_the_fleet(database: Database, tmp_path: Path) -> None:
    """(S000-22, S003-9)."""
    await add_busy_fleet(database)

    async with client(database, tmp_path) as session:
        text = (await session.get("/metrics")).text

    lines = [line for line in text.splitlines() if line.startswith("clawfeed_")]
    assert dict(line.rsplit(" ", 1) for line in lines) == {
        'clawfeed_info{version="9.9"}': "1.0",
        "clawfeed_model_calls_this_month": "0.0",
        "clawfeed_model_capped_this_month": "0.0",
        "clawfeed_model_cost_this_month": "0.0",
        "clawfeed_model_remembered_this_month": "0.0",
        "clawfeed_model_tokens_this_month": "0.0",
        "clawfeed_sources_total": "5.0",
        "clawfeed_collectors_alive": "0.0",
        "clawfeed_sources_active": "3.0",
        "clawfeed_sources_paused": "2.0",
        "clawfeed_sources_paused_by_error": "1.0",
        "clawfeed_sources_due": "1.0",
        "clawfeed_sources_in_backoff": "1.0",
        "clawfeed_fetches_24h": "5.0",
        "clawfeed_errors_24h": "2.0",
        "clawfeed_raw_items_24h": "3.0",
        "clawfeed_due_lag_seconds": "600.0",
        "clawfeed_drift_seconds": "25.0",
        'clawfeed_executions{collector="rss"}': "7.0",
        'clawfeed_executions{collector="website"}': "4.0",
        'clawfeed_state_failures{reason="disk full"}': "3.0",
        "clawfeed_outbox_lag_seconds": "0.0",
        **{f'clawfeed_outbox_messages{{state="{each}"}}': "0.0" for each in WAITING},
        **{f'clawfeed_alarms{{code="{each}"}}': "0.0" for each in AlarmCode},
        'clawfeed_alarms{code="source_paused"}': "1.0",
        'clawfeed_alarms{code="source_stale"}': "1.0",
        **{f'clawfeed_edition_articles{{state="{each}"}}': "0.0" for each in ArticleState},
        **{f'clawfeed_edition_state{{state="{each}"}}': "0.0" for each in TaskState},
    }
