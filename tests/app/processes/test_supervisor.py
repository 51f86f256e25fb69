"""Children that fail say why, wherever their log is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from clawfeed.app.processes.supervisor import LOG_TAIL, Child, Supervisor, log_tail
from clawfeed.domain.errors import ConfigError


def plain_environment(**settings: str) -> dict[str, str]:
    kept = ("PATH", "HOME", "PYTHONPATH")
    return {name: os.environ[name] for name in kept if name in os.environ} | settings


async def test_a_child_that_cannot_start_is_quoted_from_its_log(tmp_path: Path) -> None:
    environment = plain_environment(DIGEST_PORT="80a")
    child = Child(name="serve", arguments=("serve",), environment=environment, folder=tmp_path)

    with pytest.raises(ConfigError) as caught:
        await Supervisor(child).run()

    assert caught.value.problems[0] == "clawfeed serve could not start"
    assert caught.value.problems[1].startswith('DIGEST_PORT is "80a": expected')


async def test_a_child_with_a_folder_reads_the_settings_there_and_not_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLLECTOR_TICK", "ours")
    (tmp_path / ".env").write_text("DIGEST_HOST=not a host\n")
    environment = plain_environment()
    child = Child(name="serve", arguments=("serve",), environment=environment, folder=tmp_path)

    with pytest.raises(ConfigError) as caught:
        await Supervisor(child).run()

    assert "DIGEST_HOST in .env" in str(caught.value)
    assert "COLLECTOR_TICK" not in str(caught.value)


async def test_a_child_that_ran_once_and_failed_is_remembered(tmp_path: Path) -> None:
    """`collect --workers 2` must not say that all is well."""
    child = Child(
        name="status", arguments=("status",), environment=plain_environment(), folder=tmp_path
    )
    once = Supervisor(child, again=False)

    await once.run()

    assert once.has_failed
    assert child.log
    assert "there is no ClawFeed database" in child.log.read_text()


def test_the_last_words_are_sentences_or_else_the_last_lines(tmp_path: Path) -> None:
    told, crashed = tmp_path / "told.log", tmp_path / "crashed.log"
    told.write_text('{"event": "listening"}\nclawfeed: the port is taken\n')
    crashed.write_text("".join(f"line {number}\n" for number in range(40)))

    assert log_tail(told) == ("the port is taken",)
    assert log_tail(crashed) == tuple(f"line {40 - LOG_TAIL + n}" for n in range(LOG_TAIL))
