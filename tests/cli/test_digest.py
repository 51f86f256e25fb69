"""`clawfeed digest build --dry-run`: the selection with its reasons, and nothing stored."""

from __future__ import annotations

import json
import os
from datetime import timedelta
from pathlib import Path

import pytest

from clawfeed.app.clock import system_clock
from clawfeed.app.config import load_config
from clawfeed.app.event_loop import run_async
from clawfeed.app.wiring import opened_database
from clawfeed.cli.main import main
from tests.support.items import add_item, add_source

TOLD = {
    "one": "Ferry strike stops all traffic to the islands",
    "two": "All ferry traffic to the islands stops in strike",
    "three": "Orchestra names a conductor from its own ranks",
}


pytestmark = pytest.mark.usefixtures("house")


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three public sources with an item of today each, and one with an old one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{tmp_path}/clawfeed.db")
    monkeypatch.setenv("STARTER_PACK", "false")

    async def fill() -> None:
        now = system_clock()
        async with opened_database(load_config(os.environ, directory=tmp_path)) as database:
            for name, title in TOLD.items():
                source = await add_source(database, name)
                await add_item(database, source, title, at=now - timedelta(hours=1))
            await add_item(database, source, "Long ago", at=now - timedelta(days=3))

    run_async(fill())


def test_what_two_tell_comes_first_and_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    """(S001-19): the same story is told once, and older news not at all."""
    assert main(["digest", "build", "--dry-run"]) == 0

    first, _, best, why, *rest = capsys.readouterr().out.splitlines()
    assert first == "From 3 items of 3 sources: 2 stories"
    assert best[4:] in TOLD.values()
    assert why.endswith(" = told 1.0 + loud 0.0 + fresh 0.9 · 2 publishers")
    assert rest[0] == " 2. Orchestra names a conductor from its own ranks"


def test_scripts_get_every_story_with_the_parts_of_its_score(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["digest", "build", "--dry-run", "--hours", "100", "--json"]) == 0

    found = json.loads(capsys.readouterr().out)
    assert (found["items"], found["sources"]) == (4, 3)
    assert {each["dropped"] for each in found["stories"]} == {None, "below_floor"}
    assert set(found["stories"][0]["score_parts"]) == {
        "corroboration", "signal", "recency", "interest",
    }  # fmt: skip


def test_what_is_not_built_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["digest", "build"]) == 2

    assert "Editions are not stored yet: give --dry-run" in capsys.readouterr().err
