"""A collector heeds what others left in the database before it asks anybody."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from clawfeed.app.clock import system_clock
from clawfeed.app.settings.config_loading import load_config
from clawfeed.app.settings.intervals import effective_intervals
from clawfeed.app.settings.plugin_sources import add_plugin_sources
from clawfeed.app.wiring.collector import CollectorParts, opened_parts
from clawfeed.collector.poll import PollResult
from clawfeed.domain.because import Because, Rule, to_text
from clawfeed.domain.errors import EgressError, Reason
from clawfeed.domain.wording.because_wording import Language, render_because
from clawfeed.egress.request_and_response import Request
from clawfeed.simulator import World
from clawfeed.storage.config_table import ConfigTable
from clawfeed.storage.database import Database, execute
from clawfeed.storage.polling.host_turns import HostTurns
from clawfeed.storage.sources.sources import NewSource, SourceStore
from tests.collector.conftest import until
from tests.support.clocks import FakeClock
from tests.support.origin import Stage, on_stage

HOUR = timedelta(hours=1)


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    async with on_stage(World([], seed=1, clock=FakeClock()), tmp_path / "journal") as stage:
        stage.put("/page", b"hello", "text/plain")
        yield stage


def host_of(stage: Stage) -> str:
    return urlsplit(stage.url).netloc


@asynccontextmanager
async def opened(database: Database, folder: Path, stage: Stage) -> AsyncIterator[CollectorParts]:
    config = load_config({"EGRESS_ALLOW": host_of(stage)}, directory=folder)
    async with opened_parts(config, database, lambda _result: None) as collecting:
        yield collecting


async def test_a_host_that_asked_another_collector_for_rest_is_not_asked(
    database: Database, tmp_path: Path, stage: Stage
) -> None:
    """(I4, S001-10): not even by the first request of a collector that was just opened."""
    await execute(
        database,
        "INSERT INTO host_cooldowns (host, until, because) VALUES (:host, :until, 'asked')",
        {"host": host_of(stage), "until": (system_clock() + HOUR).timestamp()},
    )

    async with opened(database, tmp_path, stage) as collecting:
        with pytest.raises(EgressError) as refused:
            await collecting.tools.egress.request(Request(url=f"{stage.url}/page"))

    assert (refused.value.reason, refused.value.status) == (Reason.BUSY, None)
    assert refused.value.wait is not None
    assert timedelta(0) < refused.value.wait <= HOUR
    assert stage.asked() == []


async def test_a_turn_that_somebody_took_does_not_close_the_door(
    database: Database, tmp_path: Path, stage: Stage
) -> None:
    """Whoever holds the turn is about to ask; it may be the one that is opened here."""
    await HostTurns(database).take(host_of(stage), HOUR, at=system_clock())

    async with opened(database, tmp_path, stage) as collecting:
        answer = await collecting.tools.egress.request(Request(url=f"{stage.url}/page"))

    assert answer.body == b"hello"
    assert len(stage.asked()) == 1


async def test_items_are_kept_for_thirty_days(
    database: Database, tmp_path: Path, stage: Stage
) -> None:
    """(S001-4): as a collector is wired when nobody sets anything."""
    source = await SourceStore(database).add(NewSource(type="rss", name="A"), now=system_clock())
    for days in (29, 31):
        await execute(
            database,
            "INSERT INTO raw_items (source_id, title, dedup_key, fetched_at) "
            "VALUES (:source, :days, :days, :at)",
            {
                "source": source.id,
                "days": str(days),
                "at": (system_clock() - timedelta(days=days)).timestamp(),
            },
        )

    async with opened(database, tmp_path, stage) as collecting:
        await collecting.housekeeping.do_round()

    rows = await database.read("SELECT title FROM raw_items")
    assert [row["title"] for row in rows] == ["29"]


@pytest.mark.parametrize(
    ("settings", "host"),
    [
        ({"X_BEARER_TOKEN": "t"}, "x.com"),
        ({"X_BRIDGES": "https://bridge.example/{handle}/rss"}, "bridge.example"),
        (
            {"X_BEARER_TOKEN": "t", "X_BRIDGES": "https://bridge.example/{handle}/rss"},
            "",
        ),
    ],
    ids=["X", "bridge", "both"],
)
async def test_a_source_waits_for_the_host_that_todays_settings_mean(
    database: Database, tmp_path: Path, settings: dict[str, str], host: str
) -> None:
    """(S001-8): a bridge that was added later serves the sources of before."""
    new = NewSource(type="twitter_feed", name="A", config={"handle": "a"}, host="old.example")
    other = NewSource(type="rss", name="B", config={"url": "https://b.example/"}, host="b.example")
    for each in (new, other):
        await SourceStore(database).add(each, now=system_clock())
    config = load_config(settings, directory=tmp_path)

    async with opened_parts(config, database, lambda _result: None):
        pass

    assert [source.host for source in await SourceStore(database).list()] == [host, "b.example"]


PLUGIN = """
class Tides:
    name = "tides"
    default_interval_seconds = 3600
    params = ["bergen", "brest"]

    async def fetch(self, param):
        yield {"title": param}
