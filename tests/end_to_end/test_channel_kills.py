"""kill -9 while real channels wait for their answers: what each of them does about it."""

from __future__ import annotations

import asyncio
import signal
from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest

from clawfeed.app.clock import system_clock
from clawfeed.app.settings.config_loading import load_config
from clawfeed.app.wiring.entry_points import opened_database
from clawfeed.simulator import demo_world, serve
from clawfeed.simulator.channel_setup import channel_settings
from clawfeed.simulator.faults import Fault, Misbehaviour
from tests.support.deliveries import until
from tests.support.items import add_item, add_source
from tests.support.processes import run_clawfeed, running_clawfeed

SERVICES = ("/telegram/*", "/github/*", "/hooks/*", "/smtp/accepted")
SILENT = Misbehaviour(fault=Fault.SLOW_FIRST_BYTE, pause=timedelta(minutes=5))


@pytest.mark.slow
@pytest.mark.timeout(300)
async def test_each_channel_recovers_in_its_own_way_from_a_kill_before_the_answer(
    tmp_path: Path,
) -> None:
    """(S002-8, F20, I7): done once where they can tell, else visibly unknown; then published."""
    world = demo_world(seed=7, clock=system_clock)
    async with serve(world) as origin:
        settings = {
            **channel_settings(origin.url, origin.mail_url),
            "DATABASE_URL": f"sqlite:///{tmp_path}/clawfeed.db",
            "STARTER_PACK": "false",
            "EDITION_FULL_TEXT": "false",
        }
        async with opened_database(load_config(settings, directory=tmp_path)) as database:
            source = await add_source(database, "one")
            at = system_clock() - timedelta(hours=1)
            await add_item(database, source, "Ferry strike stops all traffic", at=at)
        for path in SERVICES:
            world.misbehave(path, SILENT)
        with running_clawfeed("digest", "build", cwd=tmp_path, env=settings) as building:
            await until(lambda: len(world.effects.as_json()) == len(SERVICES), seconds=80)
            building.signal(signal.SIGKILL)
            await asyncio.to_thread(building.wait)
        for path in SERVICES:
            world.behave(path)

        after = await asyncio.to_thread(run_clawfeed, "cron", cwd=tmp_path, env=settings)

        assert after.returncode == 0, after.stderr
        # A mailbox shows a repeated Message-ID once.
        effects = Counter(each["service"] for each in world.effects.as_json())
        assert effects == {"telegram": 1, "github": 1, "slack": 1, "mail": 1, "mail repeated": 1}
        async with opened_database(load_config(settings, directory=tmp_path)) as database:
            rows = await database.read(
                "SELECT c.kind, o.state FROM outbox o JOIN channels c ON c.id = o.channel_id"
            )
            [task] = await database.read("SELECT state FROM edition_tasks")
        assert {row["kind"]: row["state"] for row in rows} == {
            "telegram": "uncertain",
            "slack": "uncertain",
            "github": "sent",
            "email": "sent",
        }
        assert task["state"] == "published"
