"""X from a terminal: letting ClawFeed read one's own (S001-20), and searches (S001-21)."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
from pathlib import Path

import pytest

from clawfeed.app.clock import system_clock
from clawfeed.simulator import demo_world, serve
from clawfeed.simulator.demo_settings import settings
from tests.cli.source_command import SourceCommand
from tests.end_to_end.fleet import running_fleet
from tests.sources.x.own_x import visit
from tests.support.in_process import run_here
from tests.support.processes import COMMAND, clean_environment, run_clawfeed


@pytest.mark.slow
async def test_a_person_pastes_what_x_sent_them(tmp_path: Path) -> None:
    async with running_fleet(tmp_path, 0) as fleet:
        env = {**settings(fleet.url), "LOG_LEVEL": "warning"}
        house = SourceCommand(tmp_path, env)
        run_clawfeed("user", "add", "anna@example.org", "--link", cwd=tmp_path, env=env)
        command = await asyncio.create_subprocess_exec(
            *(*COMMAND, "x", "authorise"),
            cwd=tmp_path,
            env=clean_environment(**env),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert command.stdin
        assert command.stderr
        told = ""
        while "paste" not in told and (line := await command.stderr.readline()):
            told += line.decode()
        [url] = re.findall(r"^http\S+$", told, re.MULTILINE)
        command.stdin.write((await visit(url)).encode() + b"\n")
        done, _ = await command.communicate()
        # In threads: the simulated X lives in this loop.
        shown, revoked, gone = [
            await asyncio.to_thread(run_clawfeed, "x", *words, cwd=tmp_path, env=env)
            for words in (("status", "--json"), ("revoke",), ("revoke",))
        ]
        [row] = house.sql("SELECT count(*) FROM x_authorisations")

    assert done.decode() == "ClawFeed may read X as @demo_reader for anna@example.org\n"
    assert '"status": "active"' in shown.stdout
    assert revoked.stdout == "revoked @demo_reader, here and at X\n"
    assert (gone.returncode, row) == (1, (0,))


@pytest.mark.slow
async def test_a_search_is_added_polled_and_paid_for(tmp_path: Path) -> None:
    """(S001-21): from the address in a browser to items, and not a read beyond the budget."""
    async with serve(demo_world(seed=7, clock=system_clock)) as origin:
        env = {**settings(origin.url), "X_BRIDGES": "", "X_MONTHLY_READS": "25"}
        house = SourceCommand(tmp_path, env)
        address = "https://x.com/search?q=the"
        added = await asyncio.to_thread(
            run_clawfeed, "source", "add", address, cwd=tmp_path, env=house.env
        )
        polls = [
            await asyncio.to_thread(
                run_clawfeed, "collect", "--source", "1", "--json", cwd=tmp_path, env=house.env
            )
            for _ in range(2)
        ]
        house.sql("UPDATE sources SET cursor = '{}'")
        spent = await asyncio.to_thread(
            run_clawfeed, "collect", "--source", "1", "--json", cwd=tmp_path, env=house.env
        )

    [first, second, third] = [json.loads(done.stdout) for done in (*polls, spent)]
    assert added.stdout == 'added source 1: twitter_search "X: the" the\n', added.stderr
    assert (first["new"], second["new"], third["new"]) == (20, 0, 0)
    assert (first["result"], third["result"]) == ("fetched", "postponed")
    assert house.sql("SELECT used FROM api_reads") == [(20,)]


@pytest.mark.slow
def test_what_is_ones_own_at_x_is_added_for_its_owner_alone(tmp_path: Path) -> None:
    """(S001-20): of two people the command asks whose it is."""
    house = SourceCommand(tmp_path, {})
    alone = house("add", "--type", "twitter_bookmarks")
    run_here("user", "add", "anna@example.org", "--link", cwd=tmp_path, env=house.env)
    whose = house("add", "--type", "twitter_bookmarks")
    annas = house("add", "https://x.com/i/bookmarks", "--no-check", "--user", "anna@example.org")

    assert (alone.returncode, whose.returncode, annas.returncode) == (0, 2, 0)
    assert "--user EMAIL" in whose.stderr
    assert house.sql("SELECT created_by, is_public FROM sources ORDER BY id") == [(1, 0), (2, 0)]
