"""One place decides what is wrong: whoever asks gets the same answer."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from clawfeed.api.http.application import build_application
from clawfeed.api.operations.health import PROBLEMS, Health, health_routes
from clawfeed.app.clock import system_clock
from clawfeed.app.doctor import examine
from clawfeed.app.doctor_findings.finding import Severity
from clawfeed.app.settings.config import Config
from clawfeed.app.settings.config_loading import load_config
from clawfeed.app.status.collector_status import current_status
from clawfeed.app.status.trouble_thresholds import trouble_thresholds
from clawfeed.domain.alarm import AlarmCode, Trouble
from clawfeed.publish.alarm_notices import NoticeWriter
from clawfeed.publish.alarm_watcher import AlarmWatcher, DatabaseOutage, WatchTools
from clawfeed.sources.source_types.built_in import BUILT_IN
from clawfeed.storage.database import Database
from clawfeed.storage.operations.alarms import AlarmStore
from tests.support.alarm_channels import pigeons
from tests.support.api_callers import NAME_TAGS
from tests.support.broken_installations import HOUR, WRONG, X_READS, Wrong, all_is_well
from tests.support.clocks import FakeClock
from tests.support.socket_server import Client, served

# Without any of these the house does not do what it is for.
UNREADY = {AlarmCode.NO_COLLECTOR, AlarmCode.NO_EDITION_TRIGGER, AlarmCode.NO_DELIVERY}
# What the doctor calls those that it tells with more words.
DOCTORS_WORDS = {
    AlarmCode.NO_COLLECTOR: "collector",
    AlarmCode.NO_EDITION_TRIGGER: "editions",
    AlarmCode.MODEL_CAP_REACHED: "model spend",
}


@dataclass(frozen=True, slots=True)
class Watched:
    """A house whose server and watcher have been up for hours."""

    database: Database
    config: Config
    client: Client
    watcher: AlarmWatcher
    outage: DatabaseOutage

    async def said(self, code: AlarmCode) -> dict[str, bool]:
        """Who of all that can be asked says that *code* is wrong."""
        ready = await self.client.get("/readyz")
        metrics = (await self.client.get("/metrics")).text
        findings = await examine(self.config)
        warned = {each.about for each in findings if each.decision is not Severity.OK}
        status = await current_status(self.config, self.database, now=system_clock())
        alarms = await AlarmStore(self.database).list(is_raised=True, limit=10)
        said = {
            "alarms": code in {alarm.trouble.code for alarm in alarms},
            "metrics": f'clawfeed_alarms{{code="{code}"}} 1.0' in metrics,
            "doctor": DOCTORS_WORDS.get(code, str(code)) in warned,
            "status": code in {trouble.code for trouble in status.troubles},
        }
        if code in UNREADY:
            said["readyz"] = ready.json().get("type") == PROBLEMS[code].uri
        else:
            assert ready.status == 200, "single sources and editions are no reason to be unready"
        return said


@pytest.fixture
async def watched(database: Database, database_url: str, tmp_path: Path) -> AsyncIterator[Watched]:
    settings = {"DATABASE_URL": database_url, "X_BEARER_TOKEN": "t"}
    settings["X_MONTHLY_READS"] = str(X_READS)
    config = load_config(settings, directory=tmp_path, types=BUILT_IN)
    async with _watched(database, config) as house:
        yield house


@asynccontextmanager
async def _watched(database: Database, config: Config) -> AsyncIterator[Watched]:
    now = system_clock()
    clock, outage = FakeClock(now - 5 * HOUR), DatabaseOutage()
    rules = trouble_thresholds(config)
    health = Health(
        database=database,
        clock=clock,
        version="9.9",
        rules=rules,
        outage=lambda: outage.trouble,
    )
    app = build_application("9.9", [health_routes(health)], NAME_TAGS)
    write = NoticeWriter(types=pigeons(), link="")
    tools = WatchTools(database=database, rules=rules, clock=clock, write=write)
    watcher = AlarmWatcher(tools, outage)
    clock.now = now
    await all_is_well(database, now)
    async with served(app) as client:
        yield Watched(database, config, client, watcher, outage)


# That both databases find the same is for the watcher's tests.
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: str(wrong.code))
async def test_probes_figures_commands_and_alarms_say_the_same(
    watched: Watched, wrong: Wrong
) -> None:
    """(S000-22)."""
    await wrong.cause(watched.database, system_clock())
    await watched.watcher.look()
    during = await watched.said(wrong.code)
    await wrong.end(watched.database, system_clock())
    await watched.watcher.look()
    after = await watched.said(wrong.code)

    assert (set(during.values()), set(after.values())) == ({True}, {False}), (during, after)


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_a_database_that_cannot_be_written_makes_a_server_unready(watched: Watched) -> None:
    """Its reads still answer: the server knows it from the watcher in its process."""
    watched.outage.trouble = Trouble(code=AlarmCode.DATABASE_FAILED)
    ready = await watched.client.get("/readyz")
    metrics = (await watched.client.get("/metrics")).text

    assert (ready.status, ready.json()["detail"]) == (503, "the database cannot be written")
    assert 'clawfeed_alarms{code="database_failed"} 1.0' in metrics
