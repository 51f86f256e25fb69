"""`clawfeed alarms`."""

from __future__ import annotations

import json
import os
from datetime import timedelta
from pathlib import Path

import pytest

from clawfeed.app.clock import system_clock
from clawfeed.app.processes.event_loop import run_async
from clawfeed.app.settings.config_loading import load_config
from clawfeed.app.wiring.entry_points import opened_database
from clawfeed.cli.main import main
from clawfeed.domain.alarm import AlarmCode, Trouble
from clawfeed.storage.operations.alarms import AlarmStore


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path}/clawfeed.db")
    monkeypatch.setenv("LOG_LEVEL", "warning")
    return tmp_path


def test_what_is_raised_is_listed_and_what_is_over_on_demand(
    house: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a way out for what is wrong now; names of strangers cannot move the cursor."""

    async def fill(troubles: list[Trouble], ago: int) -> None:
        async with opened_database(load_config(os.environ, directory=house)) as database:
            now = system_clock() - timedelta(minutes=ago)
            await AlarmStore(database).settle(troubles, lambda *_: None, now=now)

    stale = Trouble(
        code=AlarmCode.SOURCE_STALE, subject="7", parameters={"source": 7, "name": "\x1b[2JTide"}
    )
    run_async(fill([], 0))
    assert main(["alarms"]) == 0
    assert capsys.readouterr().err == "no alarm is raised\n"
    run_async(fill([stale], 30))
    assert main(["alarms"]) == 0
    raised = capsys.readouterr().out
    run_async(fill([], 10))
    assert main(["alarms"]) == 0
    after = capsys.readouterr().out
    assert main(["alarms", "--all"]) == 0
    over = capsys.readouterr().out
    assert main(["alarms", "--all", "--json"]) == 0
    [listed] = json.loads(capsys.readouterr().out)["alarms"]

    assert raised.startswith("source_stale, raised 30 min ago\n  source ")
    assert "\x1b[2J" not in raised
    assert "look whether its address is still right" in raised
    assert after == ""
    assert over.startswith("source_stale, raised 30 min ago, over 10 min ago\n")
    assert (listed["code"], listed["cleared_at"] is None) == ("source_stale", False)
