"""Who only looks makes nothing: no database, no directory, no file named by a slip."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.in_process import run_here

READING = (
    ("status",),
    ("items",),
    ("alarms",),
    ("source", "list"),
    ("source", "export"),
    ("source", "resume", "1"),
    ("source", "show", "1"),
    ("source", "pause", "1"),
    ("source", "remove", "1"),
    ("source", "edit", "1", "--name", "Tide"),
    ("source", "faults"),
    ("source", "fix", "--all"),
    ("user", "list"),
    ("user", "disable", "anna@example.org"),
    ("user", "enable", "anna@example.org"),
    ("user", "sign-out", "anna@example.org"),
    ("x", "authorise"),
    ("x", "status"),
    ("x", "revoke"),
    ("apikey", "list"),
    ("apikey", "revoke", "1"),
    ("feed-token", "revoke", "1"),
    ("backup", "b.db"),
    ("backtest",),
)


@pytest.mark.parametrize("arguments", READING, ids=" ".join)
def test_a_missing_database_is_one_sentence_and_stays_missing(
    arguments: tuple[str, ...], tmp_path: Path
) -> None:
    done = run_here(*arguments, cwd=tmp_path)

    assert done.returncode == 1
    assert done.stderr.startswith("clawfeed: there is no ClawFeed database at ")
    assert "`clawfeed run`" in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_an_empty_database_is_not_filled_by_who_only_reads(tmp_path: Path) -> None:
    (tmp_path / "a.db").touch()

    done = run_here("status", cwd=tmp_path, env={"DATABASE_URL": "a.db"})

    assert "there is no ClawFeed database" in done.stderr
    assert (tmp_path / "a.db").read_bytes() == b""


def test_an_address_is_tried_without_a_database(tmp_path: Path) -> None:
    done = run_here("source", "check", "http://127.0.0.1:1/feed", cwd=tmp_path)

    assert done.returncode == 1
    assert "EGRESS_ALLOW=127.0.0.1:1 would allow it" in done.stderr
    assert list(tmp_path.iterdir()) == []
