"""What a person at a terminal reads once the server is up."""

from __future__ import annotations

import pytest

from clawfeed.cli.banner import greet, greeting
from tests.support.terminals import without_colours

URL = "http://127.0.0.1:8767"


def test_the_link_stands_on_a_line_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    greet(URL, f"{URL}/setup/abc")

    lines = without_colours(capsys.readouterr().out).splitlines()
    assert f"ClawFeed is up at {URL}" in lines
    assert f"{URL}/setup/abc" in lines
    assert max(map(len, lines)) < 80


def test_where_nobody_sits_at_a_terminal_the_log_tells_it() -> None:
    assert greeting() is None
