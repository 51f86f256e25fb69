"""Who reads what is added by command: the operator, as the API has it for whoever adds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.source_command import SourceCommand
from tests.support.in_process import run_here


@pytest.mark.slow
def test_what_the_operator_adds_the_oldest_admin_follows_and_is_told(tmp_path: Path) -> None:
    """(S001-15)."""
    house = SourceCommand(tmp_path, {"STARTER_PACK": "false"})
    feed = ("add", "--type", "rss", "--config")
    nobody = house(*feed, '{"url": "https://a.example/feed"}')
    for name in ("anna", "ben"):
        run_here("user", "add", f"{name}@example.org", "--admin", "--link", cwd=tmp_path)
    told = house(*feed, '{"url": "https://b.example/feed"}')
    as_json = json.loads(house(*feed, '{"url": "https://c.example/feed"}', "--json").stdout)

    assert (nobody.returncode, "follows it" in nobody.stdout) == (0, False)
    assert told.stdout.endswith(" (anna@example.org follows it)\n")
    assert as_json["subscribed"] == "anna@example.org"
    assert house.sql("SELECT user_id, source_id FROM user_subscriptions") == [(1, 2), (1, 3)]