"""


async def test_an_interval_set_while_the_collector_runs_counts_at_its_next_tick(
    database: Database, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """(S000-2, S000-20): no restart; and a row that is no number is told once, not every tick."""
    table = ConfigTable(database)
    await table.save("FETCH_INTERVAL_REDDIT", "soon", now=system_clock())
    source = NewSource(type="rss", name="A", config={"url": "http://127.0.0.1:1/"}, host="a")
    added = await SourceStore(database).add(source, now=system_clock())
    polled = system_clock().timestamp()
    await execute(
        database,
        "INSERT INTO source_stats (source_id, source_type, next_due_at, last_check_at, because, "
        "created_at, updated_at) VALUES (:id, 'rss', :due, :now, :because, :now, :now)",
        {
            "id": added.id,
            "due": polled + 240 * 60,
            "now": polled,
            "because": to_text(Because(Rule.TYPE_INTERVAL, {"minutes": 240, "type": "rss"})),
        },
    )
    await execute(database, "UPDATE sources SET has_stats = 1")
    config = load_config({"COLLECTOR_TICK": "1"}, directory=tmp_path)

    async def is_due_after(minutes: int) -> None:
        async with asyncio.timeout(40):
            while True:
                [row] = await database.read("SELECT next_due_at FROM source_stats")
                if row["next_due_at"] == pytest.approx(polled + 60 * minutes):
                    return
                await asyncio.sleep(0.05)

    async with opened_parts(config, database, lambda _result: None) as collecting:
        running = asyncio.create_task(collecting.collector.run())
        await table.save("FETCH_INTERVAL_RSS", "60", now=system_clock())
        await is_due_after(60)
        await table.remove("FETCH_INTERVAL_RSS")
        await is_due_after(240)
        collecting.collector.stop()
        await running
    await effective_intervals(config, database)  # as the API does at every request

    told = [each.warning for each in caplog.records if each.message == "configuration"]  # type: ignore[attr-defined] # a field of ours
    assert [text.split(" is ")[0] for text in told] == ["FETCH_INTERVAL_REDDIT in the config table"]


SHORT = """
class Pulse:
    name = "pulse"
    default_interval_seconds = 2

    async def fetch(self, param):
        if param:
            yield
"""


async def test_a_plug_in_runs_as_often_as_it_says_though_that_is_less_than_a_minute(
    database: Database, tmp_path: Path
) -> None:
    """(S003-2): whatever the tick."""
    (tmp_path / "pulse.py").write_text(SHORT)
    settings = {"PLUGINS_DIR": str(tmp_path), "COLLECTOR_TICK": "3600"}
    config = load_config(settings, directory=tmp_path)
    results: list[PollResult] = []

    async with opened_parts(config, database, results.append) as collecting:
        running = asyncio.create_task(collecting.collector.run())
        await until(lambda: len(results) == 2)
        collecting.collector.stop()
        await running

    polls = await database.read("SELECT planned_at, started_at FROM fetch_log ORDER BY id")
    assert polls[1]["planned_at"] - polls[0]["started_at"] == pytest.approx(2)
    because = results[0].decision.next_poll.because
    assert render_because(because) == "every 2 s (the usual for pulse)"
    assert render_because(because, Language.CHINESE) == "每 2 秒一次（pulse 的默认间隔）"


async def test_a_plug_ins_source_that_was_deleted_stays_so(
    database: Database, tmp_path: Path
) -> None:
    """(S003-2): its owner took it away, and no start brings it back."""
    (tmp_path / "sample_source_type.py").write_text(PLUGIN)
    config = load_config({"PLUGINS_DIR": str(tmp_path)}, directory=tmp_path)
    await add_plugin_sources(config, database)
    await execute(database, "UPDATE sources SET is_deleted = 1 WHERE param_key = 'brest'")

    await add_plugin_sources(config, database)

    assert [source.param_key for source in await SourceStore(database).list()] == ["bergen"]
