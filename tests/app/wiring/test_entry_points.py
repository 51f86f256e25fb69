"""Each part of the product is put together in one place."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[3] / "src" / "clawfeed"
PARTS = [
    "open_database",
    "opened_parts",
    "Egress",
    "ParsePool",
    "Collector",
    "Poller",
    "PollFinisher",
    "PollBudget",
    "MonthlyReads",
    "AccountAuthenticator",
    "SignIn",
    "AlarmWatcher",
]


def calls() -> Iterator[tuple[str, str]]:
    """What is called in `app` and `cli`, and where."""
    for room in ("app", "cli"):
        for path in sorted((SOURCE / room).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                    yield node.func.id, path.relative_to(SOURCE).as_posix()


@pytest.mark.parametrize("part", PARTS)
def test_a_part_is_built_in_one_place(part: str) -> None:
    places = [place for called, place in calls() if called == part]

    assert len(places) == 1, places
    assert places[0].startswith("app/")


def test_every_process_that_stays_looks_for_what_is_wrong() -> None:
    """(S000-22): the server, the editions, all in one, and the collector."""
    places = [place for called, place in calls() if called == "alarm_watcher"]

    assert places == ["app/wiring/entry_points.py"] * 3 + ["cli/collect.py"]
