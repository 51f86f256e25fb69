"""What `clawfeed collect` prints, where, and for whom."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import threading
from pathlib import Path

import pytest

from clawfeed.app.clock import system_clock
from clawfeed.simulator.faults import status
from clawfeed.storage.database import execute
from tests.cli.collect_command import CollectCommand
from tests.end_to_end.fleet import make_all_due, opened, until
from tests.support.processes import COMMAND, clean_environment

# Each starts processes; `make test` runs them.
pytestmark = pytest.mark.slow


async def test_one_source_says_on_a_terminal_what_it_says_in_a_pipe(desk: CollectCommand) -> None:
    """Whether it went well or not."""
    desk.fleet.world.misbehave("/f/1", status(403))

    fine = await desk.see("collect", "--source", "1")
    failed = await desk.see("collect", "--source", "2")

    assert (fine.returncode, failed.returncode) == (0, 1)
    assert fine.text.startswith("    1  f0: 4 new of 4 items; next: ")
    assert failed.text.startswith("    2  f1: failed (refused): the server answered 403 Forbidden")
    assert (fine.text.count("\n"), failed.text.count("\n")) == (1, 1)


async def test_a_failure_told_in_a_sentence_runs_on_without_its_full_stop(
    desk: CollectCommand,
) -> None:
    """Two sentences and a date are one line: `... the DNS.; next` read like a mistake."""
    async with opened(desk.url) as database:
        config = {"config": '{"url": "http://nowhere.invalid/feed"}'}
        await execute(database, "UPDATE sources SET config = :config WHERE id = 1", config)

    done = await desk.run("collect", "--source", "1")

    assert "failed (unreachable): http://nowhere.invalid" in done.stdout
    assert ".; next" not in done.stdout


async def test_on_a_terminal_what_did_not_go_well_stands_above_the_bar(
    desk: CollectCommand,
) -> None:
    desk.fleet.world.misbehave("/f/1", status(500))
    await desk.add_unreadable()

    seen = await desk.see("collect")

    lines = [line.rpartition("\r")[2].removeprefix("\x1b[K") for line in seen.text.split("\n")]
    problems = [line for line in lines if line.startswith("    ")]
    assert seen.returncode == 0
    assert len(problems) == 2
    assert any("2  f1: failed (broken): the server answered 500" in line for line in problems)
    assert any("4  Far hills: skipped: " in line for line in problems)
    assert lines[-3].startswith("█" * 24 + " 4/4 sources · 8 new · 1 failed · ")
    assert lines[-2].endswith(": 8 new, 1 failed, 1 skipped")


async def test_results_reach_a_file_although_the_rest_is_a_terminal(desk: CollectCommand) -> None:
    """`clawfeed collect > out.txt`."""
    out = desk.folder / "out.txt"

    with out.open("wb") as stdout:
        seen = await desk.see("collect", stdout=stdout)

    assert len(out.read_text().splitlines()) == 3
    assert seen.text.startswith("3 sources polled in ")
    assert "█" not in seen.text


async def test_sources_that_wait_for_their_host_are_counted(desk: CollectCommand) -> None:
    async with opened(desk.url) as database:
        rested_at = system_clock().timestamp() + 600
        await execute(
            database,
            "INSERT INTO host_cooldowns (host, until, because) VALUES (:host, :until, 'resting')",
            {"host": desk.fleet.host, "until": rested_at},
        )

    first = await desk.run("collect", LOG_LEVEL="warning")
    second = await desk.run("collect", LOG_LEVEL="warning")

    for done in (first, second):
        assert done.stdout == ""
        found = re.fullmatch(r"3 wait for their turn, the first in ([0-9]+) s\n", done.stderr)
        assert found, done.stderr
        assert 500 < int(found[1]) <= 600


async def test_a_reader_who_has_seen_enough_ends_the_round_and_the_loop(
    desk: CollectCommand,
) -> None:
    """`clawfeed collect --json | head -1`, once and for ever: no traceback, no failure."""
    ended = []

    for arguments in (("collect", "--json"), ("collect", "--loop", "--json")):
        async with opened(desk.url) as database:
            await make_all_due(database)
        ended.append(await asyncio.to_thread(first_line_of, desk, *arguments))

    for code, line, stderr in ended:
        assert code == 0, stderr
        assert json.loads(line)["result"] in {"fetched", "not_modified"}
        assert "Traceback" not in stderr
        assert "crashed" not in stderr


def first_line_of(desk: CollectCommand, *arguments: str) -> tuple[int, str, str]:
    """The exit code, the only line that was read before the pipe was closed, and stderr."""
    with subprocess.Popen(
        [*COMMAND, *arguments],
        cwd=desk.folder,
        env=clean_environment(**desk.fleet.environment(desk.url, COLLECTOR_CONCURRENCY="1")),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout
        assert process.stderr
        too_long = threading.Timer(30, process.kill)
        too_long.start()
        line = process.stdout.readline()
        process.stdout.close()
        code = process.wait()
        too_long.cancel()
        return code, line, process.stderr.read()


async def test_the_loop_prints_each_poll_as_json_too(desk: CollectCommand) -> None:
    environment = desk.fleet.environment(desk.url)
    out = desk.folder / "out.jsonl"

    with out.open("wb") as stdout:
        process = await asyncio.create_subprocess_exec(
            *COMMAND,
            "collect",
            "--loop",
            "--json",
            cwd=desk.folder,
            env=clean_environment(**environment),
            stdout=stdout,
            stderr=asyncio.subprocess.DEVNULL,
        )
    try:
        await until(lambda: _has_lines(out, 3), patience=20)
    finally:
        process.terminate()
        code = await process.wait()

    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert code == 0
    assert sorted(line["name"] for line in lines) == ["f0", "f1", "f2"]
    assert {line["new"] for line in lines} == {4}


async def _has_lines(path: Path, number: int) -> bool:
    return path.read_text().count("\n") >= number
